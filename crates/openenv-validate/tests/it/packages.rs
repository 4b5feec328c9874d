//! Packages: what they are, what they plan, and how they behave once they run.

use std::fs;
use std::path::Path;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use openenv_validate::{
    CheckResult, LaunchError, Launcher, Level, Package, PackageError, PackageOptions,
    PackageReport, Place, Policy, Running, Status, Verdict, check_package,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::faulty::{Fault, faulty};
use crate::support::serve;

const MANIFEST: &str = "\
name: sample
validation:
  reward: {floor_margin: 0.2, range: [0, 1]}
  resources: {cpu: 1, memory_mb: 256, disk_mb: 64, episode_timeout_s: 5}
  capabilities: {verifier: {kind: reward_channel}, declared_tools: [twice]}
  types: {tags: [test]}
";
const PLAN: &str = r#"{"plan_schema_version":"1","reset":{"episode_id":"planned","seed":7},"actions":[{"add":1},{"add":2}]}"#;

/// "Starts" a server that runs in the test.
struct Started(Vec<Fault>);

impl Launcher for Started {
    fn place(&self) -> Place {
        Place::Machine
    }

    fn start<'a>(&'a self, _: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
        async {
            Ok(Running {
                url: serve(faulty(&self.0, 3)).await,
                measured: Map::new(),
                stop: Box::new(|| async { Ok(()) }.boxed()),
            })
        }
        .boxed()
    }
}

/// Fails in one way or the other.
struct Refusing(LaunchError, Place);

impl Launcher for Refusing {
    fn place(&self) -> Place {
        self.1
    }

    fn start<'a>(&'a self, _: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
        async { Err(self.0.clone()) }.boxed()
    }
}

fn package(manifest: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("openenv.yaml"), manifest).unwrap();
    directory
}

fn planned(plan: &str) -> TempDir {
    let directory = package(&format!("{MANIFEST}  execution: {{}}\n"));
    fs::create_dir(directory.path().join("validation")).unwrap();
    fs::write(directory.path().join("validation/runtime.json"), plan).unwrap();
    directory
}

async fn check(root: &Path, level: Level, launcher: &dyn Launcher) -> PackageReport {
    let mut options = PackageOptions::default();
    options.level = level;
    options.launcher = Some(launcher);
    let run = check_package(root, &options).await.unwrap();
    run.report().clone()
}

#[track_caller]
fn result<'a>(report: &'a PackageReport, id: &str) -> &'a CheckResult {
    let mut results = report.results.iter();
    results.find(|result| result.check_id == id).unwrap()
}

#[track_caller]
fn assert_status(report: &PackageReport, id: &str, status: Status, text: &str) {
    let result = result(report, id);
    assert_eq!(result.status, status, "{result:#?}");
    let evidence = result.evidence.join("\n");
    assert!(evidence.contains(text), "`{text}` is not in {evidence}");
}

#[tokio::test]
async fn packages_that_run_are_played_with() {
    let root = planned(PLAN);
    let report = check(root.path(), Level::Runtime, &Started(Vec::new())).await;
    for id in [
        "static.manifest",
        "runtime.startup",
        "runtime.reward_well_formed",
        "runtime.observation_schema",
        "runtime.state_contract",
        "runtime.seed_control",
        "runtime.episode_determinism",
        "runtime.episode_isolation",
        "runtime.tool_declaration_accuracy",
        "live.bad_actions",
        "live.close",
        "live.capacity",
    ] {
        assert_eq!(
            result(&report, id).status,
            Status::Pass,
            "{:#?}",
            result(&report, id)
        );
    }
    // What was not measured is not claimed.
    assert_status(
        &report,
        "runtime.network_policy",
        Status::Skip,
        "not measured",
    );
    assert_status(&report, "runtime.startup", Status::Pass, "the runtime plan");
    assert_eq!(report.verdict, Verdict::Warn);
    assert_eq!(report.report_schema_version, "2");
    assert_eq!(report.levels_run, [Level::Static, Level::Runtime]);
}

