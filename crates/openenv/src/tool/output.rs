//! What a tool returns.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

#[cfg(feature = "server")]
use crate::contract::OutputForm;
use crate::error::Result;

/// What a tool returns: content for the agent to read, and data for programs.
///
/// Most tools return a type of their own and never see this. A tool that shows
/// an image, or words its answer itself, returns one:
///
/// ```
/// # use openenv::ToolOutput;
/// # let png = [0u8; 4];
/// let output = ToolOutput::new()
///     .text("The page after the click")
///     .image(png, "image/png");
/// assert_eq!(output.content().len(), 2);
/// ```
#[derive(Debug, Clone, Default)]
pub struct ToolOutput {
    pub(crate) content: Vec<Content>,
    pub(crate) data: Option<Box<RawValue>>,
    pub(crate) structured: Structured,
    /// The result in the OpenEnv dialect, where the environment worded it itself.
    #[cfg_attr(
        not(feature = "server"),
        expect(dead_code, reason = "a client has no use for it")
    )]
    pub(crate) plain: Option<Box<RawValue>>,
}

/// How the data of an output is published as structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Structured {
    /// Not at all.
    #[default]
    No,
    /// As it is: it is an object.
    Object,
    /// As the `result` of an object.
    Wrapped,
}

impl Structured {
    /// How data is published whose type does not say: an object as it is.
    fn fit_for(json: &str) -> Self {
        if json.starts_with('{') {
            Self::Object
        } else {
            Self::No
        }
    }
}

/// One piece of what an agent gets to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text itself.
        text: String,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    Image {
        /// The file in base64.
        data: String,
        /// Its type, as `image/png`.
        mime_type: String,
    },
    /// Sound.
    #[serde(rename_all = "camelCase")]
    Audio {
        /// The file in base64.
        data: String,
        /// Its type, as `audio/wav`.
        mime_type: String,
    },
    /// Something that only a newer protocol knows.
    #[serde(other)]
    Other,
}

impl ToolOutput {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.content.push(Content::Text { text: text.into() });
        self
    }

    /// Adds an image: the bytes of the file, and its type.
    #[must_use]
    pub fn image(mut self, file: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        self.content.push(Content::Image {
            data: BASE64_STANDARD.encode(file),
            mime_type: mime_type.into(),
        });
        self
    }

    /// Adds sound: the bytes of the file, and its type.
    #[must_use]
    pub fn audio(mut self, file: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        self.content.push(Content::Audio {
            data: BASE64_STANDARD.encode(file),
            mime_type: mime_type.into(),
        });
        self
    }

    /// Sets the data for programs; an object is published as structured content.
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    pub fn data(mut self, data: &impl Serialize) -> Result<Self> {
        let data = to_raw_value(data)?;
        self.structured = Structured::fit_for(data.get());
        self.data = Some(data);
        Ok(self)
    }

    /// What the agent gets to read.
    pub fn content(&self) -> &[Content] {
        &self.content
    }

    /// The data for programs, as JSON.
    pub fn json(&self) -> Option<&RawValue> {
        self.data.as_deref()
    }
}

/// What a tool may return: any type with a JSON Schema, or a [`ToolOutput`].
pub trait ToolReturn: Send + 'static {
    #[doc(hidden)]
    #[cfg(feature = "server")]
    fn form() -> OutputForm;

    #[doc(hidden)]
    fn into_output(self, structured: Option<Structured>) -> Result<ToolOutput>;
}

impl ToolReturn for ToolOutput {
    #[cfg(feature = "server")]
    fn form() -> OutputForm {
        OutputForm::free()
    }

    fn into_output(self, _: Option<Structured>) -> Result<ToolOutput> {
        Ok(self)
    }
}

impl<T: Serialize + JsonSchema + Send + 'static> ToolReturn for T {
    #[cfg(feature = "server")]
    fn form() -> OutputForm {
        OutputForm::of::<T>()
    }

    fn into_output(self, structured: Option<Structured>) -> Result<ToolOutput> {
        ToolOutput::of_value(to_raw_value(&self)?, structured)
    }
}

impl ToolOutput {
    /// An output that says what its data says: strings stand for themselves,
    /// everything else for its JSON; nothing and empty lists leave nothing to read.
    pub(super) fn of_value(data: Box<RawValue>, structured: Option<Structured>) -> Result<Self> {
        let json = data.get();
        let text = match json.as_bytes() {
            b"null" | b"[]" => None,
            [b'"', ..] => Some(serde_json::from_str(json)?),
            _ => Some(json.to_owned()),
        };
        let structured = structured.unwrap_or_else(|| Structured::fit_for(json));
        let nothing = json == "null" && structured != Structured::Wrapped;
        Ok(Self {
            content: text
                .map(|text| Content::Text { text })
                .into_iter()
                .collect(),
            data: (!nothing).then_some(data),
            structured: if nothing { Structured::No } else { structured },
            plain: None,
        })
    }
}
