//! Scalars in the shape their field wants, as far as pydantic goes to meet them.

use serde_json::Value;

use super::rules::{Broken, Numeric, integer_value};

/// Whether a value may change its type on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Strict,
    Lax,
}

/// The first integer that 64 signed bits cannot hold.
const INTEGER_LIMIT: f64 = 9_223_372_036_854_775_808.0;

pub(super) fn integer(input: &Value, mode: Mode) -> Result<(Value, Numeric), Broken> {
    let wrong_type = || Broken::new("int_type", "Input should be a valid integer");
    let integer = match input {
        Value::Number(number) => match Numeric::of(number) {
            Some(Numeric::Integer(integer)) => integer,
            // Either an integer beyond 64 bits or as good as one.
            Some(float @ Numeric::Float(value)) if value.abs() >= INTEGER_LIMIT => {
                return Ok((input.clone(), float));
            }
            Some(Numeric::Float(_)) if mode == Mode::Strict => return Err(wrong_type()),
            Some(Numeric::Float(value)) if value.fract() == 0.0 => truncated(value),
            _ => {
                return Err(Broken::new(
                    "int_from_float",
                    "Input should be a valid integer, got a number with a fractional part",
                ));
            }
        },
        Value::Bool(value) if mode == Mode::Lax => i128::from(*value),
        Value::String(text) if mode == Mode::Lax => parse_integer(text).ok_or_else(|| {
            Broken::new(
                "int_parsing",
                "Input should be a valid integer, unable to parse string as an integer",
            )
        })?,
        _ => return Err(wrong_type()),
    };
    Ok((integer_value(integer), Numeric::Integer(integer)))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the caller has compared it with the limits"
)]
fn truncated(value: f64) -> i128 {
    value as i128
}

/// `" +1_000.00 "` is a thousand.
fn parse_integer(text: &str) -> Option<i128> {
    let text = text.trim();
    let whole = match text.split_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|digit| digit == b'0') => {
            whole
        }
        Some(_) => return None,
        None => text,
    };
    without_separators(whole)?.parse().ok()
}

/// Single underscores between digits are for reading only.
fn without_separators(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_digit);
    let misplaced = |(index, byte): (usize, &u8)| {
        *byte == b'_' && !(index > 0 && digit(index - 1) && digit(index + 1))
    };
    if bytes.iter().enumerate().any(misplaced) {
        return None;
    }
    Some(text.replace('_', ""))
}

pub(super) fn float(input: &Value, mode: Mode) -> Result<(Value, Numeric), Broken> {
    let value = match input {
        Value::Number(number) => {
            let numeric = Numeric::of(number).unwrap_or(Numeric::Integer(0));
            return Ok((input.clone(), numeric));
        }
        Value::Bool(value) if mode == Mode::Lax => f64::from(u8::from(*value)),
        Value::String(text) if mode == Mode::Lax => {
            let parsed = without_separators(text.trim()).and_then(|text| text.parse().ok());
            parsed.ok_or_else(|| {
                Broken::new(
                    "float_parsing",
                    "Input should be a valid number, unable to parse string as a number",
                )
            })?
        }
        _ => return Err(Broken::new("float_type", "Input should be a valid number")),
    };
    if !value.is_finite() {
        return Err(not_finite());
    }
    Ok((Value::from(value), Numeric::Float(value)))
}

pub(super) fn not_finite() -> Broken {
    Broken::new("finite_number", "Input should be a finite number")
}

pub(super) fn boolean(input: &Value, mode: Mode) -> Result<Value, Broken> {
    let wrong_type = || Broken::new("bool_type", "Input should be a valid boolean");
    let interpreted = match input {
        Value::Bool(_) => return Ok(input.clone()),
        _ if mode == Mode::Strict => return Err(wrong_type()),
        Value::Number(number) => match Numeric::of(number) {
            Some(Numeric::Integer(0) | Numeric::Float(0.0)) => Some(false),
            Some(Numeric::Integer(1) | Numeric::Float(1.0)) => Some(true),
            Some(Numeric::Float(_)) => return Err(wrong_type()),
            _ => None,
        },
        Value::String(text) => match text.to_ascii_lowercase().as_str() {
            "0" | "off" | "f" | "false" | "n" | "no" => Some(false),
            "1" | "on" | "t" | "true" | "y" | "yes" => Some(true),
            _ => None,
        },
        _ => return Err(wrong_type()),
    };
    interpreted.map(Value::Bool).ok_or_else(|| {
        Broken::new(
            "bool_parsing",
            "Input should be a valid boolean, unable to interpret input",
        )
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checked against pydantic 2.13.
    #[test]
    fn coerces_as_far_as_pydantic() {
        for (input, expected) in [
            (json!("7"), Ok(json!(7))),
            (json!(" 7 "), Ok(json!(7))),
            (json!("+7"), Ok(json!(7))),
            (json!("1_000"), Ok(json!(1000))),
            (json!("00012"), Ok(json!(12))),
            (json!("1.00"), Ok(json!(1))),
            (json!(3.0), Ok(json!(3))),
            (json!(true), Ok(json!(1))),
            (json!("1__0"), Err("int_parsing")),
            (json!("_1"), Err("int_parsing")),
            (json!("1."), Err("int_parsing")),
            (json!(".0"), Err("int_parsing")),
            (json!("1.5"), Err("int_parsing")),
            (json!("1e3"), Err("int_parsing")),
            (json!("- 1"), Err("int_parsing")),
            (json!(""), Err("int_parsing")),
            (json!(3.5), Err("int_from_float")),
            (json!(null), Err("int_type")),
            (json!([]), Err("int_type")),
        ] {
            let coerced = integer(&input, Mode::Lax).map(|(value, _)| value);
            assert_eq!(coerced.map_err(|broken| broken.kind), expected, "{input}");
        }
        for (input, expected) in [
            (json!("1.5"), Ok(json!(1.5))),
            (json!(" 2 "), Ok(json!(2.0))),
            (json!("1_0.5"), Ok(json!(10.5))),
            (json!(true), Ok(json!(1.0))),
            (json!(5), Ok(json!(5))),
            (json!("x"), Err("float_parsing")),
            (json!(""), Err("float_parsing")),
            (json!("nan"), Err("finite_number")),
            (json!(null), Err("float_type")),
        ] {
            let coerced = float(&input, Mode::Lax).map(|(value, _)| value);
            assert_eq!(coerced.map_err(|broken| broken.kind), expected, "{input}");
        }
        for (input, expected) in [
            (json!(0), Ok(json!(false))),
            (json!(1.0), Ok(json!(true))),
            (json!("NO"), Ok(json!(false))),
            (json!("tRue"), Ok(json!(true))),
            (json!(2), Err("bool_parsing")),
            (json!(" true"), Err("bool_parsing")),
            (json!(0.5), Err("bool_type")),
            (json!(null), Err("bool_type")),
        ] {
            let coerced = boolean(&input, Mode::Lax);
            assert_eq!(coerced.map_err(|broken| broken.kind), expected, "{input}");
        }
    }
}