#[tokio::test]
async fn without_a_plan_actions_are_made_up() {
    let root = package(MANIFEST);
    let report = check(root.path(), Level::Semantic, &Started(Vec::new())).await;
    assert_status(
        &report,
        "runtime.startup",
        Status::Pass,
        "made up from the schema",
    );
    assert_status(
        &report,
        "semantic.verifier_determinism",
        Status::Pass,
        "same rewards",
    );
    assert_status(
        &report,
        "semantic.oracle_max",
        Status::Skip,
        "not looked at",
    );
}

#[tokio::test]
async fn without_declarations_it_is_played_with_all_the_same() {
    let root = package("name: sample\n");
    let report = check(root.path(), Level::Runtime, &Started(Vec::new())).await;
    assert_status(
        &report,
        "static.manifest",
        Status::Fail,
        "no `validation:` block",
    );
    assert_status(&report, "runtime.state_contract", Status::Pass, "");
    assert_eq!(report.verdict, Verdict::Fail);
}

#[tokio::test]
async fn faults_fail_the_checks_of_the_policy() {
    let root = package(MANIFEST);
    for (fault, id, text) in [
        (
            Fault::RewardNull,
            "runtime.reward_well_formed",
            "the reward is null",
        ),
        (
            Fault::RewardTrue,
            "runtime.reward_well_formed",
            "the reward is true",
        ),
        (Fault::OffSchema, "runtime.observation_schema", "(step 2)"),
        (
            Fault::Miscount,
            "runtime.state_contract",
            "step_count is 1, not 0",
        ),
        (
            Fault::OwnEpisode,
            "runtime.state_contract",
            "episode_id is \"mine",
        ),
        (
            Fault::Random,
            "runtime.episode_determinism",
            "observation.total",
        ),
        (
            Fault::RandomReset,
            "runtime.seed_control",
            "reset: `observation.total`",
        ),
        (Fault::Shared, "runtime.episode_isolation", "beside another"),
        (
            Fault::GullibleTools,
            "runtime.tool_declaration_accuracy",
            "fails with an error",
        ),
        (
            Fault::ReservedTool,
            "runtime.tool_declaration_accuracy",
            "`twice` is declared, but",
        ),
        (Fault::Fragile, "live.bad_actions", "not JSON"),
        (
            Fault::StepError,
            "runtime.startup",
            "step failed (EXECUTION_ERROR)",
        ),
    ] {
        let report = check(root.path(), Level::Runtime, &Started(vec![fault])).await;
        assert_status(&report, id, Status::Fail, text);
        assert_eq!(report.verdict, Verdict::Fail, "{fault:?}");
        assert!(result(&report, id).remediation.is_some(), "{fault:?}");
    }
}

#[tokio::test]
async fn rewards_must_be_in_the_declared_range() {
    let root = package(&MANIFEST.replace("[0, 1]", "[0, 0.4]"));
    let report = check(root.path(), Level::Runtime, &Started(Vec::new())).await;
    let text = "the reward 0.5 is not in 0 to 0.4";
    assert_status(&report, "runtime.reward_well_formed", Status::Fail, text);
}

#[tokio::test]
async fn what_a_launcher_says_is_the_outcome_of_the_start() {
    let root = package(MANIFEST);
    for (error, status) in [
        (
            LaunchError::Unsupported("no engine".to_owned()),
            Status::Skip,
        ),
        (LaunchError::Startup("it crashed".to_owned()), Status::Fail),
        (LaunchError::Launcher("no disk".to_owned()), Status::Error),
    ] {
        let launcher = Refusing(error, Place::Container);
        let report = check(root.path(), Level::Runtime, &launcher).await;
        assert_eq!(result(&report, "runtime.startup").status, status);
        assert_status(
            &report,
            "runtime.state_contract",
            Status::Skip,
            "runtime.startup",
        );
    }
}

#[tokio::test]
async fn no_image_is_built_if_that_is_not_wanted() {
    let root = package(MANIFEST);
    let launcher = Refusing(LaunchError::Startup("started".to_owned()), Place::Container);
    let mut options = PackageOptions::default();
    options.skip_build = true;
    options.launcher = Some(&launcher);
    let run = check_package(root.path(), &options).await.unwrap();
    assert_status(
        run.report(),
        "runtime.startup",
        Status::Skip,
        "--skip-build",
    );
    assert_eq!(run.report().levels_run, [Level::Static]);
}

