//! What a line means.

use openenv_schema::{self as schema, ActionSchema, Entry, Field};
use serde_json::{Map, Value};

use super::toolkit::{Call, Toolkit};

/// What somebody wants.
#[derive(Debug, PartialEq)]
pub(super) enum Input {
    Action(Value),
    /// To be asked for each field.
    Form,
    Reset(Option<i128>),
    State,
    Schema,
    Tools,
    /// To be asked for the arguments of a tool.
    ToolForm(String),
    Help,
    Quit,
}

/// Reads a line; an error says what could be typed instead.
///
/// Where there is nothing but tools, the name of one begins a call.
pub(super) fn read(line: &str, schema: &ActionSchema, tools: &Toolkit) -> Result<Input, String> {
    let line = line.trim();
    if line.is_empty() {
        return Ok(Input::Form);
    }
    if let Some(command) = line.strip_prefix(':') {
        return read_command(command, tools);
    }
    if line.starts_with('{') {
        return match serde_json::from_str(line) {
            Ok(action) => Ok(Input::Action(action)),
            Err(error) => Err(format!("not JSON: {error}")),
        };
    }
    if schema.is_tool_call() && !tools.is_empty() {
        return tools.read(line).map(Input::from);
    }
    read_sole_value(line, schema).map(Input::Action)
}

impl From<Call> for Input {
    fn from(call: Call) -> Self {
        match call {
            Call::Step(action) => Self::Action(action),
            Call::Form(name) => Self::ToolForm(name),
        }
    }
}

fn read_command(command: &str, tools: &Toolkit) -> Result<Input, String> {
    let (name, argument) = match command.split_once(char::is_whitespace) {
        Some((name, argument)) => (name, argument.trim()),
        None => (command, ""),
    };
    match (name, argument) {
        ("reset" | "r", "") => Ok(Input::Reset(None)),
        ("reset" | "r", seed) => match seed.parse() {
            Ok(seed) => Ok(Input::Reset(Some(seed))),
            Err(_) => Err(format!("`{seed}` is not a seed: expected a whole number")),
        },
        ("state", "") => Ok(Input::State),
        ("schema", "") => Ok(Input::Schema),
        ("tools", "") => Ok(Input::Tools),
        ("call" | "c", line) => tools.read(line).map(Input::from),
        ("help" | "h" | "?", "") => Ok(Input::Help),
        ("quit" | "q" | "exit", "") => Ok(Input::Quit),
        _ => Err(format!("`:{command}` is no command; `:help` lists them")),
    }
}

/// Reads the value of the one field that has to be filled in.
pub(super) fn read_sole_value(line: &str, schema: &ActionSchema) -> Result<Value, String> {
    let variants = schema.variants();
    let fields = match variants.as_slice() {
        [only] => only.fields(),
        _ => Vec::new(),
    };
    let Some(sole) = sole_field(&fields) else {
        let example = schema::simplest(schema)
            .map_or_else(|_| String::new(), |action| format!(" such as `{action}`"));
        return Err(format!(
            "expected a JSON object{example}; an empty line asks for each field"
        ));
    };
    let value = sole
        .parse(line)
        .map_err(|why| format!("`{}`: {why}", sole.name))?;
    let mut action = Map::new();
    for field in &fields {
        match &field.entry {
            Entry::Fixed(fixed) => {
                action.insert(field.name.clone(), fixed.clone());
            }
            Entry::Asked if field.name == sole.name => {
                if let Some(value) = &value {
                    action.insert(field.name.clone(), value.clone());
                }
            }
            Entry::Asked | Entry::Skipped => {}
        }
    }
    Ok(Value::Object(action))
}

/// The only field that is required, or the only one there is.
fn sole_field<'a, 'schema>(fields: &'a [Field<'schema>]) -> Option<&'a Field<'schema>> {
    let asked = || fields.iter().filter(|field| field.entry == Entry::Asked);
    let mut required = asked().filter(|field| field.required);
    match (required.next(), required.next()) {
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => None,
        (None, _) => {
            let mut asked = asked();
            asked.next().filter(|_| asked.next().is_none())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn echo() -> ActionSchema {
        ActionSchema::new(json!({
            "properties": {
                "kind": { "const": "say" },
                "message": { "type": "string", "minLength": 1 },
                "loud": { "type": "boolean", "default": false },
            },
            "required": ["message"],
        }))
    }

    fn read(line: &str, schema: &ActionSchema) -> Result<Input, String> {
        super::read(line, schema, &Toolkit::default())
    }

    fn move_to() -> ActionSchema {
        ActionSchema::new(json!({
            "properties": { "x": { "type": "integer" }, "y": { "type": "integer" } },
            "required": ["x", "y"],
        }))
    }

    #[test]
    fn commands_begin_with_a_colon() {
        for (line, expected) in [
            (":reset", Input::Reset(None)),
            (":reset 7", Input::Reset(Some(7))),
            (":reset -7", Input::Reset(Some(-7))),
            (" :state ", Input::State),
            (":schema", Input::Schema),
            (":tools", Input::Tools),
            (":help", Input::Help),
            (":quit", Input::Quit),
            ("", Input::Form),
        ] {
            assert_eq!(read(line, &echo()).unwrap(), expected, "{line}");
        }
        assert!(read(":reset soon", &echo()).unwrap_err().contains("`soon`"));
        assert!(read(":go", &echo()).unwrap_err().contains("`:help`"));
    }

    #[test]
    fn a_sole_field_needs_no_json() {
        let said = json!({ "kind": "say", "message": "hello there" });
        assert_eq!(read("hello there", &echo()).unwrap(), Input::Action(said));
        let written = json!({ "message": "hi" });
        let line = r#"{"message": "hi"}"#;
        assert_eq!(read(line, &echo()).unwrap(), Input::Action(written));
        assert!(
            read("{message", &echo())
                .unwrap_err()
                .starts_with("not JSON")
        );
    }

    #[test]
    fn several_fields_need_json_or_a_form() {
        let why = read("3", &move_to()).unwrap_err();
        assert!(why.contains(r#"such as `{"x":0,"y":0}`"#), "{why}");
        assert!(why.contains("an empty line"), "{why}");
    }
}
