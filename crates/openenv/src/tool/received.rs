//! What a tool returned or why it did not, as clients read it.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, from_str};

use super::{Content, Structured, ToolError, ToolFailure, ToolOutput};
use crate::error::{Error, Kind, Result};

/// The result of a call, in the spelling of the OpenEnv dialect and of MCP.
#[derive(Deserialize)]
struct CallResult<'a> {
    content: Vec<Content>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "structuredContent")]
    mcp_structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
    #[serde(default, rename = "isError")]
    mcp_is_error: Option<bool>,
    #[serde(default)]
    meta: Value,
    #[serde(default, rename = "_meta")]
    mcp_meta: Value,
}

/// The result of a call that its server carries out as a step.
#[derive(Deserialize)]
struct Observation<'a> {
    #[expect(dead_code, reason = "it tells an observation from other objects")]
    tool_name: String,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ToolError>,
}

impl ToolOutput {
    /// The data of the output as a value of a type.
    ///
    /// Without data, it is the text that is read: as it is if the type takes text,
    /// else as JSON. Nothing at all reads as `()` or `None`.
    ///
    /// ```
    /// use openenv::ToolOutput;
    ///
    /// let output = ToolOutput::new().text("seven").data(&[7, 7])?;
    /// assert_eq!(output.read::<Vec<u32>>()?, [7, 7]);
    /// assert_eq!(ToolOutput::new().text("seven").read::<String>()?, "seven");
    /// # Ok::<(), openenv::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it does not fit the type.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T> {
        let read = match (self.json(), self.content()) {
            (Some(data), _) => from_str(data.get()),
            (None, [Content::Text { text }]) => {
                T::deserialize(Value::from(text.as_str())).or_else(|_| from_str(text))
            }
            (None, _) => T::deserialize(Value::Null),
        };
        read.map_err(|error| {
            let name = std::any::type_name::<T>();
            let message = format!("what the tool returned does not fit `{name}`: {error}");
            Error::of(Kind::Answer, message).because(error)
        })
    }

    /// Reads the result of a call: as MCP has it, as an observation, or as the bare
    /// value that the tool returned.
    pub(crate) fn received(result: &RawValue) -> Result<Self> {
        let text = result.get();
        if let Ok(result) = from_str::<CallResult<'_>>(text) {
            return result.output();
        }
        match from_str(text) {
            Ok(Observation {
                error: Some(error), ..
            }) => Err(Error::of(Kind::Tool(error.error_type), error.message)),
            Ok(Observation {
                result: Some(result),
                ..
            }) => Self::received(result),
            _ => Self::of_value(result.to_owned(), None),
        }
    }
}

impl CallResult<'_> {
    fn output(self) -> Result<ToolOutput> {
        if self.is_error.or(self.mcp_is_error) == Some(true) {
            let message = text_of(&self.content);
            let failure = ToolFailure::told_by(&message).unwrap_or(ToolFailure::Execution);
            return Err(Error::of(Kind::Tool(failure), message));
        }
        let structured = self.structured_content.or(self.mcp_structured_content);
        let wrapped = structured.filter(|_| is_wrapped(&self.meta) || is_wrapped(&self.mcp_meta));
        let unwrapped = wrapped.and_then(unwrap);
        Ok(ToolOutput {
            content: self.content,
            data: self
                .data
                .or(unwrapped)
                .or(structured)
                .map(ToOwned::to_owned),
            structured: match (unwrapped, structured) {
                (Some(_), _) => Structured::Wrapped,
                (None, Some(_)) => Structured::Object,
                (None, None) => Structured::No,
            },
            plain: None,
        })
    }
}

