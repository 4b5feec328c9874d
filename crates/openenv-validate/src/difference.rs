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
        let key = words(self.path.rsplit('.').next().unwrap_or(&self.path));
        is_moment(left) && is_moment(right)
            || is_made_up_name(&key, left) && is_made_up_name(&key, right)
            || is_time(&key) && left.is_number() && right.is_number()
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

/// Such as `2026-01-31T12:00:00Z`, if that is around now: other dates are chosen.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_time =
        bytes.len() >= 16 && matches!(bytes[10], b'T' | b't' | b' ') && bytes[13] == b':';
    let now = SystemTime::now();
    has_time
        && [now - AROUND_NOW, now, now + AROUND_NOW]
            .into_iter()
            .any(|day| {
                let day = humantime::format_rfc3339(day).to_string();
                day.as_bytes()[..10] == bytes[..10]
            })
}

/// Whether the value is a UUID, or a long number in hexadecimal that is called an id.
fn is_made_up_name(key: &[String], value: &Value) -> bool {
    let Value::String(text) = value else {
        return false;
    };
    let digits: String = text.chars().filter(|character| *character != '-').collect();
    let hexadecimal = !digits.is_empty()
        && digits
            .chars()
            .all(|character| character.is_ascii_hexdigit());
    let is_uuid = hexadecimal && digits.len() == 32;
    let called_so = has_any(key, &["id", "uuid", "guid", "token", "nonce", "session"]);
    is_uuid || called_so && hexadecimal && digits.len() >= 8
}

/// Whether a number of this name is a time that was taken, or a point in time.
fn is_time(key: &[String]) -> bool {
    const TIMES: [&str; 8] = [
        "elapsed",
        "duration",
        "latency",
        "timestamp",
        "uptime",
        "took",
        "walltime",
        "clock",
    ];
    const UNITS: [&str; 8] = [
        "ms",
        "us",
        "ns",
        "s",
        "sec",
        "secs",
        "seconds",
        "milliseconds",
    ];
    const EVENTS: [&str; 8] = [
        "created", "updated", "modified", "started", "ended", "finished", "received", "sent",
    ];
    let among = |words: &[&str], word: &String| words.contains(&word.as_str());
    match key {
        key if has_any(key, &TIMES) => true,
        // A unit alone may be anything.
        [_, .., unit] if among(&UNITS, unit) => true,
        [.., event, at] => at == "at" && among(&EVENTS, event),
        _ => false,
    }
}

fn has_any(key: &[String], words: &[&str]) -> bool {
    key.iter().any(|word| words.contains(&word.as_str()))
}

/// The words of a name such as `elapsed_ms`, `elapsedMs` or `times[3]`, in lower case.
fn words(name: &str) -> Vec<String> {
    let name = name.split('[').next().unwrap_or_default();
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        let begins = character.is_uppercase() && was_lower;
        if begins || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
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
            json!(humantime::format_rfc3339(SystemTime::now()).to_string()),
            json!(humantime::format_rfc3339(SystemTime::now() + AROUND_NOW).to_string())
        ));
        for name in [
            "elapsed_ms",
            "stepMs",
            "created_at",
            "timestamp",
            "wait_seconds",
        ] {
            let path = format!("observation.{name}");
            assert!(natural(&path, json!(1.5), json!(2)), "{name}");
        }
    }

    #[test]
    fn other_values_do_not() {
        assert!(!natural("observation.score", json!(1), json!(2)));
        assert!(!natural("observation.text", json!("abc"), json!("abd")));
        assert!(!natural("reward", json!(0.5), json!(0.25)));
        assert!(!natural("observation.id", json!("north"), json!("south")));
    }

    #[test]
    fn words_are_whole() {
        for name in [
            "items",
            "programs_left",
            "times_tried",
            "ms",
            "seconds",
            "lifetime",
            "time",
        ] {
            let path = format!("observation.{name}");
            assert!(!natural(&path, json!(1), json!(2)), "{name}");
        }
        let (left, right) = (json!("0123456789abcdef"), json!("fedcba9876543210"));
        assert!(!natural("observation.grid", left.clone(), right.clone()));
        assert!(!natural("observation.board_hash", left, right));
    }

    #[test]
    fn dates_that_are_chosen_are_not_now() {
        let (left, right) = ("1999-01-31T12:00:00Z", "1999-02-01T12:00:00Z");
        assert!(!natural("observation.departure", json!(left), json!(right)));
    }
}
