//! Texts as terms, and how well they fit a query: BM25.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How soon more of the same term stops to count; the value of the textbooks.
const SATURATION: f64 = 1.2;
/// How much a long text has to give back for its length; the value of the textbooks.
const LENGTH_SHARE: f64 = 0.75;

/// Words that say nothing about what a text is about.
const STOP_WORDS: &[&str] = &[
    "a", "about", "an", "and", "are", "as", "at", "be", "by", "did", "do", "does", "for", "from",
    "has", "have", "how", "in", "into", "is", "it", "its", "of", "on", "or", "that", "the",
    "their", "there", "they", "this", "to", "was", "were", "what", "when", "where", "which", "who",
    "why", "with",
];

/// The terms of a text, in order: lower case, singular, without stop words.
///
/// A number is one term with and without its commas: `1,642` and `1642` are the same.
pub(crate) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let in_number = word.ends_with(|last: char| last.is_ascii_digit())
            && rest.peek().is_some_and(char::is_ascii_digit);
        match c {
            _ if c.is_alphanumeric() => word.extend(c.to_lowercase()),
            '.' if in_number => word.push(c),
            ',' if in_number => {}
            '\'' | '’' => {}
            _ => finish(&mut word, &mut terms),
        }
    }
    finish(&mut word, &mut terms);
    terms
}

fn finish(word: &mut String, terms: &mut Vec<String>) {
    if !word.is_empty() && !STOP_WORDS.contains(&word.as_str()) {
        terms.push(singular(word));
    }
    word.clear();
}

/// Takes a plural ending off, roughly: both sides of a comparison go through it.
fn singular(word: &str) -> String {
    let is_plural = word.len() > 3
        && word.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    if !is_plural {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let hissing = ["ches", "shes", "sses", "xes", "zes"];
    let ending = if hissing.iter().any(|end| word.ends_with(end)) {
        "es"
    } else {
        "s"
    };
    word.strip_suffix(ending).unwrap_or(word).to_owned()
}

/// How often each term stands in a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    counts: HashMap<String, u32>,
    total: u32,
}

impl Counts {
    /// Counts the terms of a text; each is worth `weight`.
    pub(crate) fn add(&mut self, text: &str, weight: u32) {
        for term in terms(text) {
            *self.counts.entry(term).or_default() += weight;
            self.total += weight;
        }
    }

    fn of(&self, term: &str) -> f64 {
        self.counts.get(term).copied().map_or(0.0, f64::from)
    }
}

/// What somebody looks for, weighed against the texts it is looked for in.
#[derive(Debug)]
pub(crate) struct Query {
    /// Each term, and how much its being rare makes it worth.
    rarity: BTreeMap<String, f64>,
    /// Length of the texts on average, in terms.
    average: f64,
}

impl Query {
    /// The texts are looked through one by one. A session has a hundred of them at
    /// most, and without an index a write has nothing else to keep up to date.
    pub(crate) fn new(query: &str, texts: &[&Counts]) -> Self {
        let count = as_number(texts.len());
        let total: f64 = texts.iter().map(|text| f64::from(text.total)).sum();
        let rarity = |term: &str| {
            let holders = texts.iter().filter(|text| text.of(term) > 0.0).count();
            let holders = as_number(holders);
            (1.0 + (count - holders + 0.5) / (holders + 0.5)).ln()
        };
        Self {
            rarity: terms(query)
                .into_iter()
                .map(|term| {
                    let rarity = rarity(&term);
                    (term, rarity)
                })
                .collect(),
            average: (total / count).max(1.0),
        }
    }

    /// How well a text fits; 0 if it has none of the terms.
    pub(crate) fn score(&self, text: &Counts) -> f64 {
        let length = f64::from(text.total) / self.average;
        let damping = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length);
        self.rarity
            .iter()
            .map(|(term, rarity)| {
                let frequency = text.of(term);
                rarity * frequency * (SATURATION + 1.0) / (frequency + damping)
            })
            .sum()
    }

    /// The line that fits best, counted from 0; the first if none has any of the terms.
    pub(crate) fn best_line(&self, text: &str) -> usize {
        let mut best = (0, 0.0);
        for (position, line) in text.lines().enumerate() {
            let found: BTreeSet<String> = terms(line).into_iter().collect();
            let worth: f64 = found.iter().filter_map(|term| self.rarity.get(term)).sum();
            if worth > best.1 {
                best = (position, worth);
            }
        }
        best.0
    }
}

/// A count as a number to reckon with.
pub(crate) fn as_number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Counts {
        let mut counts = Counts::default();
        counts.add(text, 1);
        counts
    }

    fn ranked(query: &str, texts: &[&str]) -> Vec<f64> {
        let texts: Vec<Counts> = texts.iter().map(|text| counts(text)).collect();
        let query = Query::new(query, &texts.iter().collect::<Vec<_>>());
        texts.iter().map(|text| query.score(text)).collect()
    }

    #[test]
    fn terms_are_plain_words() {
        assert_eq!(terms("The Owl's nests, and BOXES!"), ["owl", "nest", "box"]);
        assert_eq!(
            terms("berries glass virus this"),
            ["berry", "glass", "virus"]
        );
        assert_eq!(terms("1,642 or 2.7, 3"), ["1642", "2.7", "3"]);
        assert_eq!(terms("Über-Größe"), ["über", "größe"]);
        assert!(terms(" ,.' the ").is_empty());
    }

    #[test]
    fn rare_terms_count_more_than_common_ones() {
        let scores = ranked("bird silent", &["bird song", "bird silent", "silence bird"]);
        assert!(scores[1] > scores[0]);
        assert!((scores[0] - scores[2]).abs() < 1e-12);
    }

    #[test]
    fn short_texts_win_and_repetition_wears_off() {
        let long = format!("owl {}", "word ".repeat(50));
        let scores = ranked("owl", &["owl", &long, "owl owl owl", "nothing"]);
        assert!(scores[0] > scores[1]);
        assert!(scores[2] > scores[0] && scores[2] < 3.0 * scores[0]);
        assert!(scores[3].abs() < f64::EPSILON);
    }

    #[test]
    fn nothing_to_search_is_no_trouble() {
        assert!(ranked("owl", &[]).is_empty());
        assert!(ranked("", &["owl"])[0].abs() < f64::EPSILON);
        assert!(ranked("owl", &[""])[0].abs() < f64::EPSILON);
    }

    #[test]
    fn the_best_line_has_the_rarest_of_the_query() {
        let text = "An owl.\nSnow.\nAn owl in the snow.";
        let others = [counts("owl"), counts("owl"), counts(text)];
        let best =
            |query: &str| Query::new(query, &others.iter().collect::<Vec<_>>()).best_line(text);
        assert_eq!(best("owl"), 0);
        assert_eq!(best("snow"), 1);
        assert_eq!(best("owl snow"), 2);
        assert_eq!(best("frog"), 0);
    }
}
