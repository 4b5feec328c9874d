//! Constraints on numbers and texts, and the violations they report.

use regex::Regex;
use serde_json::{Map, Number, Value};

/// What a value broke: kind, message and context of the violation.
#[derive(Debug, PartialEq)]
pub(super) struct Broken {
    pub(super) kind: &'static str,
    pub(super) message: String,
    pub(super) context: Map<String, Value>,
}

impl Broken {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            context: Map::new(),
        }
    }

    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.context.insert(key.to_owned(), value.into());
        self
    }
}

/// A number of either kind, compared without loss where that is possible.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Numeric {
    Integer(i128),
    Float(f64),
}

impl Numeric {
    pub(super) fn of(number: &Number) -> Option<Self> {
        let integer = number
            .as_i64()
            .map(i128::from)
            .or_else(|| number.as_u64().map(i128::from));
        match integer {
            Some(integer) => Some(Self::Integer(integer)),
            None => number.as_f64().map(Self::Float),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "next to a float, an integer is a float too"
    )]
    fn as_float(self) -> f64 {
        match self {
            Self::Integer(integer) => integer as f64,
            Self::Float(float) => float,
        }
    }

    fn compare(self, other: Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => Some(one.cmp(&other)),
            _ => self.as_float().partial_cmp(&other.as_float()),
        }
    }

    fn is_multiple_of(self, step: Self) -> bool {
        match (self, step) {
            (Self::Integer(_), Self::Integer(0)) => true,
            (Self::Integer(value), Self::Integer(step)) => value % step == 0,
            _ => {
                let remainder = (self.as_float() % step.as_float()).abs();
                // Tenths are not exact: 0.3 is a multiple of 0.1 all the same.
                let threshold = self.as_float().abs() / 1e9;
                remainder <= threshold || (remainder - step.as_float().abs()).abs() <= threshold
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    MultipleOf,
    Maximum,
    ExclusiveMaximum,
    Minimum,
    ExclusiveMinimum,
}

/// Bounds of a number, in the order in which they are checked.
#[derive(Debug, Default)]
pub(super) struct Limits(Vec<(Bound, Numeric)>);

impl Limits {
    /// Bounds of a float are reported as floats.
    pub(super) fn of(schema: &Map<String, Value>, integer: bool) -> Self {
        let bounds = [
            ("multipleOf", Bound::MultipleOf),
            ("maximum", Bound::Maximum),
            ("exclusiveMaximum", Bound::ExclusiveMaximum),
            ("minimum", Bound::Minimum),
            ("exclusiveMinimum", Bound::ExclusiveMinimum),
        ];
        let read = |(keyword, bound)| {
            let limit = Numeric::of(schema.get(keyword)?.as_number()?)?;
            let limit = if integer {
                limit
            } else {
                Numeric::Float(limit.as_float())
            };
            Some((bound, limit))
        };
        Self(bounds.into_iter().filter_map(read).collect())
    }

    pub(super) fn hold(&self, value: Numeric) -> bool {
        self.0
            .iter()
            .all(|(bound, limit)| bound.holds(value, *limit))
    }

    pub(super) fn broken(&self, value: Numeric) -> Option<Broken> {
        let (bound, limit) = self
            .0
            .iter()
            .find(|(bound, limit)| !bound.holds(value, *limit))?;
        let (kind, wording, key) = match bound {
            Bound::MultipleOf => ("multiple_of", "a multiple of", "multiple_of"),
            Bound::Maximum => ("less_than_equal", "less than or equal to", "le"),
            Bound::ExclusiveMaximum => ("less_than", "less than", "lt"),
            Bound::Minimum => ("greater_than_equal", "greater than or equal to", "ge"),
            Bound::ExclusiveMinimum => ("greater_than", "greater than", "gt"),
        };
        let (shown, limit) = match *limit {
            Numeric::Integer(limit) => (limit.to_string(), integer_value(limit)),
            Numeric::Float(limit) => (limit.to_string(), Value::from(limit)),
        };
        Some(Broken::new(kind, format!("Input should be {wording} {shown}")).with(key, limit))
    }
}

impl Bound {
    fn holds(self, value: Numeric, limit: Numeric) -> bool {
        let Some(order) = value.compare(limit) else {
            return false;
        };
        match self {
            Self::MultipleOf => value.is_multiple_of(limit),
            Self::Maximum => order.is_le(),
            Self::ExclusiveMaximum => order.is_lt(),
            Self::Minimum => order.is_ge(),
            Self::ExclusiveMinimum => order.is_gt(),
        }
    }
}

/// The integer as exactly as a JSON value can hold it.
#[expect(
    clippy::cast_precision_loss,
    reason = "a JSON value has no room for more"
)]
pub(super) fn integer_value(integer: i128) -> Value {
    if let Ok(integer) = i64::try_from(integer) {
        Value::from(integer)
    } else if let Ok(integer) = u64::try_from(integer) {
        Value::from(integer)
    } else {
        Value::from(integer as f64)
    }
}

