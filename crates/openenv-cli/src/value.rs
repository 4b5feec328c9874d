//! Values of options that need more than a number: times and sizes.

use std::str::FromStr;
use std::time::Duration;

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
    let seconds: f64 = text.trim().parse().ok()?;
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
        for text in ["", "-1", "nan", "inf", "1e10", "30s"] {
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
}
