//! Texts of the wanted length, pattern or format.

use fastrand::Rng;

use super::super::misfit::Misfit;
use super::super::node::Node;
use super::{Manner, pattern};

/// Nobody wants to read more, and no schema means it.
const MAX_LENGTH: usize = 1 << 20;
/// Random texts have up to so many words, if they may.
const MAX_WORDS: usize = 3;

const WORDS: [&str; 24] = [
    "hello", "world", "apple", "river", "stone", "cloud", "green", "light", "paper", "music",
    "table", "night", "seven", "north", "happy", "quick", "brown", "tiger", "ocean", "bread",
    "chair", "dream", "house", "smile",
];

pub(super) fn text(rng: &mut Rng, manner: Manner, node: &Node) -> Result<String, Misfit> {
    let minimum = node.count("minLength").unwrap_or(0);
    let maximum = node.count("maxLength").unwrap_or(usize::MAX);
    if minimum > maximum || minimum > MAX_LENGTH {
        return Err(Misfit::new(format!(
            "there is no text of {minimum} to {maximum} characters"
        )));
    }
    if let Some(pattern) = node.text("pattern") {
        return pattern::text(rng, pattern, minimum..=maximum);
    }
    if let Some(text) = node
        .text("format")
        .and_then(|format| formatted(rng, format))
    {
        return Ok(text);
    }
    Ok(words(rng, manner, minimum, maximum))
}

fn words(rng: &mut Rng, manner: Manner, minimum: usize, maximum: usize) -> String {
    let mut missing = match manner {
        Manner::Plain => 1,
        Manner::Random => rng.usize(1..=MAX_WORDS),
    };
    let mut text = String::new();
    while missing > 0 || text.len() < minimum {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(match manner {
            Manner::Plain => WORDS[0],
            Manner::Random => rng.choice(WORDS).unwrap_or_default(),
        });
        missing = missing.saturating_sub(1);
        if text.len() >= maximum {
            break;
        }
    }
    text.truncate(maximum);
    text
}

/// A value of the shape that the format asks for.
fn formatted(rng: &mut Rng, format: &str) -> Option<String> {
    let mut date = || format!("2024-{:02}-{:02}", rng.u8(1..=12), rng.u8(1..=28));
    Some(match format {
        "date" => date(),
        "date-time" => {
            let date = date();
            format!("{date}T{}", time(rng))
        }
        "time" => time(rng),
        "duration" => format!("PT{}S", rng.u8(1..=60)),
        "uuid" => {
            let [a, b, c] = [rng.u32(..), rng.u32(..), rng.u32(..)];
            let (version, variant) = (b & 0xfff, 0x8000 | (c & 0x3fff));
            format!(
                "{a:08x}-{:04x}-4{version:03x}-{variant:04x}-{:012x}",
                b >> 16,
                rng.u64(..) >> 16
            )
        }
        "email" => format!("{}@example.com", rng.choice(WORDS)?),
        "uri" | "url" => format!("https://example.com/{}", rng.choice(WORDS)?),
        "hostname" => format!("{}.example.com", rng.choice(WORDS)?),
        // Addresses that are reserved for documentation.
        "ipv4" => format!("192.0.2.{}", rng.u8(1..=254)),
        "ipv6" => format!("2001:db8::{:x}", rng.u16(1..)),
        _ => return None,
    })
}

fn time(rng: &mut Rng) -> String {
    format!(
        "{:02}:{:02}:{:02}Z",
        rng.u8(..24),
        rng.u8(..60),
        rng.u8(..60)
    )
}