#[tokio::test]
async fn plans_are_read_as_the_reference_reads_them() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plans.json");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let launcher = Refusing(
        LaunchError::Unsupported("accepted".to_owned()),
        Place::Machine,
    );
    let mut large: Vec<(String, bool)> = vec![
        (
            PLAN.replace("{\"add\":2}", &format!("{{\"a\":{:?}}}", vec![0; 9000])),
            true,
        ),
        (
            PLAN.replace("{\"add\":2}", &format!("{{\"a\":{:?}}}", vec![0; 10_000])),
            false,
        ),
        (
            PLAN.replace("\"add\":2", &format!("\"a\":\"{}\"", "x".repeat(65_536))),
            false,
        ),
    ];
    large.extend(cases.iter().map(|case| {
        let text = case["text"].as_str().unwrap().to_owned();
        (text, case["accepted"].as_bool().unwrap())
    }));
    for (text, accepted) in large {
        let root = planned(&text);
        let report = check(root.path(), Level::Runtime, &launcher).await;
        let startup = result(&report, "runtime.startup");
        let expected = if accepted { Status::Skip } else { Status::Fail };
        assert_eq!(startup.status, expected, "{text:.300} {startup:#?}");
    }
}

#[tokio::test]
async fn what_changes_meanwhile_is_named() {
    struct Changing<'a>(&'a Path);
    impl Launcher for Changing<'_> {
        fn place(&self) -> Place {
            Place::Machine
        }
        fn start<'a>(
            &'a self,
            package: Package<'a>,
        ) -> BoxFuture<'a, Result<Running, LaunchError>> {
            fs::write(self.0.join("new.txt"), "new").unwrap();
            async move { Started(Vec::new()).start(package).await }.boxed()
        }
    }
    let root = package(MANIFEST);
    let report = check(root.path(), Level::Runtime, &Changing(root.path())).await;
    let (id, seen) = ("live.package_unchanged", "`new.txt` is new");
    assert_status(&report, id, Status::Fail, seen);
    let changed = result(&report, id);
    assert!(changed.remediation.as_ref().unwrap().contains("outputs/"));
    // What was found is kept.
    assert_status(&report, "runtime.state_contract", Status::Pass, "");
    assert_eq!(report.verdict, Verdict::Warn);
}

#[tokio::test]
async fn what_cannot_be_prepared_is_not_started() {
    struct Unbuilt;
    impl Launcher for Unbuilt {
        fn place(&self) -> Place {
            Place::Machine
        }
        fn prepare<'a>(&'a self, root: &'a Path) -> BoxFuture<'a, Result<(), LaunchError>> {
            // It is no change of what is looked at.
            fs::write(root.join("built.txt"), "built").unwrap();
            async { Err(LaunchError::Startup("it does not compile".to_owned())) }.boxed()
        }
        fn start<'a>(&'a self, _: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
            panic!("it was started")
        }
    }
    let root = package(MANIFEST);
    let report = check(root.path(), Level::Runtime, &Unbuilt).await;
    let (id, seen) = ("runtime.startup", "it does not compile");
    assert_status(&report, id, Status::Fail, seen);
    assert!(
        !report
            .results
            .iter()
            .any(|result| result.check_id == "live.package_unchanged")
    );
    // Neither is done for what is no package.
    let nothing = tempfile::TempDir::new().unwrap();
    let mut options = PackageOptions::default();
    options.launcher = Some(&Unbuilt);
    check_package(nothing.path(), &options).await.unwrap_err();
    assert!(!nothing.path().join("built.txt").exists());
}

