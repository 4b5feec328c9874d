//! What an environment shows to people: a picture of itself, and what to try next.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A picture of an episode, as the web page shows it.
///
/// The page keeps it apart from itself: no script in it runs, and it loads
/// nothing from anywhere.
///
/// ```
/// use openenv::Rendering;
///
/// let board = Rendering::text("X . O\n. X .\nO . X");
/// let dot = Rendering::svg(r#"<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>"#);
/// # let _ = (board, dot);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rendering {
    kind: Kind,
    /// Text, or bytes as base64.
    content: String,
    media_type: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Html,
    Svg,
    Text,
    Image,
}

impl Rendering {
    /// A piece of HTML; styles in it work, scripts do not.
    pub fn html(html: impl Into<String>) -> Self {
        Self::of(Kind::Html, html.into(), "text/html")
    }

    /// A drawing.
    pub fn svg(svg: impl Into<String>) -> Self {
        Self::of(Kind::Svg, svg.into(), "image/svg+xml")
    }

    /// Text in a fixed-width font; colours of terminals are shown.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(Kind::Text, text.into(), "text/plain")
    }

    /// An image in a format that browsers know, as `image/png`.
    pub fn image(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::of(Kind::Image, BASE64_STANDARD.encode(bytes), media_type)
    }

    fn of(kind: Kind, content: String, media_type: impl Into<String>) -> Self {
        Self {
            kind,
            content,
            media_type: media_type.into(),
        }
    }
}

/// An action that can be taken now, for people to take with one click.
///
/// ```
/// use openenv::Suggestion;
/// use serde_json::json;
///
/// let moves = [Suggestion::new("Up", json!({ "direction": "up" }))];
/// # let _ = moves;
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    label: String,
    action: Value,
}

impl Suggestion {
    /// An action under a name of a word or two.
    ///
    /// # Panics
    /// If the action is of a type that JSON cannot have, as a map with keys that
    /// are no text.
    pub fn new(label: impl Into<String>, action: impl Serialize) -> Self {
        Self {
            label: label.into(),
            action: serde_json::to_value(action).expect("actions are JSON"),
        }
    }
}

/// All that an environment shows now.
#[cfg(feature = "server")]
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct View {
    pub(crate) rendering: Option<Rendering>,
    pub(crate) suggested_actions: Vec<Suggestion>,
}
