//! The same episode again: in a new session, in a session that had one, and with another seed.

use std::collections::BTreeSet;

use crate::difference::{Difference, differences, reset_differences};
use crate::episode::{Episode, Transcript, go_on};
use crate::finding::{Findings, Problem};
use crate::script::Script;
use crate::server::Server;

/// Differences that are told.
const MOST: usize = 3;

/// Equal episodes, and one with another seed.
#[derive(Debug)]
pub(super) struct Repeated {
    /// In a new session
    again: Option<Transcript>,
    /// In the same session, after a reset
    over: Option<Transcript>,
    /// In the same session, with the next seed
    other_seed: Option<Transcript>,
    /// Why there are fewer
    failure: Option<String>,
}

/// Plays the script twice and its sibling once, in one new session.
pub(super) async fn repeat(server: &Server, script: &Script) -> Repeated {
    let mut repeated = Repeated {
        again: None,
        over: None,
        other_seed: None,
        failure: None,
    };
    let failed = repeated.play(server, script).await.err();
    repeated.failure = failed.map(|failure| format!("{} failed: {}", failure.phase, failure.seen));
    repeated
}

impl Repeated {
    async fn play(
        &mut self,
        server: &Server,
        script: &Script,
    ) -> Result<(), crate::episode::Failure> {
        let mut episode = Episode::begin(server, &script.reset).await?;
        go_on(&mut episode, script).await?;
        self.again = Some(std::mem::take(&mut episode.transcript));
        episode.reset(&script.reset).await?;
        go_on(&mut episode, script).await?;
        self.over = Some(std::mem::take(&mut episode.transcript));
        let other = script.clone().with_next_seed();
        episode.reset(&other.reset).await?;
        go_on(&mut episode, &other).await?;
        self.other_seed = Some(episode.end().await);
        Ok(())
    }

    /// Whether the same seed begins the same episode.
    pub(super) fn seed(&self, first: &Transcript) -> Findings {
        let Some(again) = &self.again else {
            return self.not_run();
        };
        let mut findings = Findings::seen("2 resets with one seed returned the same");
        findings.judge(
            reset_differences(first, again),
            "reset returns the same observation for the same seed",
            "take all randomness of reset from a generator that is seeded with its `seed`",
        );
        if let Some(other) = &self.other_seed {
            let same = differences(first, other).iter().all(Difference::is_natural);
            if same {
                let note = "another seed gave the same episode: it has no effect on these actions";
                findings.notes.push(note.to_owned());
            } else {
                findings.seen.push_str(", and another seed another episode");
            }
        }
        findings
    }

    /// Whether the same seed and actions give the same episode.
    pub(super) fn determinism(&self, first: &Transcript) -> Findings {
        let Some(again) = &self.again else {
            return self.not_run();
        };
        let mut findings = Findings::seen("3 episodes were the same");
        findings.judge(
            differences(first, again),
            "the same seed and actions give the same observations, rewards and endings",
            "take all randomness from a generator that reset seeds with its `seed`",
        );
        if !findings.problems.is_empty() {
            return findings;
        }
        match &self.over {
            Some(over) => findings.judge(
                differences(again, over),
                "an episode after a reset is like one in a new session",
                "let reset forget everything of the episode before",
            ),
            None => findings.problems.push(Problem::required(
                "a session can be reset and played again",
                self.failure.clone().unwrap_or_default(),
                "let reset begin a new episode at any time",
            )),
        }
        findings
    }

    /// Whether equal episodes had equal rewards.
    pub(super) fn rewards(&self, first: &Transcript) -> Option<Result<(), String>> {
        let (again, over) = (self.again.as_ref()?, self.over.as_ref()?);
        let differing = differences(first, again)
            .into_iter()
            .chain(differences(again, over))
            .find(|difference| difference.path == "reward" || difference.path == "done");
        Some(match differing {
            Some(difference) => Err(difference.describe()),
            None => Ok(()),
        })
    }

    /// The paths of what differs between equal episodes, but not by nature.
    pub(super) fn varying(&self, first: &Transcript) -> BTreeSet<String> {
        let again = self
            .again
            .iter()
            .flat_map(|again| differences(first, again));
        let over = self
            .again
            .iter()
            .zip(&self.over)
            .flat_map(|(again, over)| differences(again, over));
        again
            .chain(over)
            .filter(|difference| !difference.is_natural())
            .map(|difference| difference.path)
            .collect()
    }

    fn not_run(&self) -> Findings {
        let why = self.failure.as_deref().unwrap_or("there was no second");
        Findings::not_run(format!("the episode could not be played again: {why}"))
    }
}

impl Findings {
    /// What differs by nature is noted, all else is a problem.
    fn judge(&mut self, differences: Vec<Difference>, expected: &str, fix: &str) {
        let (natural, strange): (Vec<_>, Vec<_>) =
            differences.into_iter().partition(Difference::is_natural);
        self.excuse(&natural);
        let told = strange.iter().take(MOST);
        let problems = told.map(|found| Problem::advice(expected, found.describe(), fix));
        self.problems.extend(problems);
        if strange.len() > MOST {
            self.notes
                .push(format!("{} more values differ", strange.len() - MOST));
        }
    }

    /// Notes what differs by nature: what passes in spite of it is not quite the same.
    pub(super) fn excuse(&mut self, natural: &[Difference]) {
        let paths: BTreeSet<&str> = natural.iter().map(|found| found.path.as_str()).collect();
        if paths.is_empty() {
            return;
        }
        let paths: Vec<_> = paths.into_iter().map(|path| format!("`{path}`")).collect();
        let note = format!(
            "not compared, as times and made up names differ by nature: {}",
            paths.join(", ")
        );
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
        let apart = ", apart from what differs by nature";
        if !self.seen.ends_with(apart) {
            self.seen.push_str(apart);
        }
    }
}
