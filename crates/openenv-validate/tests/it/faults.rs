//! Each fault is found, by the check that is there for it and by no other.

use openenv_validate::RunningReport;

use crate::faulty::{Fault, faulty};
use crate::support::{assert_found, check, criterion, not_run, serve};

async fn check_with(faults: &[Fault]) -> RunningReport {
    check(&serve(faulty(faults, 3)).await).await
}

#[tokio::test]
async fn no_fault_is_found_where_there_is_none() {
    let report = check_with(&[]).await;
    assert!(report.passed);
    assert_eq!(
        report.summary.failed_criteria,
        Vec::<String>::new(),
        "{:#?}",
        report.criteria
    );
    assert_eq!(not_run(&report), Vec::<&str>::new());
    assert_eq!(report.summary.required_total_count, 17);
}

#[tokio::test]
async fn times_and_names_may_differ() {
    let report = check_with(&[Fault::Natural]).await;
    assert!(
        report.summary.failed_criteria.is_empty(),
        "{:#?}",
        report.criteria
    );
    let details = criterion(&report, "live.determinism")
        .details
        .clone()
        .unwrap();
    assert!(details.contains("`observation.stamp`"), "{details}");
    assert!(details.contains("`observation.run_id`"), "{details}");
    for id in ["live.seed", "live.determinism", "live.isolation"] {
        let seen = criterion(&report, id).actual.clone().unwrap();
        assert!(
            seen.as_str().unwrap().contains("apart from"),
            "{id}: {seen}"
        );
    }
}

#[tokio::test]
async fn what_varies_anyway_tells_nothing_of_isolation() {
    let report = check_with(&[Fault::Random]).await;
    let found = report
        .not_run
        .iter()
        .find(|check| check.id == "live.isolation");
    let reason = &found.unwrap().reason;
    assert_eq!(
        reason,
        "could not be told: `observation.total` varies anyway"
    );
}

#[tokio::test]
async fn what_the_reference_does_is_noted() {
    for fault in [Fault::FragileArray, Fault::Unserializable] {
        let report = check_with(&[fault]).await;
        assert!(
            report.summary.failed_criteria.is_empty(),
            "{:#?}",
            report.criteria
        );
        let bad = criterion(&report, "live.bad_actions");
        let details = bad.details.clone().unwrap();
        assert!(details.contains("the reference's server"), "{details}");
    }
}

#[tokio::test]
async fn null_rewards_are_noted() {
    let report = check_with(&[Fault::RewardNull]).await;
    assert!(
        report.summary.failed_criteria.is_empty(),
        "{:#?}",
        report.criteria
    );
    let details = criterion(&report, "live.reward").details.clone().unwrap();
    assert!(details.contains("4 steps had no reward"), "{details}");
}

macro_rules! finds {
    ($($name:ident: $fault:ident is $id:literal, $required:literal, $text:literal;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                let report = check_with(&[Fault::$fault]).await;
                assert_found(&report, $id, $required, $text);
            }
        )*
    };
}

finds! {
    chance: Random is "live.determinism", false, "step 1: `observation.total` was";
    reset_that_remembers: Forgetless is "live.determinism", false, "after a reset is like one in a new session";
    another_name: OwnEpisode is "live.state", false, "\"mine 0\"";
    a_wrong_count: Miscount is "live.state", false, "`step_count` is 1 | state after step 1: 2";
    truth_as_reward: RewardTrue is "live.reward", false, "step 1: the reward is true";
    text_as_reward: RewardText is "live.reward", true, "step 1: the reward is \"much\"";
    unknown_fields: OffSchema is "live.observation_schema", true, "step 2: ";
    schemas_elsewhere: RemoteSchema is "live.observation_schema", true, "non-local reference";
    sessions_that_end_over_bad_messages: Fragile is "live.bad_actions", true, "text that is not JSON is answered with an error";
    bad_actions_that_are_taken: Gullible is "live.bad_actions", true, "an action without a required field is answered with an error";
    bad_actions_that_count: CountsBad is "live.bad_actions", false, "`step_count` is still 0 |";
    reserved_names: ReservedTool is "live.tools", true, "a tool is called `reset`";
    broken_schemas_of_tools: BadToolSchema is "live.tools", true, "that of `twice` is not valid";
    tools_without_words: SilentTool is "live.tools", false, "no description: `twice`";
    tools_of_one_name: TwinTools is "live.tools", true, "`twice` is there twice";
    tools_that_are_lost: LostTools is "live.tools", true, "the database is gone";
    unknown_tools_that_work: GullibleTools is "live.tools", true, "the call of a tool that is not there fails";
    an_answer_to_close: AnswersClose is "live.close", true, "`close` has no reply";
    too_many_sessions: Overcommits is "live.capacity", true, "refuses session 4 | it was let in";
    silent_refusals: SilentlyFull is "live.capacity", false, "CAPACITY_REACHED";
    steps_that_fail: StepError is "live.session", true, "step failed: the error EXECUTION_ERROR";
}

#[tokio::test]
async fn chance_in_reset() {
    let report = check_with(&[Fault::RandomReset]).await;
    let failed = &report.summary.failed_criteria;
    assert_eq!(failed, &["live.seed", "live.determinism"]);
    assert!(report.passed);
}

#[tokio::test]
async fn shared_state() {
    let report = check_with(&[Fault::Shared]).await;
    let isolation = criterion(&report, "live.isolation");
    assert!(!isolation.passed && isolation.required);
    let seen = &isolation.findings[0].seen;
    assert!(seen.contains("alone and beside another, step"), "{seen}");
    assert!(!report.passed);
}

#[tokio::test]
async fn rewards_that_are_not_there() {
    let report = check_with(&[Fault::NoReward]).await;
    let failed = &report.summary.failed_criteria;
    // Without it, what was observed is no observation either.
    assert_eq!(failed, &["live.observation_schema", "live.reward"]);
    let seen = &criterion(&report, "live.reward").findings[0].seen;
    assert_eq!(seen, "step 1: there is no `reward`");
}

#[tokio::test]
async fn places_that_are_not_given_back() {
    // Enough of them for the checks before.
    let report = check(&serve(faulty(&[Fault::LeaksPlaces], 1000)).await).await;
    assert_found(&report, "live.close", true, "one more is open");
}

#[tokio::test]
async fn nothing_is_run_after_a_first_episode_that_failed() {
    let report = check_with(&[Fault::StepError]).await;
    assert!(not_run(&report).contains(&"live.determinism"));
    assert!(!not_run(&report).contains(&"live.tools"));
}
