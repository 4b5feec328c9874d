// What the examples of tools in the documentation of the client have in common:
// an environment with a tool, and a server of it. Included, not compiled by itself.

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Die {
    #[schemars(range(min = 1))]
    sides: u32,
}

struct Dice;

impl openenv::Environment for Dice {
    type Action = openenv::NoAction;
    type Observation = openenv::ToolObservation;
    type ResetObservation = ();
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: openenv::ResetOptions) -> openenv::Result<openenv::Step<()>> {
        Ok(openenv::Step::new(()))
    }

    async fn step(
        &mut self,
        none: openenv::NoAction,
        _: openenv::StepOptions,
    ) -> openenv::Result<openenv::Step<openenv::ToolObservation>> {
        match none {}
    }

    fn state(&self) {}

    fn tools() -> openenv::Tools<Self> {
        let roll = |_: &mut Self, die: Die| Ok(die.sides.min(4));
        openenv::Tools::new().add(openenv::Tool::new("roll", "Rolls a die", roll))
    }

    fn judge(&mut self, call: openenv::ToolCall<'_>) -> openenv::Step<()> {
        openenv::Step::new(()).reward(if call.outcome.is_ok() { 1.0 } else { -1.0 })
    }
}

include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/serve.rs"));

fn serve() -> String {
    serve_builder(openenv::Server::builder().environment("dice", || Dice))
}