/// What an agent would read of it.
fn text_of(content: &[Content]) -> String {
    let texts = content.iter().filter_map(|content| match content {
        Content::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Whether the structured content is only there to hold a value that is no object.
fn is_wrapped(meta: &Value) -> bool {
    meta["fastmcp"]["wrap_result"] == true
}

fn unwrap(structured: &RawValue) -> Option<&RawValue> {
    #[derive(Deserialize)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let Wrapped { result } = from_str(structured.get()).ok()?;
    Some(result)
}

impl ToolFailure {
    /// How a call failed by what is said of it: servers tell no more than the text.
    pub(crate) fn told_by(text: &str) -> Option<Self> {
        let line = text.lines().next().unwrap_or_default();
        let of_a_tool = line.starts_with("Tool '");
        let counted = line.starts_with(|first: char| first.is_ascii_digit());
        if line.starts_with("Error calling tool '") {
            Some(Self::Execution)
        } else if line.starts_with("Unknown tool")
            || line.starts_with("Tool not found")
            || (of_a_tool && line.contains("' not available in "))
        {
            Some(Self::NotFound)
        } else if (counted && line.contains(" for call["))
            || line.starts_with("Input validation error")
        {
            Some(Self::InvalidArguments)
        } else if of_a_tool && line.contains("' timed out") {
            Some(Self::Timeout)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;

    fn received(result: &Value) -> Result<ToolOutput> {
        ToolOutput::received(&to_raw_value(result).unwrap())
    }

    #[test]
    fn results_are_read_in_every_spelling() {
        let text = json!([{ "type": "text", "text": "2", "annotations": null, "meta": null }]);
        let mark = json!({ "fastmcp": { "wrap_result": true } });
        for result in [
            json!({
                "content": text, "structured_content": { "result": 2 }, "meta": mark,
                "data": 2, "is_error": false,
            }),
            json!({ "content": text, "structuredContent": { "result": 2 }, "_meta": mark }),
            json!({ "content": text }),
            json!(2),
            json!({ "done": false, "tool_name": "t", "result": 2, "error": null }),
            json!({ "tool_name": "t", "result": { "content": text, "data": 2 }, "error": null }),
        ] {
            let output = received(&result).unwrap();
            assert_eq!(output.read::<u32>().unwrap(), 2, "{result}");
            assert_eq!(output.content().len(), 1, "{result}");
        }
        let image = json!({ "content": [
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
            { "type": "resource_link", "uri": "file:///x", "name": "x" },
        ] });
        let output = received(&image).unwrap();
        assert!(matches!(&output.content()[0], Content::Image { .. }));
        assert_eq!(output.content()[1], Content::Other);
        assert!(output.json().is_none());
    }

    #[test]
    fn nothing_and_text_are_read_too() {
        let nothing = received(&json!({ "content": [], "data": null })).unwrap();
        nothing.read::<()>().unwrap();
        assert_eq!(nothing.read::<Option<u32>>().unwrap(), None);
        let text = ToolOutput::new().text("[1, 2]");
        assert_eq!(text.read::<String>().unwrap(), "[1, 2]");
        assert_eq!(text.read::<Vec<u32>>().unwrap(), [1, 2]);
        let error = text.read::<u32>().unwrap_err().to_string();
        assert!(error.contains("does not fit `u32`"), "{error}");
        let wrapped = json!({
            "content": [], "structuredContent": { "result": null },
            "_meta": { "fastmcp": { "wrap_result": true } },
        });
        let wrapped = received(&wrapped).unwrap();
        assert_eq!(wrapped.json().unwrap().get(), "null");
    }

    #[test]
    fn failures_are_errors() {
        let failed = |result| received(&result).unwrap_err();
        let text = json!([{ "type": "text", "text": "Tool 't' timed out after 1.0 seconds" }]);
        for result in [
            json!({ "content": text, "isError": true }),
            json!({ "content": text, "is_error": true }),
            json!({ "tool_name": "t", "result": null, "error": {
                "error_type": "timeout", "message": "Tool 't' timed out after 1.0 seconds",
            } }),
        ] {
            let error = failed(result);
            assert_eq!(error.tool_failure(), Some(ToolFailure::Timeout));
            assert_eq!(error.message(), "Tool 't' timed out after 1.0 seconds");
        }
        let foreign =
            failed(json!({ "content": [{ "type": "text", "text": "no" }], "isError": true }));
        assert_eq!(foreign.tool_failure(), Some(ToolFailure::Execution));
    }

    #[test]
    fn a_text_tells_how_a_call_failed() {
        use ToolFailure::{Execution, InvalidArguments, NotFound, Timeout};
        for (text, failure) in [
            ("Unknown tool: 'x'", Some(NotFound)),
            ("Tool not found: x", Some(NotFound)),
            ("Tool 'x' not available in production mode", Some(NotFound)),
            (
                "2 validation errors for call[x]\na: Field required",
                Some(InvalidArguments),
            ),
            ("Tool 'x' timed out after 0.5 seconds", Some(Timeout)),
            ("Error calling tool 'x': Unknown tool: 'y'", Some(Execution)),
            ("Environment does not support MCP", None),
        ] {
            assert_eq!(ToolFailure::told_by(text), failure, "{text}");
        }
    }
}
