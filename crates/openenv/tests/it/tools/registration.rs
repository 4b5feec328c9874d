//! What is wrong with the tools of an environment shows before it is served.

use openenv::{
    Environment, Mode, NoAction, ResetOptions, Result, Server, Step, StepOptions, Tool, Tools,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// An environment whose tools `SET` chooses.
struct Shelf<const SET: u8>;

impl<const SET: u8> Environment for Shelf<SET> {
    type Action = ();
    type Observation = ();
    type ResetObservation = ();
    type State = ();

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        Ok(Step::new(()))
    }

    async fn step(&mut self, (): (), _: StepOptions) -> Result<Step<()>> {
        Ok(Step::new(()))
    }

    fn state(&self) {}

    fn tools() -> Tools<Self> {
        let nothing = Tools::new();
        match SET {
            0 => nothing.add(named("step")),
            1 => nothing
                .add(named("step"))
                .add(named("fine"))
                .add(named("close"))
                .add(named("step")),
            2 => nothing.add(named("same")).add(named("same")),
            3 => nothing
                .add(named("same"))
                .add(named("same").only(Mode::Simulation)),
            4 => nothing
                .add(named("same").only(Mode::Production))
                .add(named("same").only(Mode::Production)),
            5 => nothing.add(named("")),
            6 => nothing.add(named("two words")),
            7 => nothing.add(named("straße")),
            8 => nothing.add(named(&"x".repeat(129))),
            9 => nothing.add(Tool::new("odd", "", async |_: &mut Self, _: String| Ok(()))),
            10 => nothing.add(Tool::new("odd", "", async |_: &mut Self, _: Value| Ok(()))),
            11 => nothing.add(Tool::new("odd", "", async |_: &mut Self, _: Choice| Ok(()))),
            _ => nothing
                .add(named("a-b_c.D9"))
                .add(named(&"x".repeat(128)))
                .add(named("same").only(Mode::Simulation))
                .add(named("same").only(Mode::Production)),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Choice {
    Left,
    Right,
}

fn named<E: Send + 'static>(name: &str) -> Tool<E> {
    Tool::new(name, "", async |_: &mut E, (): ()| Ok(()))
}

fn refusal<const SET: u8>() -> String {
    let built = Server::builder()
        .environment("shelf", || Shelf::<SET>)
        .build();
    built.unwrap_err().to_string()
}

#[test]
fn reserved_names_are_refused_as_the_reference_does() {
    assert_eq!(
        refusal::<0>(),
        "MCP tools cannot use reserved names: ['step']. \
         Reserved names are: ['close', 'reset', 'state', 'step']"
    );
    assert_eq!(
        refusal::<1>(),
        "MCP tools cannot use reserved names: ['close', 'step']. \
         Reserved names are: ['close', 'reset', 'state', 'step']"
    );
}

#[test]
fn a_name_stands_once_in_each_mode() {
    for refusal in [refusal::<2>(), refusal::<3>(), refusal::<4>()] {
        assert_eq!(
            refusal,
            "tool name `same` stands twice: name the tools apart or give them different modes"
        );
    }
}

#[test]
fn a_name_is_short_and_of_plain_characters() {
    for (refusal, name) in [
        (refusal::<5>(), String::new()),
        (refusal::<6>(), "two words".to_owned()),
        (refusal::<7>(), "straße".to_owned()),
        (refusal::<8>(), "x".repeat(129)),
    ] {
        let words = "does not fit: use up to 128 letters, digits, `-`, `_` and `.`";
        assert_eq!(refusal, format!("tool name `{name}` {words}"));
    }
}

#[test]
fn arguments_are_an_object() {
    for refusal in [refusal::<9>(), refusal::<10>(), refusal::<11>()] {
        assert!(refusal.starts_with("tool `odd`: "), "{refusal}");
        assert!(refusal.contains("object"), "{refusal}");
    }
}

#[test]
fn what_fits_is_served() {
    let built = Server::builder()
        .environment("shelf", || Shelf::<12>)
        .build();
    built.unwrap();
}

/// Neither actions nor tools.
struct Void;

impl Environment for Void {
    type Action = NoAction;
    type Observation = ();
    type ResetObservation = ();
    type State = ();

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        Ok(Step::new(()))
    }

    async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<()>> {
        match none {}
    }

    fn state(&self) {}
}

#[test]
fn without_actions_there_are_tools() {
    let built = Server::builder().environment("void", || Void).build();
    assert_eq!(
        built.unwrap_err().to_string(),
        "an environment with `NoAction` needs tools: there is nothing else to do in it"
    );
}

/// An action that a tool call would be taken for.
#[derive(Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Shadowed {
    Wait {},
    CallTool { number: u32 },
}

struct Clash;

impl Environment for Clash {
    type Action = Shadowed;
    type Observation = ();
    type ResetObservation = ();
    type State = ();

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        Ok(Step::new(()))
    }

    async fn step(&mut self, action: Shadowed, _: StepOptions) -> Result<Step<()>> {
        match action {
            Shadowed::Wait {} => Ok(Step::new(())),
            Shadowed::CallTool { number } => Ok(Step::new(()).reward(number)),
        }
    }

    fn state(&self) {}

    fn tools() -> Tools<Self> {
        Tools::new().add(Tool::new("fine", "Is fine", |_: &mut Self, (): ()| Ok(())))
    }
}

#[test]
fn actions_that_would_be_taken_for_tools_are_refused() {
    let built = Server::builder().environment("clash", || Clash).build();
    let message = built.unwrap_err().to_string();
    assert!(message.contains("`call_tool`"), "{message}");
}
