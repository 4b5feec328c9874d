//! One question, and what the answers to it earn.

use openenv::{Ending, Result, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quiz::Question;

/// Answers that an episode has room for.
pub const MAX_ANSWERS: u32 = 3;
/// Calls after which an episode is cut short.
pub const MAX_CALLS: u32 = 32;
/// What every call costs that is not an answer.
pub const CALL_COST: f64 = 0.01;

/// An answer, marked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether it is right
    pub correct: bool,
    /// 1 if it is right, up to a half if some of it is
    pub score: f64,
    /// How many more answers may be given
    pub answers_left: u32,
}

/// An episode: it lasts until the answer is right, or answers or calls run out.
#[derive(Debug)]
pub(crate) struct Episode {
    pub(crate) question: &'static Question,
    /// Calls that were judged.
    pub(crate) calls: u32,
    pub(crate) answers: u32,
    /// Score of the best answer so far.
    pub(crate) best: f64,
    pub(crate) solved: bool,
    /// The part of `best` that rewards were paid for.
    paid: f64,
    ending: Ending,
}

impl Episode {
    pub(crate) fn new(question: &'static Question) -> Self {
        Self {
            question,
            calls: 0,
            answers: 0,
            best: 0.0,
            solved: false,
            paid: 0.0,
            ending: Ending::Running,
        }
    }

    pub(crate) fn answers_left(&self) -> u32 {
        if self.solved || self.ending != Ending::Running {
            return 0;
        }
        MAX_ANSWERS.saturating_sub(self.answers)
    }

    /// Marks an answer.
    ///
    /// # Errors
    /// If the episode is over.
    pub(crate) fn answer(&mut self, text: &str) -> Result<Verdict> {
        if self.answers_left() == 0 {
            return Err("the episode is over: reset to get another question".into());
        }
        let score = self.question.score(text);
        let correct = score >= 1.0;
        self.answers += 1;
        self.best = self.best.max(score);
        self.solved = correct;
        Ok(Verdict {
            correct,
            score,
            answers_left: self.answers_left(),
        })
    }

    /// Says what a call was worth, an answer or another.
    ///
    /// An answer earns what it is better than the best before: whatever the
    /// number of answers, together they earn the score of the best one. That of a
    /// call that was not a step is paid with the next step.
    pub(crate) fn judge(&mut self, is_answer: bool) -> Step<()> {
        if self.ending != Ending::Running {
            let mut step = Step::new(()).reward(0.0);
            step.ending = self.ending;
            return step;
        }
        self.calls += 1;
        let cost = if is_answer { 0.0 } else { CALL_COST };
        let reward = self.best - self.paid - cost;
        self.paid = self.best;
        if self.answers_left() == 0 {
            self.ending = Ending::Terminated;
        } else if self.calls >= MAX_CALLS {
            self.ending = Ending::Truncated;
        }
        let mut step = Step::new(()).reward(reward);
        step.ending = self.ending;
        step
    }
}

#[cfg(test)]
mod tests {
    use openenv::ResetOptions;

    use super::*;
    use crate::quiz;

    fn episode() -> Episode {
        let options = ResetOptions::default().with("task", "maillard-temperature");
        Episode::new(quiz::choose(&options).unwrap())
    }

    fn reward(step: &Step<()>) -> f64 {
        step.reward.unwrap().as_f64()
    }

    fn answer(episode: &mut Episode, text: &str) -> (f64, Ending) {
        episode.answer(text).unwrap();
        let step = episode.judge(true);
        (reward(&step), step.ending)
    }

    #[test]
    fn the_right_answer_earns_everything_and_ends_the_episode() {
        let mut episode = episode();
        assert!((reward(&episode.judge(false)) + CALL_COST).abs() < 1e-12);
        assert_eq!(
            answer(&mut episode, "140 degrees"),
            (1.0, Ending::Terminated)
        );
        assert!(episode.solved);
        assert!(episode.answer("140").is_err());
        let after = episode.judge(false);
        assert!(reward(&after).abs() < f64::EPSILON);
        assert_eq!(after.ending, Ending::Terminated);
        assert_eq!(episode.calls, 2);
    }

    #[test]
    fn answers_earn_together_what_the_best_is_worth() {
        let mut episode = episode();
        let (first, ending) = answer(&mut episode, "120 degrees");
        assert!(first > 0.0 && first <= 0.5);
        assert_eq!(ending, Ending::Running);
        let (again, _) = answer(&mut episode, "120 degrees");
        assert!(again.abs() < f64::EPSILON);
        let (last, ending) = answer(&mut episode, "140");
        assert!((first + last - 1.0).abs() < 1e-12);
        assert_eq!(ending, Ending::Terminated);
    }

    #[test]
    fn answers_run_out() {
        let mut episode = episode();
        for left in (0..MAX_ANSWERS).rev() {
            let verdict = episode.answer("no idea").unwrap();
            assert!(!verdict.correct);
            assert_eq!(verdict.answers_left, left);
            let step = episode.judge(true);
            assert!(reward(&step).abs() < f64::EPSILON);
            assert_eq!(step.is_done(), left == 0);
        }
        assert!(!episode.solved);
    }

    #[test]
    fn calls_run_out() {
        let mut episode = episode();
        let endings: Vec<Ending> = (0..MAX_CALLS)
            .map(|_| episode.judge(false).ending)
            .collect();
        let (last, before) = endings.split_last().unwrap();
        assert_eq!(*last, Ending::Truncated);
        assert!(before.iter().all(|ending| *ending == Ending::Running));
        assert!(episode.answer("140").is_err());
    }

    #[test]
    fn an_answer_that_was_no_step_is_paid_with_the_next_one() {
        let mut episode = episode();
        episode.answer("140").unwrap();
        let step = episode.judge(false);
        assert!((reward(&step) - (1.0 - CALL_COST)).abs() < 1e-12);
        assert_eq!(step.ending, Ending::Terminated);
    }
}
