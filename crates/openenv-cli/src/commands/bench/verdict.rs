//! Whether there were more errors than allowed.

use anyhow::Result;
use indicatif::HumanCount;
use openenv_serve::Failure;

use super::Measured;
use super::tally::Tally;
use crate::config::BenchConfig;
use crate::diagnosis;
use crate::ui;
use crate::value::ErrorLimit;

/// A session that cannot be opened is one call that fails, but a whole session that
/// is not measured: a share is of the sessions then, or the many calls of the others
/// would hide it.
pub(super) fn judge(config: &BenchConfig, measured: &Measured) -> Result<()> {
    let Measured { tally, interrupted } = measured;
    let limit = config.max_errors;
    let (unopened, sessions) = (tally.unopened as u64, config.sessions as u64);
    let (errors, calls) = match limit {
        ErrorLimit::Count(_) => (tally.error_count(), tally.calls()),
        ErrorLimit::Share(_) => (tally.error_count() - unopened, tally.calls() - unopened),
    };
    let message = if tally.opened == 0 && !(*interrupted && unopened == 0) {
        // Nothing was measured, whatever is allowed.
        "no session could be opened".to_owned()
    } else if limit.is_exceeded(unopened, sessions) {
        format!(
            "{} of {} sessions could not be opened: `--max-errors` is {limit}",
            HumanCount(unopened),
            HumanCount(sessions)
        )
    } else if limit.is_exceeded(errors, calls) {
        format!(
            "{} of {} calls failed: `--max-errors` is {limit}",
            HumanCount(errors),
            HumanCount(calls)
        )
    } else {
        return Ok(());
    };
    let kinds: Vec<_> = tally
        .errors
        .iter()
        .map(|(code, errors)| {
            let times = ui::counted(errors.count, "time");
            format!("{code}, {times}: {}", errors.first)
        })
        .collect();
    Err(Failure::new(message, hint(tally))
        .because(kinds.join("; "))
        .into())
}

fn hint(tally: &Tally) -> &'static str {
    if tally.errors.contains_key("CAPACITY_REACHED") {
        return "the server has fewer free places than `--sessions`: ask for fewer, or let it have \
                more";
    }
    let known =
        |(code, errors): (&String, &super::tally::Errors)| diagnosis::hint(code, &errors.first);
    tally
        .errors
        .iter()
        .find_map(known)
        .unwrap_or("`--max-errors` says how many errors are allowed, as a number or as `1%`")
}
