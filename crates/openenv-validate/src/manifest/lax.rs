//! Values as pydantic takes them when it is not strict.

use serde_json::{Number, Value};

use super::yaml::Yaml;

/// Text, and nothing else.
pub(super) fn text(value: &Yaml) -> Result<String, String> {
    match value {
        Yaml::Text(text) => Ok(text.clone()),
        _ => Err("must be text; put it in quotes".to_owned()),
    }
}

/// A number, or what can be read as one.
pub(super) fn number(value: &Yaml) -> Result<f64, String> {
    let number = match value {
        Yaml::Bool(value) => Some(f64::from(u8::from(*value))),
        #[expect(clippy::cast_precision_loss, reason = "as in Python")]
        Yaml::Int(number) => Some(*number as f64),
        Yaml::Float(number) => Some(*number),
        Yaml::Text(text) => without_underscores(text.trim()).and_then(|text| text.parse().ok()),
        _ => None,
    };
    number.ok_or_else(|| "must be a number".to_owned())
}

/// A whole number, or what can be read as one.
pub(super) fn whole(value: &Yaml) -> Result<i128, String> {
    let number = match value {
        Yaml::Bool(value) => Some(i128::from(*value)),
        Yaml::Int(number) => Some(*number),
        Yaml::Float(number) => whole_float(*number),
        Yaml::Text(text) => whole_text(text),
        _ => None,
    };
    number.ok_or_else(|| "must be a whole number".to_owned())
}

fn whole_text(text: &str) -> Option<i128> {
    let text = without_underscores(text.trim())?;
    // `5.0` is 5, but `5.` and `5.5` are no whole numbers.
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|zero| zero == b'0') => {
            digits
        }
        Some(_) => return None,
        None => &text,
    };
    digits.parse().ok()
}

fn whole_float(number: f64) -> Option<i128> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole, and small enough"
    )]
    let whole = number as i128;
    (number.fract() == 0.0 && number.abs() < 1e18).then_some(whole)
}

/// Python allows underscores between digits.
fn without_underscores(text: &str) -> Option<String> {
    let misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!misplaced).then(|| text.replace('_', ""))
}

/// True or false, or what people write for it.
pub(super) fn truth(value: &Yaml) -> Result<bool, String> {
    let truth = match value {
        Yaml::Bool(value) => Some(*value),
        Yaml::Int(0) => Some(false),
        Yaml::Int(1) => Some(true),
        Yaml::Float(number) if *number == 0.0 => Some(false),
        Yaml::Float(number) if (*number - 1.0).abs() < f64::EPSILON => Some(true),
        Yaml::Text(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            _ => None,
        },
        _ => None,
    };
    truth.ok_or_else(|| "must be true or false".to_owned())
}

pub(super) fn at_least(limit: f64) -> impl Fn(&Yaml) -> Result<f64, String> {
    move |value| match number(value)? {
        number if number >= limit => Ok(number),
        _ => Err(format!("must be at least {limit}")),
    }
}

pub(super) fn above(limit: f64) -> impl Fn(&Yaml) -> Result<f64, String> {
    move |value| match number(value)? {
        number if number > limit => Ok(number),
        _ => Err(format!("must be above {limit}")),
    }
}

pub(super) fn one_of(choices: &'static [&str]) -> impl Fn(&Yaml) -> Result<String, String> {
    move |value| match value {
        Yaml::Text(text) if choices.contains(&text.as_str()) => Ok(text.clone()),
        _ => Err(format!("must be one of: {}", choices.join(", "))),
    }
}

/// A whole number as JSON, also where it is larger than most can read.
pub(super) fn to_json(number: i128) -> Value {
    Number::from_i128(number).map_or(Value::Null, Value::Number)
}
