//! Texts that match a regular expression.

use std::ops::RangeInclusive;

use fastrand::Rng;
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::super::misfit::Misfit;

/// Anchors and lookarounds are not heeded, and lengths only hit by chance.
const MAX_ATTEMPTS: usize = 300;
/// What may repeat for ever repeats up to so many times more than it must.
const MORE_REPETITIONS: usize = 3;
/// Longer texts repeat nothing that they do not have to.
const LONG: usize = 10_000;

pub(super) fn text(
    rng: &mut Rng,
    pattern: &str,
    length: RangeInclusive<usize>,
) -> Result<String, Misfit> {
    let (Ok(regex), Ok(hir)) = (Regex::new(pattern), regex_syntax::parse(pattern)) else {
        // Python's look-arounds and references to groups, mostly.
        let reason = format!("the pattern `{pattern}` is beyond this command");
        return Err(Misfit::new(reason));
    };
    for attempt in 0..MAX_ATTEMPTS {
        // Short ones read best; long ones are only needed for a minimum that short ones miss.
        let more = match attempt % 2 {
            0 => MORE_REPETITIONS,
            _ => MORE_REPETITIONS.max((*length.start()).min(LONG)),
        };
        let mut writer = Writer {
            rng,
            more,
            text: String::new(),
        };
        writer.write(&hir);
        let text = writer.text;
        if length.contains(&text.chars().count()) && regex.is_match(&text) {
            return Ok(text);
        }
    }
    Err(Misfit::new(format!("found no text like `{pattern}`")))
}

struct Writer<'a> {
    rng: &'a mut Rng,
    more: usize,
    text: String,
}

impl Writer<'_> {
    fn write(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => self.text.push_str(&String::from_utf8_lossy(&literal.0)),
            HirKind::Class(class) => {
                let character = self.character(class);
                self.text.extend(character);
            }
            HirKind::Repetition(repetition) => {
                for _ in 0..self.times(repetition) {
                    self.write(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.write(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.write(part)),
            HirKind::Alternation(parts) => {
                if let Some(part) = self.rng.choice(parts) {
                    self.write(part);
                }
            }
        }
    }

    fn times(&mut self, repetition: &Repetition) -> usize {
        let count = |times: u32| usize::try_from(times).unwrap_or(usize::MAX);
        let minimum = count(repetition.min);
        if self.text.len() > LONG {
            return minimum;
        }
        let maximum = repetition.max.map_or(usize::MAX, count);
        let most = maximum.min(minimum.saturating_add(self.more));
        // The ends are likelier than chance has it, to meet lengths that are asked for.
        match self.rng.u8(..4) {
            0 => most,
            _ => self.rng.usize(minimum..=most),
        }
    }

    /// One of the class, from ASCII if it has any that can be seen.
    fn character(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => class
                .iter()
                .map(|range| (range.start().into(), range.end().into()))
                .collect(),
            Class::Bytes(class) => class
                .iter()
                .map(|range| (range.start().into(), range.end().into()))
                .collect(),
        };
        let visible: Vec<char> = ('!'..='~')
            .filter(|character| {
                let code = u32::from(*character);
                ranges
                    .iter()
                    .any(|(start, end)| (*start..=*end).contains(&code))
            })
            .collect();
        let plain: Vec<char> = visible
            .iter()
            .copied()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let preferred = if plain.is_empty() { visible } else { plain };
        self.rng.choice(preferred).or_else(|| {
            let (start, end) = self.rng.choice(ranges)?;
            char::from_u32(self.rng.u32(start..=end)).or(char::from_u32(start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match() {
        for (pattern, length) in [
            ("^[A-Z]{2}-\\d{4}$", 0..=100),
            ("^(north|south)( [a-z]+)?$", 0..=100),
            ("^\\w+@\\w+\\.com$", 10..=30),
            ("^[^a-z]*$", 20..=20),
            ("^.+$", 50..=60),
            ("e\\d\\b", 0..=5),
            ("^[äöü]+$", 2..=9),
            ("^\\s$", 1..=1),
            ("^((a*)*)*$", 0..=10_000),
            ("(?i)^yes|no$", 0..=3),
        ] {
            let regex = Regex::new(pattern).unwrap();
            for seed in 0..50 {
                let mut rng = Rng::with_seed(seed);
                let text = text(&mut rng, pattern, length.clone()).unwrap();
                assert!(regex.is_match(&text), "{pattern} {text:?}");
                assert!(length.contains(&text.chars().count()), "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn impossible_patterns_are_named() {
        for (pattern, length, message) in [
            (
                "^(?!x)",
                0..=9,
                "the pattern `^(?!x)` is beyond this command",
            ),
            ("^a{5}$", 0..=4, "found no text like `^a{5}$`"),
            ("a^", 0..=4, "found no text like `a^`"),
        ] {
            let error = text(&mut Rng::with_seed(1), pattern, length).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }
}
