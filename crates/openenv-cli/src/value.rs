//! Values of options that need more than a number: times, sizes, limits, JSON.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde_json::Value;
use serde_json::value::RawValue;

/// A time in seconds, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seconds(pub(crate) Duration);

/// A time in seconds, more than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PositiveSeconds(pub(crate) Duration);

/// A time in seconds, more than zero, or `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SecondsOrNever(pub(crate) Option<Duration>);

/// A number of bytes, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ByteSize(pub(crate) usize);

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
    /// More than this share of all calls, from 0 to 1.
    Share(f64),
}

/// Longer than any server runs; longer times overflow the clocks of timers.
const MAX_SECONDS: f64 = 1e9;

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        seconds(text)
            .map(Self)
            .ok_or_else(|| "expected a number of seconds, such as `30` or `0.5`".to_owned())
    }
}

impl FromStr for PositiveSeconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        seconds(text)
            .filter(|time| !time.is_zero())
            .map(Self)
            .ok_or_else(|| "expected a number of seconds above 0, such as `20` or `0.5`".to_owned())
    }
}

impl FromStr for SecondsOrNever {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("never") {
            return Ok(Self(None));
        }
        match seconds(text) {
            Some(time) if !time.is_zero() => Ok(Self(Some(time))),
            _ => Err("expected a number of seconds above 0, such as `900`, or `never`".to_owned()),
        }
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim();
    let number = text.strip_suffix('s').unwrap_or(text);
    let seconds: f64 = number.parse().ok()?;
    (0.0..=MAX_SECONDS)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        bytes(text).map(Self).ok_or_else(|| {
            "expected a number of bytes above 0, such as `1000000`, `64MiB` or `1GB`".to_owned()
        })
    }
}

fn bytes(text: &str) -> Option<usize> {
    let text = text.trim();
    let digits = text
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit: usize = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        _ => return None,
    };
    let bytes = number.parse::<usize>().ok()?.checked_mul(unit)?;
    (bytes > 0).then_some(bytes)
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
        let expected = "expected a name and a value in JSON, such as `level=3` or `map=\"maze\"`";
        let (name, value) = text
            .split_once('=')
            .filter(|(name, _)| !name.trim().is_empty())
            .ok_or(expected)?;
        let value = serde_json::from_str(value).map_err(|error| format!("{error}; {expected}"))?;
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
        let limit = match text.trim().strip_suffix('%') {
            None => text.trim().parse().ok().map(Self::Count),
            Some(percent) => percent
                .parse::<f64>()
                .ok()
                .filter(|percent| (0.0..=100.0).contains(percent))
                .map(|percent| Self::Share(percent / 100.0)),
        };
        limit.ok_or_else(|| "expected a number of errors, or a share such as `1%`".to_owned())
    }
}

/// Reads a JSON object, which is kept as it is written.
pub(crate) fn object(text: &str) -> Result<Box<RawValue>, String> {
    let expected = r#"expected a JSON object such as `{"message": "Hello"}`"#;
    let read: Box<RawValue> =
        serde_json::from_str(text).map_err(|error| format!("{error}; {expected}"))?;
    if read.get().starts_with('{') {
        Ok(read)
    } else {
        Err(expected.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, expected) in [
            ("1", 1),
            ("1000", 1_000),
            ("64MiB", 64 << 20),
            ("64 mib", 64 << 20),
            ("2k", 2_000),
            ("1GB", 1_000_000_000),
            ("1Gi", 1 << 30),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(expected)), "{text}");
        }
        for text in ["", "0", "-1", "1.5MiB", "MiB", "1TiBs", "99999999999999GiB"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn times_are_finite_and_not_negative() {
        assert_eq!("0.5".parse(), Ok(Seconds(Duration::from_millis(500))));
        assert_eq!("0".parse(), Ok(Seconds(Duration::ZERO)));
        assert_eq!("30s".parse(), Ok(Seconds(Duration::from_secs(30))));
        for text in ["", "-1", "nan", "inf", "1e10", "30m", "s"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        assert!("0".parse::<PositiveSeconds>().is_err());
    }

    #[test]
    fn sessions_can_live_for_ever() {
        assert_eq!("never".parse(), Ok(SecondsOrNever(None)));
        let minute = SecondsOrNever(Some(Duration::from_mins(1)));
        assert_eq!("60".parse(), Ok(minute));
        assert!("0".parse::<SecondsOrNever>().is_err());
    }

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
    fn reset_arguments_are_json() {
        let argument: ResetArgument = r#"map="a=b""#.parse().unwrap();
        assert_eq!((&*argument.name, argument.value), ("map", "a=b".into()));
        for text in ["map", "=1", "map=maze"] {
            assert!(text.parse::<ResetArgument>().is_err(), "{text}");
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
    }

    #[test]
    fn actions_are_objects() {
        assert_eq!(object(r#" {"a": 1} "#).unwrap().get(), r#"{"a": 1}"#);
        for text in ["", "{", "[]", "{a: 1}", "1"] {
            assert!(object(text).is_err(), "{text}");
        }
    }
}
