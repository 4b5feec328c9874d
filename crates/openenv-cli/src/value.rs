//! Values of options that need more than a number: limits, headers, JSON.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use serde_json::value::RawValue;

mod variable;

pub(crate) use variable::{TypedVariable, Variable};

/// A header of a request.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// An argument of a reset.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResetArgument {
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// How many errors are too many.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ErrorLimit {
    /// More than this number.
    Count(u64),
    /// More than this share, from 0 to 1: of the sessions when they are opened, of
    /// the calls after that.
    Share(f64),
}

impl FromStr for Header {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self {
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => Err("expected a name and a value, such as `authorization: Bearer …`".to_owned()),
        }
    }
}

/// It may be a secret.
impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Header({}: …)", self.name)
    }
}

impl FromStr for ResetArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or("expected a name and a value, such as `level=3` or `map=maze`")?;
        let value = match serde_json::from_str(value) {
            Ok(value) => value,
            // Whoever begins like this meant JSON.
            Err(error) if value.trim_start().starts_with(['{', '[', '"']) => {
                return Err(format!("begins like JSON, but is none: {error}"));
            }
            // A shell eats the quotes that a text in JSON needs.
            Err(_) => Value::String(value.to_owned()),
        };
        Ok(Self {
            name: name.trim().to_owned(),
            value,
        })
    }
}

impl ErrorLimit {
    pub(crate) fn is_exceeded(self, errors: u64, calls: u64) -> bool {
        match self {
            Self::Count(limit) => errors > limit,
            #[expect(
                clippy::cast_precision_loss,
                reason = "a share need not be exact to the last digit"
            )]
            Self::Share(limit) => errors as f64 > limit * calls as f64,
        }
    }
}

impl fmt::Display for ErrorLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(limit) => limit.fmt(f),
            Self::Share(limit) => write!(f, "{}%", limit * 100.0),
        }
    }
}

impl FromStr for ErrorLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected a whole number of errors, 0 or more, or a share such as `1%`";
        let Some(percent) = text.trim().strip_suffix('%') else {
            let count = text.trim().parse().map(Self::Count);
            return count.map_err(|_| expected.to_owned());
        };
        match percent.parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(Self::Share(percent / 100.0)),
            Ok(percent) if percent > 100.0 => Err("too large: at most `100%`".to_owned()),
            _ => Err(expected.to_owned()),
        }
    }
}

/// Reads a number of processors.
pub(crate) fn cpus(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(cpus) if cpus.is_finite() && cpus > 0.0 => Ok(cpus),
        _ => Err("expected a number of processors above 0, such as `2` or `0.5`".to_owned()),
    }
}

/// Reads the seed of a reset: any whole number that the protocol can carry.
pub(crate) fn seed(text: &str) -> Result<i128, String> {
    text.trim()
        .parse()
        .map_err(|_| "expected a whole number of at most 128 bits, such as `7` or `-7`".to_owned())
}

/// Reads a number of steps.
pub(crate) fn steps(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(steps) if steps > 0 => Ok(steps),
        _ => Err("expected a whole number of steps above 0".to_owned()),
    }
}

/// Reads a JSON object, which is kept as it is written.
pub(crate) fn object(text: &str) -> Result<Box<RawValue>, String> {
    let expected = r#"expected a JSON object, in quotes for the shell: '{"message": "Hello"}'"#;
    // Of what was never meant as an object, the parser has nothing useful to say.
    if !text.trim_start().starts_with('{') {
        return Err(expected.to_owned());
    }
    serde_json::from_str(text).map_err(|error| format!("{expected} ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_hide_their_value() {
        let header: Header = "Authorization:  Bearer a:b ".parse().unwrap();
        assert_eq!(
            (&*header.name, &*header.value),
            ("Authorization", "Bearer a:b")
        );
        assert!(!format!("{header:?}").contains("Bearer"));
        assert!("no colon".parse::<Header>().is_err());
        assert!(": value".parse::<Header>().is_err());
    }

    #[test]
    fn reset_arguments_are_json_or_text() {
        for (text, value) in [
            (r#"map="a=b""#, Value::from("a=b")),
            ("map=maze", "maze".into()),
            ("map=", "".into()),
            ("map=3", 3.into()),
            ("map=3 rooms", "3 rooms".into()),
            ("map=[1]", vec![1].into()),
        ] {
            let argument: ResetArgument = text.parse().unwrap();
            assert_eq!((&*argument.name, argument.value), ("map", value), "{text}");
        }
        for text in ["map", "=1", "map={level: 1}", "map=[1"] {
            assert!(text.parse::<ResetArgument>().is_err(), "{text}");
        }
    }

    #[test]
    fn seeds_are_any_whole_number() {
        for number in [-1, 0, i128::from(u64::MAX) + 1, i128::MIN, i128::MAX] {
            assert_eq!(seed(&number.to_string()), Ok(number));
        }
        for text in [
            "",
            "soon",
            "1.5",
            "999999999999999999999999999999999999999999",
        ] {
            assert!(seed(text).unwrap_err().contains("whole number"), "{text}");
        }
    }

    #[test]
    fn errors_are_limited_by_number_or_share() {
        let limit: ErrorLimit = "2".parse().unwrap();
        assert!(!limit.is_exceeded(2, 2));
        assert!(limit.is_exceeded(3, 1_000_000));
        let limit: ErrorLimit = "1%".parse().unwrap();
        assert_eq!(limit.to_string(), "1%");
        assert!(!limit.is_exceeded(10, 1000));
        assert!(limit.is_exceeded(11, 1000));
        for text in ["", "-1", "1.5", "101%", "%", "nan%"] {
            assert!(text.parse::<ErrorLimit>().is_err(), "{text}");
        }
        let refused = |text: &str| text.parse::<ErrorLimit>().unwrap_err();
        assert!(refused("150%").contains("too large"));
        assert!(refused("-1").contains("0 or more"));
    }

    #[test]
    fn actions_are_objects() {
        assert_eq!(object(r#" {"a": 1} "#).unwrap().get(), r#"{"a": 1}"#);
        for text in ["", "{", "[]", "{a: 1}", "1"] {
            assert!(object(text).is_err(), "{text}");
        }
    }
}