/// Constraints on a text; lengths count characters.
#[derive(Debug, Default)]
pub(super) struct TextRules {
    minimum: Option<usize>,
    maximum: Option<usize>,
    pattern: Option<Regex>,
}

impl TextRules {
    /// # Errors
    /// If the pattern is not a regular expression.
    pub(super) fn of(schema: &Map<String, Value>) -> Result<Self, String> {
        let pattern = match schema.get("pattern").and_then(Value::as_str) {
            Some(pattern) => Some(
                Regex::new(pattern)
                    .map_err(|error| format!("pattern `{pattern}` cannot be used: {error}"))?,
            ),
            None => None,
        };
        Ok(Self {
            minimum: size(schema, "minLength"),
            maximum: size(schema, "maxLength"),
            pattern,
        })
    }

    pub(super) fn hold(&self, text: &str) -> bool {
        self.length_holds(text) && self.pattern_holds(text)
    }

    fn length_holds(&self, text: &str) -> bool {
        // A text has at most as many characters as bytes, and at least a quarter.
        let certain = self.minimum.is_none_or(|minimum| minimum * 4 <= text.len())
            && self.maximum.is_none_or(|maximum| text.len() <= maximum);
        certain || {
            let length = text.chars().count();
            self.minimum.is_none_or(|minimum| minimum <= length)
                && self.maximum.is_none_or(|maximum| length <= maximum)
        }
    }

    fn pattern_holds(&self, text: &str) -> bool {
        self.pattern
            .as_ref()
            .is_none_or(|pattern| pattern.is_match(text))
    }

    pub(super) fn broken(&self, text: &str) -> Option<Broken> {
        let length = text.chars().count();
        let characters = |count| plural(count, "character");
        match (self.minimum, self.maximum) {
            (Some(minimum), _) if length < minimum => Some(
                Broken::new(
                    "string_too_short",
                    format!("String should have at least {}", characters(minimum)),
                )
                .with("min_length", minimum),
            ),
            (_, Some(maximum)) if length > maximum => Some(
                Broken::new(
                    "string_too_long",
                    format!("String should have at most {}", characters(maximum)),
                )
                .with("max_length", maximum),
            ),
            _ if !self.pattern_holds(text) => self.pattern.as_ref().map(|pattern| {
                Broken::new(
                    "string_pattern_mismatch",
                    format!("String should match pattern '{pattern}'"),
                )
                .with("pattern", pattern.as_str())
            }),
            _ => None,
        }
    }
}

/// A keyword that counts something.
pub(super) fn size(schema: &Map<String, Value>, keyword: &str) -> Option<usize> {
    usize::try_from(schema.get(keyword)?.as_u64()?).ok()
}

/// `1 character`, `2 characters`.
pub(super) fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
