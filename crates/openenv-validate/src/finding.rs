//! What a check came to.

use std::time::Duration;

/// The outcome of one live check.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Check {
    /// Its name, such as `live.determinism`
    pub(crate) id: &'static str,
    /// What it looks at
    pub(crate) description: &'static str,
    /// What came out
    pub(crate) outcome: Outcome,
    /// What is worth knowing, although nothing is wrong with it
    pub(crate) notes: Vec<String>,
    /// How long it took
    pub(crate) duration: Duration,
}

/// What came out of a check.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// It looked, and all is well; with what it saw.
    Passed(String),
    /// It found something, at least one problem.
    Found(Vec<Problem>),
    /// It could not look; with the reason.
    NotRun(String),
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// How bad it is
    pub(crate) weight: Weight,
    /// What should have been
    pub(crate) expected: String,
    /// What was
    pub(crate) seen: String,
    /// What to do about it
    pub(crate) fix: String,
}

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// Clients get along with it, or it is an environment's own choice.
    Advice,
    /// Clients depend on it.
    Required,
}

impl Problem {
    /// Clients depend on it.
    pub(crate) fn required(
        expected: impl Into<String>,
        seen: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            weight: Weight::Required,
            expected: expected.into(),
            seen: seen.into(),
            fix: fix.into(),
        }
    }

    /// Clients get along with it.
    pub(crate) fn advice(
        expected: impl Into<String>,
        seen: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            weight: Weight::Advice,
            ..Self::required(expected, seen, fix)
        }
    }
}

/// What a check looked at and found, before it gets its name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    pub(crate) problems: Vec<Problem>,
    pub(crate) notes: Vec<String>,
    pub(crate) seen: String,
    pub(crate) not_run: Option<String>,
}

impl Findings {
    /// Nothing wrong so far; with what was looked at.
    pub(crate) fn seen(seen: impl Into<String>) -> Self {
        Self {
            seen: seen.into(),
            ..Self::default()
        }
    }

    /// Nothing was looked at.
    pub(crate) fn not_run(reason: impl Into<String>) -> Self {
        Self {
            not_run: Some(reason.into()),
            ..Self::default()
        }
    }

    /// Gives it the name of a check.
    pub(crate) fn into_check(
        self,
        id: &'static str,
        description: &'static str,
        duration: Duration,
    ) -> Check {
        let outcome = if !self.problems.is_empty() {
            Outcome::Found(self.problems)
        } else if let Some(reason) = self.not_run {
            Outcome::NotRun(reason)
        } else {
            Outcome::Passed(self.seen)
        };
        Check {
            id,
            description,
            outcome,
            notes: self.notes,
            duration,
        }
    }
}

impl Check {
    /// The worst weight among its problems; `None` if there are none.
    pub(crate) fn weight(&self) -> Option<Weight> {
        match &self.outcome {
            Outcome::Found(problems) => problems.iter().map(|problem| problem.weight).max(),
            Outcome::Passed(_) | Outcome::NotRun(_) => None,
        }
    }
}
