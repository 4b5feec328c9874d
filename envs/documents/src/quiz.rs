//! The questions that episodes are about.

use std::sync::LazyLock;

use openenv::{Error, ResetOptions, Result, Split, Tasks};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::search::{as_number, terms};

/// The splits; the first is the one that questions are picked from by default.
const SPLITS: [&str; 2] = ["train", "test"];

/// What an answer is worth at most that is not right.
const ALMOST: f64 = 0.5;

static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../data/questions.json"))
        .expect("the questions are JSON: a test reads them")
});

/// A question whose answer is in the collection.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) split: String,
    #[serde(rename = "question")]
    pub(crate) text: String,
    /// Wordings that are right.
    answers: Vec<String>,
    /// The documents that together tell the answer.
    sources: Vec<String>,
}

impl Question {
    /// What an answer is worth: 1 if it is right, and up to a half for words in
    /// common with a right one, less for every word too many.
    ///
    /// It is right if it says the same but for case, punctuation, articles and
    /// plurals. To contain the right words is not enough, or a list of all that
    /// it could be would be right too.
    pub(crate) fn score(&self, answer: &str) -> f64 {
        let given = terms(answer);
        self.answers
            .iter()
            .map(|right| {
                let right = terms(right);
                if right == given {
                    1.0
                } else {
                    ALMOST * overlap(&right, &given)
                }
            })
            .fold(0.0, f64::max)
    }

    fn as_task(&self) -> Value {
        json!({
            "id": self.id,
            "question": self.text,
            "documents_needed": self.sources.len(),
        })
    }
}

/// The harmonic mean of how much of one is in the other, and the other way round.
fn overlap(one: &[String], other: &[String]) -> f64 {
    let mut left = other.to_vec();
    let shared = one
        .iter()
        .filter(|term| {
            let position = left.iter().position(|other| other == *term);
            position
                .map(|position| left.swap_remove(position))
                .is_some()
        })
        .count();
    let both = as_number(one.len() + other.len()).max(1.0);
    // Rounded, so that rewards are short numbers.
    (2000.0 * as_number(shared) / both).round() / 1000.0
}

/// How a reset may choose its question.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Choice {
    /// Id of the question.
    task: Option<String>,
    split: Option<String>,
    /// Position in the split; a negative one counts from the end.
    index: Option<i64>,
}

/// The question of a new episode: the `task` that was asked for, or that at
/// `index` of `split`, or one of the split by chance, the same for the same seed.
pub(crate) fn choose(options: &ResetOptions) -> Result<&'static Question> {
    let choice: Choice = options.arguments()?;
    if let Some(id) = choice.task {
        return QUESTIONS
            .iter()
            .find(|question| question.id == id)
            .ok_or_else(|| {
                let example = QUESTIONS.first().map_or("", |question| &question.id);
                let message = format!("there is no task `{id}`; one is `{example}`");
                Error::invalid("task", message)
            });
    }
    let name = choice.split.as_deref().unwrap_or(SPLITS[0]);
    let questions: Vec<&Question> = split(name)
        .ok_or_else(|| Error::invalid("split", unknown_split(name)))?
        .collect();
    let count = questions.len();
    let position = match choice.index {
        None => {
            let mut random = match options.seed {
                Some(seed) => fastrand::Rng::with_seed(seed.into()),
                None => fastrand::Rng::new(),
            };
            random.usize(..count)
        }
        Some(index) => usize::try_from(index)
            .ok()
            .or_else(|| count.checked_sub(usize::try_from(index.unsigned_abs()).ok()?))
            .filter(|position| *position < count)
            .ok_or_else(|| {
                Error::invalid("index", format!("the split `{name}` has {count} tasks"))
            })?,
    };
    Ok(questions[position])
}

fn split(name: &str) -> Option<impl Iterator<Item = &'static Question>> {
    let name = *SPLITS.iter().find(|split| **split == name)?;
    Some(
        QUESTIONS
            .iter()
            .filter(move |question| question.split == name),
    )
}

fn unknown_split(name: &str) -> String {
    format!("there is no split `{name}`; there are `train` and `test`")
}

