//! Tools and their results, in the spelling of the OpenEnv dialect.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::error::Error;
use crate::tool::compiled::Listing;
use crate::tool::{Content, Structured, ToolError, ToolFailure, ToolOutput};

/// The result of `tools/list`: every key is always there.
pub(crate) fn listed<'a>(tools: impl Iterator<Item = &'a Listing>) -> Value {
    let tools: Value = tools
        .map(|tool| {
            json!({
                "name": tool.name,
                "title": tool.title,
                "description": tool.description,
                "inputSchema": tool.input_schema,
                "outputSchema": tool.output_schema,
                "icons": null,
                "annotations": tool.annotations,
                "meta": tool.meta,
                "execution": null,
            })
        })
        .collect();
    json!({ "tools": tools })
}

/// What a trainer sees after a step that listed the tools.
#[derive(Debug, Serialize)]
pub(crate) struct ListedObservation<'a> {
    tools: Vec<ListedTool<'a>>,
}

#[derive(Debug, Serialize)]
struct ListedTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

impl<'a> ListedObservation<'a> {
    pub(crate) fn new(tools: impl Iterator<Item = &'a Listing>) -> Self {
        Self {
            tools: tools
                .map(|tool| ListedTool {
                    name: &tool.name,
                    description: &tool.description,
                    input_schema: &tool.input_schema,
                })
                .collect(),
        }
    }
}

/// What a trainer sees after a step that called a tool.
#[derive(Debug, Serialize)]
pub(crate) struct CalledObservation<'a> {
    tool_name: &'a str,
    result: Option<PlainResult<'a>>,
    error: Option<ToolError>,
}

impl<'a> CalledObservation<'a> {
    pub(crate) fn new(tool_name: &'a str, outcome: Result<&'a ToolOutput, &Error>) -> Self {
        let (result, error) = match outcome {
            Ok(output) => (Some(PlainResult(output)), None),
            Err(error) => {
                let failure = error.tool_failure().unwrap_or(ToolFailure::Execution);
                (None, Some(ToolError::new(failure, error.message())))
            }
        };
        Self {
            tool_name,
            result,
            error,
        }
    }
}

/// The result of `tools/call`.
#[derive(Debug)]
pub(crate) struct PlainResult<'a>(pub(crate) &'a ToolOutput);

impl Serialize for PlainResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(output) = self;
        if let Some(plain) = &output.plain {
            return plain.serialize(serializer);
        }
        let data = output.data.as_deref();
        let is_wrapped = output.structured == Structured::Wrapped;
        let mut map = serializer.serialize_map(Some(5))?;
        map.serialize_entry("content", &PlainContent(&output.content))?;
        match output.structured {
            Structured::No => map.serialize_entry("structured_content", &())?,
            Structured::Object => map.serialize_entry("structured_content", &data)?,
            Structured::Wrapped => {
                map.serialize_entry("structured_content", &Wrapped { result: data })?;
            }
        }
        map.serialize_entry("meta", &is_wrapped.then_some(WrapMark::MARK))?;
        map.serialize_entry("data", &data)?;
        map.serialize_entry("is_error", &false)?;
        map.end()
    }
}

#[derive(Serialize)]
struct Wrapped<'a> {
    result: Option<&'a RawValue>,
}

/// fastmcp's clients unwrap a result that bears this mark.
#[derive(Serialize)]
struct WrapMark {
    fastmcp: WrapResult,
}

#[derive(Serialize)]
struct WrapResult {
    wrap_result: bool,
}

impl WrapMark {
    const MARK: Self = Self {
        fastmcp: WrapResult { wrap_result: true },
    };
}

struct PlainContent<'a>(&'a [Content]);

impl Serialize for PlainContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.0.len()))?;
        for content in self.0 {
            items.serialize_element(&PlainItem(content))?;
        }
        items.end()
    }
}

struct PlainItem<'a>(&'a Content);

impl Serialize for PlainItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Content::Text { text } => {
                map.serialize_entry("type", "text")?;
                map.serialize_entry("text", text)?;
            }
            Content::Image { data, mime_type } => {
                map.serialize_entry("type", "image")?;
                map.serialize_entry("data", data)?;
                map.serialize_entry("mimeType", mime_type)?;
            }
            Content::Audio { data, mime_type } => {
                map.serialize_entry("type", "audio")?;
                map.serialize_entry("data", data)?;
                map.serialize_entry("mimeType", mime_type)?;
            }
            Content::Other => map.serialize_entry("type", "other")?,
        }
        map.serialize_entry("annotations", &())?;
        map.serialize_entry("meta", &())?;
        map.end()
    }
}
