//! Where two episodes differ that should be the same.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::episode::{Exchange, Operation, Transcript, shortened};

/// A number this close to now is the time.
const AROUND_NOW: Duration = Duration::from_hours(24);

/// A value that two episodes do not share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Difference {
    /// Such as `step 2`
    pub(crate) place: String,
    /// Such as `observation.board[3]`
    pub(crate) path: String,
    pub(crate) left: Option<Value>,
    pub(crate) right: Option<Value>,
}

impl Difference {
    /// Whether the value is of a kind that differs by nature: a time, or a name that is made up.
    pub(crate) fn is_natural(&self) -> bool {
        let (Some(left), Some(right)) = (&self.left, &self.right) else {
            return false;
        };
        let key = self.path.rsplit('.').next().unwrap_or(&self.path);
        let key = key.to_ascii_lowercase();
        is_moment(left) && is_moment(right)
            || is_made_up_name(&key, left) && is_made_up_name(&key, right)
            || is_time_taken(&key) && left.is_number() && right.is_number()
    }

    pub(crate) fn describe(&self) -> String {
        let written = |value: &Option<Value>| match value {
            Some(value) => shortened(&value.to_string()),
            None => "nothing".to_owned(),
        };
        format!(
            "{}: `{}` was {} and then {}",
            self.place,
            self.path,
            written(&self.left),
            written(&self.right)
        )
    }
}

/// All values in which the observations, rewards and endings of two episodes differ.
pub(crate) fn differences(left: &Transcript, right: &Transcript) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut rights = right.observations();
    for (index, exchange) in left.observations() {
        let place = left.place(index);
        let Some((_, other)) = rights.next() else {
            found.push(missing(place, "the episode goes on", "it was over"));
            return found;
        };
        compare(exchange, other, &place, &mut found);
    }
    if let Some((index, _)) = rights.next() {
        let place = right.place(index);
        found.push(missing(place, "it was over", "the episode goes on"));
    }
    found
}

/// The values in which what two resets returned differ.
pub(crate) fn reset_differences(left: &Transcript, right: &Transcript) -> Vec<Difference> {
    let first = |transcript: &Transcript| {
        let mut observations = transcript.observations();
        let reset = observations.find(|(_, exchange)| exchange.operation == Operation::Reset);
        reset.map(|(_, exchange)| exchange.clone())
    };
    let mut found = Vec::new();
    if let (Some(left), Some(right)) = (first(left), first(right)) {
        compare(&left, &right, "reset", &mut found);
    }
    found
}

fn missing(place: String, left: &str, right: &str) -> Difference {
    Difference {
        place,
        path: "done".to_owned(),
        left: Some(left.into()),
        right: Some(right.into()),
    }
}

fn compare(left: &Exchange, right: &Exchange, place: &str, found: &mut Vec<Difference>) {
    for part in ["observation", "reward", "done"] {
        let (left, right) = (left.data().get(part), right.data().get(part));
        walk(part.to_owned(), left, right, &mut |path, left, right| {
            found.push(Difference {
                place: place.to_owned(),
                path,
                left,
                right,
            });
        });
    }
}

fn walk(
    path: String,
    left: Option<&Value>,
    right: Option<&Value>,
    found: &mut impl FnMut(String, Option<Value>, Option<Value>),
) {
    match (left, right) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let names: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for name in names {
                let path = format!("{path}.{name}");
                walk(path, left.get(name), right.get(name), found);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(format!("{path}[{index}]"), Some(left), Some(right), found);
            }
        }
        (left, right) if left == right => {}
        (left, right) => found(path, left.cloned(), right.cloned()),
    }
}

/// Whether the value is a point in time, as text or as a number.
fn is_moment(value: &Value) -> bool {
    match value {
        Value::String(text) => is_date(text),
        Value::Number(number) => {
            let now = SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default();
            let (now, around) = (now.as_secs_f64(), AROUND_NOW.as_secs_f64());
            let number = number.as_f64().unwrap_or_default();
            // In seconds, milliseconds, microseconds or nanoseconds.
            [1.0, 1e3, 1e6, 1e9]
                .iter()
                .any(|unit| (number / unit - now).abs() < around)
        }
        _ => false,
    }
}

/// Such as `2026-01-31T12:00:00Z`.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = b"0000-00-00";
    bytes.len() >= 19
        && bytes.iter().zip(shape).all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
        && matches!(bytes[10], b'T' | b't' | b' ')
        && bytes[13] == b':'
}

/// Whether the value is a UUID, or a long number in hexadecimal that is called an id.
fn is_made_up_name(key: &str, value: &Value) -> bool {
    let Value::String(text) = value else {
        return false;
    };
    let digits: String = text.chars().filter(|character| *character != '-').collect();
    let hexadecimal = !digits.is_empty()
        && digits
            .chars()
            .all(|character| character.is_ascii_hexdigit());
    let is_uuid = hexadecimal && digits.len() == 32;
    let called_so = ["id", "hash", "uuid", "token", "session"]
        .iter()
        .any(|word| key.ends_with(word));
    is_uuid || called_so && hexadecimal && digits.len() >= 8
}

fn is_time_taken(key: &str) -> bool {
    ["elapsed", "duration", "latency", "time", "seconds", "_ms"]
        .iter()
        .any(|word| key.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn natural(path: &str, left: Value, right: Value) -> bool {
        Difference {
            place: String::new(),
            path: path.to_owned(),
            left: Some(left),
            right: Some(right),
        }
        .is_natural()
    }

    #[test]
    fn times_and_made_up_names_differ_by_nature() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!(natural(
            "observation.at",
            json!(now.as_secs_f64()),
            json!(now.as_secs_f64() + 0.5)
        ));
        assert!(natural(
            "observation.id",
            json!("6f9619ff-8b86-d011-b42d-00c04fc964ff"),
            json!("16fd2706-8baf-433b-82eb-8c7fada847da")
        ));
        assert!(natural(
            "observation.session_hash",
            json!("0123456789abcdef"),
            json!("fedcba9876543210")
        ));
        assert!(natural(
            "observation.started",
            json!("2026-01-31T12:00:00Z"),
            json!("2026-01-31 12:00:01")
        ));
        assert!(natural("observation.elapsed_ms", json!(1.5), json!(2)));
    }

    #[test]
    fn other_values_do_not() {
        assert!(!natural("observation.score", json!(1), json!(2)));
        assert!(!natural("observation.text", json!("abc"), json!("abd")));
        assert!(!natural("reward", json!(0.5), json!(0.25)));
        assert!(!natural("observation.id", json!("north"), json!("south")));
    }
}