#[tokio::test]
async fn bounds_of_the_policy_are_kept() {
    let root = package(&MANIFEST.replace(
        "floor_margin: 0.2",
        "floor_margin: 0.05, oracle_tolerance: 0.5",
    ));
    let mut options = PackageOptions::default();
    options.level = Level::Static;
    let run = check_package(root.path(), &options).await.unwrap();
    let report = run.report();
    assert_status(
        report,
        "static.manifest",
        Status::Fail,
        "floor_margin is 0.05, below 0.1",
    );
    assert_status(
        report,
        "static.manifest",
        Status::Fail,
        "oracle_tolerance is 0.5, above 0.1",
    );
    assert_eq!(report.report_schema_version, "1");
    assert_eq!(report.policy_version, "v1");
}

#[tokio::test]
async fn what_is_no_package_is_refused() {
    let nothing = TempDir::new().unwrap();
    let several = package(MANIFEST);
    fs::write(several.path().join("task.toml"), "").unwrap();
    let frontmatter = package(MANIFEST);
    fs::write(frontmatter.path().join("task.md"), "---\na: 1\n---\n").unwrap();
    let plain = package(MANIFEST);
    fs::write(plain.path().join("task.md"), "# To do").unwrap();
    let mut options = PackageOptions::default();
    options.level = Level::Static;
    for (root, recognized) in [
        (nothing.path(), false),
        (&nothing.path().join("nowhere"), false),
        (several.path(), false),
        (frontmatter.path(), false),
        (plain.path(), true),
    ] {
        let checked = check_package(root, &options).await;
        match checked {
            Ok(_) => assert!(recognized, "{root:?}"),
            Err(error) => {
                assert!(matches!(error, PackageError::Unrecognized(_)), "{error:?}");
                assert!(!recognized, "{root:?}");
            }
        }
    }
}

#[tokio::test]
async fn the_first_policy_is_for_static_checks() {
    let root = package(MANIFEST);
    let mut options = PackageOptions::default();
    options.policy = Some(Policy::V1);
    let error = check_package(root.path(), &options).await.unwrap_err();
    assert!(matches!(error, PackageError::Policy(_)), "{error:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_refused() {
    let root = package(MANIFEST);
    std::os::unix::fs::symlink("openenv.yaml", root.path().join("link")).unwrap();
    let report = check(root.path(), Level::Runtime, &Started(Vec::new())).await;
    assert_status(&report, "static.manifest", Status::Error, "symbolic links");
    assert_eq!(result(&report, "runtime.startup").status, Status::Error);
    assert_eq!(report.source_digest, "");
    assert_eq!(report.verdict, Verdict::Fail);
}

#[tokio::test]
async fn what_a_run_rests_on_is_kept_without_secrets() {
    let root = planned(&PLAN.replace("\"seed\":7", "\"seed\":7,\"options\":{\"api_key\":\"abc\"}"));
    let kept = TempDir::new().unwrap();
    let launcher = Started(Vec::new());
    let mut options = PackageOptions::default();
    options.level = Level::Runtime;
    options.launcher = Some(&launcher);
    let run = check_package(root.path(), &options).await.unwrap();
    run.write_artifacts(kept.path()).unwrap();
    let read = |name: &str| {
        let text = fs::read_to_string(kept.path().join(name)).unwrap();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(
        read("runtime-plan.json")["reset"]["options"]["api_key"],
        "[REDACTED]"
    );
    let trace = read("collector-trace.json");
    assert_eq!(trace[0]["operation"], "reset");
    assert_eq!(trace[0]["request_json"]["data"]["api_key"], "[REDACTED]");
    assert_eq!(trace.as_array().unwrap().len(), 6);
    assert_eq!(read("collector-evidence.json")["complete"], true);
    assert_eq!(read("collector-evidence.json")["redacted"], true);
    assert_eq!(read("run-manifest.json")["plan_redacted"], true);
    assert_eq!(
        read("cleanup.json"),
        json!({ "required": true, "completed": true })
    );
    assert_eq!(read("report.json")["verdict"], "warn");
    let incomplete = read("coverage.json")["incomplete"].clone();
    assert!(
        incomplete
            .as_array()
            .unwrap()
            .contains(&json!("runtime.network_policy"))
    );
    let sums = fs::read_to_string(kept.path().join("SHA256SUMS")).unwrap();
    assert_eq!(sums.lines().count(), 7);
}
