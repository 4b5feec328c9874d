//! How things look to a person, as text.

use std::fmt::Write;

use openenv::Step;
use openenv_schema::{ActionSchema, Field};
use owo_colors::OwoColorize;
use serde_json::Value;

use super::toolkit::Toolkit;
use crate::ui::fields;

/// Characters of one value that are shown: a person cannot read more, and a
/// terminal does not like to.
const SHOWN: usize = 10_000;
/// The same where a whole step is one line.
const SHOWN_ON_LINE: usize = 160;

/// Name, version and description of an environment.
pub(super) fn metadata(metadata: &Value) -> String {
    let text = |name: &str| metadata[name].as_str().unwrap_or_default();
    let title = format!("{} {}", text("name"), text("version"));
    format!("{}\n{}\n", title.trim().bold(), text("description"))
}

/// What an action looks like, field by field.
pub(super) fn schema(schema: &ActionSchema) -> String {
    let title = schema.title().unwrap_or("Action");
    let description = schema.description().unwrap_or_default();
    let title = format!("{}  {description}", title.bold());
    format!("{}\n{}", title.trim_end(), fields::of_input(schema))
}

/// What can be called.
pub(super) fn tools(tools: &Toolkit) -> String {
    if tools.is_empty() {
        return "There are no tools.\n".to_owned();
    }
    let tools = tools.iter();
    fields::of_tools(tools.map(|tool| {
        let info = &tool.info;
        (&*info.name, &tool.arguments, &*info.description)
    }))
}

/// What is asked for when a field is filled in.
pub(super) fn question(field: &Field<'_>) -> String {
    let mut text = format!("{}: {}", field.name.bold(), field.words);
    if !field.required {
        match &field.default {
            Some(default) if !default.is_null() => {
                let _ = write!(text, ", empty for {default}");
            }
            _ => text.push_str(", may be left empty"),
        }
    }
    if let Some(description) = &field.description {
        let _ = write!(text, "; {description}");
    }
    text
}

/// An observation with what it is worth.
pub(super) fn step(step: &Step<Value>) -> String {
    let mut text = called(&step.observation).unwrap_or_else(|| value(&step.observation));
    if !step.metadata.is_empty() {
        let metadata = Value::Object(step.metadata.clone());
        let _ = write!(text, "\nmetadata: {metadata}");
    }
    let reward = reward(step);
    let done = if step.is_done() { "yes" } else { "no" };
    let _ = write!(
        text,
        "\n{}",
        format!("reward: {reward}, done: {done}").bold()
    );
    text
}

/// What a tool returned, once: its result has it in several forms.
fn called(observation: &Value) -> Option<String> {
    let tool = observation["tool_name"].as_str()?;
    if let Some(message) = observation["error"]["message"].as_str() {
        let failure = observation["error"]["error_type"]
            .as_str()
            .unwrap_or("error");
        return Some(format!("{tool}: {failure}\n{message}"));
    }
    let result = observation["result"].as_object()?;
    match result.get("data")? {
        Value::Null => {
            let content = result.get("content")?.as_array()?;
            let texts = content.iter().filter_map(|item| item["text"].as_str());
            let texts: Vec<_> = texts.collect();
            Some(cut(&texts.join("\n"), SHOWN))
        }
        data => Some(value(data)),
    }
}

pub(super) fn reward(step: &Step<Value>) -> String {
    step.reward
        .map_or_else(|| "none".to_owned(), |reward| number(reward.as_f64()))
}

/// The fields of an object, aligned; a text of several lines as it is, below its name.
pub(super) fn value(value: &Value) -> String {
    let Value::Object(fields) = value else {
        return cut(&plain(value), SHOWN);
    };
    let shown = || fields.iter().filter(|(name, value)| !is_noise(name, value));
    let is_block = |value: &Value| value.as_str().is_some_and(|text| text.contains('\n'));
    let width = shown()
        .filter(|(_, value)| !is_block(value))
        .map(|(name, _)| name.chars().count() + 1)
        .max()
        .unwrap_or_default();
    let lines: Vec<_> = shown()
        .map(|(name, value)| {
            let text = cut(&plain(value), SHOWN);
            if is_block(value) {
                return format!("{name}:\n{}", text.trim_end_matches('\n'));
            }
            let name = format!("{name}:");
            format!("{name:<width$} {text}").trim_end().to_owned()
        })
        .collect();
    lines.join("\n")
}

/// A value as JSON, cut where a line gets too long.
pub(super) fn compact(value: &Value) -> String {
    let mut value = value.clone();
    if let Value::Object(fields) = &mut value {
        fields.retain(|name, value| !is_noise(name, value));
    }
    cut(&value.to_string(), SHOWN_ON_LINE)
}

/// Every observation of the reference has metadata, mostly with nothing in it.
fn is_noise(name: &str, value: &Value) -> bool {
    name == "metadata" && value.as_object().is_some_and(serde_json::Map::is_empty)
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{}… ({rest} more characters)", &text[..end])
        }
    }
}

/// A text without its quotes, anything else as JSON.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Without the digits that adding up leaves behind.
pub(super) fn number(value: f64) -> String {
    const SCALE: f64 = 1e9;
    ((value * SCALE).round() / SCALE).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_aligned_and_texts_kept() {
        let observation = json!({
            "board": "x.o\n.x.\n",
            "to_move": "x",
            "legal": [1, 2],
            "note": "",
            "metadata": {},
        });
        let expected = "board:\nx.o\n.x.\nto_move: x\nlegal:   [1,2]\nnote:";
        assert_eq!(value(&observation), expected);
        assert_eq!(value(&json!("plain")), "plain");
    }

    #[test]
    fn a_tools_result_is_shown_once() {
        let returned = |result: Value| called(&json!({ "tool_name": "t", "result": result }));
        let data = json!({ "content": [{ "text": "{\"hits\":2}" }], "data": { "hits": 2 } });
        assert_eq!(returned(data).unwrap(), "hits: 2");
        let text = json!({ "content": [{ "text": "a" }, { "text": "b" }], "data": null });
        assert_eq!(returned(text).unwrap(), "a\nb");
        let error = json!({ "error_type": "timeout", "message": "too late" });
        let failed = json!({ "tool_name": "t", "result": null, "error": error });
        assert_eq!(called(&failed).unwrap(), "t: timeout\ntoo late");
        assert_eq!(called(&json!({ "message": "no tool" })), None);
    }

    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(cut("naïve", 5), "naïve");
        assert_eq!(cut("naïve", 3), "naï… (2 more characters)");
        let observation = json!({ "metadata": {}, "payload": "x".repeat(1_000) });
        let line = compact(&observation);
        assert!(line.starts_with(r#"{"payload":"xxx"#), "{line}");
        assert!(line.ends_with("more characters)"), "{line}");
    }

    #[test]
    fn rewards_have_no_stray_digits() {
        assert_eq!(number(0.1 + 0.2), "0.3");
        assert_eq!(number(1.0), "1");
    }
}