/// The questions as tasks, without their answers.
#[derive(Debug)]
pub(crate) struct Quiz;

impl Tasks for Quiz {
    fn splits(&self) -> Result<Vec<Split>> {
        SPLITS
            .iter()
            .map(|name| Ok(Split::new(*name).with("num_tasks", self.count(name)?)))
            .collect()
    }

    fn list(&self, name: &str) -> Result<Vec<Value>> {
        let questions = split(name).ok_or_else(|| Error::not_found(unknown_split(name)))?;
        Ok(questions.map(Question::as_task).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::collection::collection;

    fn question(id: &str) -> &'static Question {
        choose(&ResetOptions::default().with("task", id)).unwrap()
    }

    #[test]
    fn every_question_is_whole_and_its_answer_can_be_found() {
        let store = collection();
        let ids: BTreeSet<&str> = QUESTIONS.iter().map(|question| &*question.id).collect();
        assert_eq!(ids.len(), QUESTIONS.len());
        for question in QUESTIONS.iter() {
            let id = &question.id;
            assert!(SPLITS.contains(&&*question.split), "{id}");
            assert!(question.text.ends_with(['?', '.']), "{id}");
            for answer in &question.answers {
                assert!((question.score(answer) - 1.0).abs() < f64::EPSILON, "{id}");
            }
            // The words of the question lead to a source of its answer.
            let (hits, _) = store.search(&question.text, 5);
            let found = hits.iter().any(|hit| question.sources.contains(&hit.id));
            assert!(found, "{id}: {hits:?}");
        }
    }

    #[test]
    fn answers_may_be_worded_freely_but_not_at_length() {
        let question = question("seal-lake");
        for right in ["1,642", "1642 metres.", "The 1,642 Metres"] {
            assert!(
                (question.score(right) - 1.0).abs() < f64::EPSILON,
                "{right}"
            );
        }
        for (almost, score) in [
            ("1642 feet", 0.333),
            ("7 metres", 0.25),
            ("deep", 0.0),
            ("", 0.0),
        ] {
            assert!((question.score(almost) - score).abs() < 1e-3, "{almost}");
        }
        let everything = question.score("1640 1641 1642 1643 1644");
        assert!(everything > 0.0 && everything < 0.25);
    }

    #[test]
    fn the_seed_decides() {
        let chosen = |seed: u64| &choose(&ResetOptions::default().with_seed(seed)).unwrap().id;
        let all: BTreeSet<&String> = (0..200).map(chosen).collect();
        assert!(all.len() > 25, "{}", all.len());
        assert!((0..50).all(|seed| chosen(seed) == chosen(seed)));
        assert!(all.iter().all(|id| question(id).split == "train"));
    }

    #[test]
    fn a_task_is_chosen_by_id_or_position() {
        let at = |index: i64| {
            choose(
                &ResetOptions::default()
                    .with("split", "test")
                    .with("index", index),
            )
        };
        assert_eq!(at(0).unwrap().id, "monarch-food");
        assert_eq!(at(-1).unwrap().id, "tardigrade-dye");
        assert_eq!(question("litmus-acid").split, "test");
        for (name, value) in [("task", "maze"), ("split", "dev")] {
            let error = choose(&ResetOptions::default().with(name, value)).unwrap_err();
            assert!(error.is_validation(), "{error}");
            assert!(error.to_string().contains(value), "{error}");
        }
        for index in [14, -15, i64::MIN, i64::MAX] {
            assert!(at(index).unwrap_err().is_validation(), "{index}");
        }
    }

    #[test]
    fn tasks_are_listed_without_their_answers() {
        assert_eq!(Quiz.count("train").unwrap(), 30);
        assert_eq!(Quiz.count("test").unwrap(), 14);
        assert_eq!(Quiz.splits().unwrap()[1].extra["num_tasks"], 14);
        let task = Quiz.get("train", 0).unwrap();
        assert_eq!(task["id"], "swift-airborne");
        assert!(task.get("answers").is_none());
        assert!(Quiz.list("dev").is_err());
    }
}
