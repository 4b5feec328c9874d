//! Values of options that need more than a number: times, sizes, addresses.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

mod control_listen;

pub use control_listen::ControlListen;

/// Whether there is a page at `/web`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Web {
    /// On addresses of this machine, in simulation
    Auto,
    /// On every address, in simulation
    Simulation,
    /// Wherever sessions can be controlled
    On,
    /// Nowhere
    Off,
}

impl fmt::Display for Web {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Simulation => "simulation",
            Self::On => "on",
            Self::Off => "off",
        })
    }
}

/// A time in seconds, zero or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds(pub Duration);

/// A time in seconds, more than zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PositiveSeconds(pub Duration);

/// A time in seconds, more than zero, or `never`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondsOrNever(pub Option<Duration>);

/// A number of bytes, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSize(pub usize);

/// Longer than any server runs; longer times overflow the clocks of timers.
const MAX_SECONDS: f64 = 1e9;

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        seconds(
            text,
            "expected a number of seconds, 0 or more, such as `30` or `0.5`",
        )
        .map(Self)
    }
}

impl FromStr for PositiveSeconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected a number of seconds above 0, such as `20` or `0.5`";
        above_zero(seconds(text, expected)?, expected).map(Self)
    }
}

impl FromStr for SecondsOrNever {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("never") {
            return Ok(Self(None));
        }
        let expected = "expected a number of seconds above 0, such as `900`, or `never`";
        above_zero(seconds(text, expected)?, expected).map(|time| Self(Some(time)))
    }
}

fn seconds(text: &str, expected: &str) -> Result<Duration, String> {
    let text = text.trim();
    let number = text.strip_suffix('s').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(seconds) if (0.0..=MAX_SECONDS).contains(&seconds) => {
            Ok(Duration::from_secs_f64(seconds))
        }
        Ok(seconds) if seconds > MAX_SECONDS => {
            Err("too large: at most a billion seconds are allowed".to_owned())
        }
        _ => Err(expected.to_owned()),
    }
}

fn above_zero(time: Duration, expected: &str) -> Result<Duration, String> {
    if time.is_zero() {
        return Err(expected.to_owned());
    }
    Ok(time)
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
        assert_eq!("30s".parse(), Ok(Seconds(Duration::from_secs(30))));
        for text in ["", "-1", "nan", "inf", "1e10", "30m", "s"] {
            assert!(text.parse::<Seconds>().is_err(), "{text}");
        }
        assert!("0".parse::<PositiveSeconds>().is_err());
        let refused = |text: &str| text.parse::<PositiveSeconds>().unwrap_err();
        assert!(refused("1e30").contains("too large"));
        assert!(refused("-1").contains("above 0"));
    }

    #[test]
    fn sessions_can_live_for_ever() {
        assert_eq!("never".parse(), Ok(SecondsOrNever(None)));
        let minute = SecondsOrNever(Some(Duration::from_mins(1)));
        assert_eq!("60".parse(), Ok(minute));
        assert!("0".parse::<SecondsOrNever>().is_err());
    }
}
