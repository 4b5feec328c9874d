//! An environment full of tools, with the three kinds of actions that were recorded.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::time::Duration;

use openenv::{
    Environment, Error, Metadata, Mode, NoAction, ResetOptions, Result, Step, StepOptions, Tool,
    ToolObservation, Tools,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(crate) struct McpEnv<A> {
    /// Sums and `env_counter`s since the reset.
    count: i64,
    /// Calls of `counter`, which no reset forgets.
    calls: i64,
    episode_id: String,
    action: PhantomData<fn(A)>,
}

impl<A> Default for McpEnv<A> {
    fn default() -> Self {
        Self {
            count: 0,
            calls: 0,
            episode_id: "mcp".to_owned(),
            action: PhantomData,
        }
    }
}

/// What the environment does of its own, besides its tools.
pub(crate) trait Act: DeserializeOwned + JsonSchema + Send + 'static {
    type Observation: Serialize + JsonSchema + Send;

    fn act(self) -> Step<Self::Observation>;
}

impl Act for NoAction {
    type Observation = ToolObservation;

    fn act(self) -> Step<ToolObservation> {
        match self {}
    }
}

impl Act for () {
    type Observation = ();

    fn act(self) -> Step<()> {
        Step::new(()).reward(0.25).with("got", "Action")
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CustomAction {
    #[expect(dead_code, reason = "it is there to be sent")]
    word: String,
}

impl Act for CustomAction {
    type Observation = ();

    fn act(self) -> Step<()> {
        Step::new(()).reward(0.25).with("got", "CustomAction")
    }
}

// The name of the episode is the environment's, the count of its steps the server's.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "State", default)]
pub(crate) struct McpState {
    /// Unique identifier for the current episode
    episode_id: Option<String>,
}

impl<A: Act> Environment for McpEnv<A> {
    type Action = A;
    type Observation = A::Observation;
    type ResetObservation = ();
    type State = McpState;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<()>> {
        self.count = 0;
        self.episode_id = options.episode_id.unwrap_or_else(|| "mcp".to_owned());
        Ok(Step::new(()).reward(0.0).with("status", "ready"))
    }

    async fn step(&mut self, action: A, _: StepOptions) -> Result<Step<A::Observation>> {
        Ok(action.act())
    }

    fn state(&self) -> McpState {
        McpState {
            episode_id: Some(self.episode_id.clone()),
        }
    }

    fn metadata() -> Metadata {
        Metadata::new("McpProbe", "McpProbe environment")
    }

    fn tools() -> Tools<Self> {
        Tools::new()
            .add(Tool::new("add", "Add two numbers.", Self::add))
            .add(Tool::new("greet", "Say hello.", Self::greet))
            .add(Tool::new("as_dict", "Return a dict.", Self::as_dict))
            .add(Tool::new("as_list", "Return a list.", Self::as_list))
            .add(Tool::new("as_untyped_list", "", Self::as_untyped_list))
            .add(Tool::new("as_none", "Return nothing.", Self::as_none))
            .add(Tool::new("as_float", "", Self::as_float))
            .add(Tool::new("as_bool", "", Self::as_bool))
            .add(Tool::new("fails", "Always raises.", Self::fails))
            .add(Tool::new("slow", "Blocks.", Self::slow))
            .add(Tool::new("aslow", "Async sleep.", Self::aslow))
            .add(Tool::new("no_doc", "", Self::no_doc))
            .add(Tool::new(
                "counter",
                "Per MCP session state counter.",
                Self::counter,
            ))
            .add(Tool::new(
                "env_counter",
                "Per env instance counter.",
                Self::env_counter,
            ))
            .add(Tool::new("everywhere", "Both modes.", Self::everywhere))
            .add(Tool::new("lookup", "Prod lookup.", Self::lookup_prod).only(Mode::Production))
            .add(Tool::new("lookup", "Sim lookup.", Self::lookup_sim).only(Mode::Simulation))
            .add(Tool::new("sim_only", "", Self::sim_only).only(Mode::Simulation))
            .add(Tool::new("sim_raises", "", Self::sim_raises).only(Mode::Simulation))
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Terms {
    a: i64,
    #[serde(default = "one")]
    b: i64,
}

fn one() -> i64 {
    1
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct X {
    x: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Length {
    n: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Message {
    #[serde(default = "exploded")]
    msg: String,
}

fn exploded() -> String {
    "tool exploded".to_owned()
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Pause {
    seconds: f64,
}

impl Pause {
    fn duration(&self) -> Result<Duration> {
        Duration::try_from_secs_f64(self.seconds).map_err(Error::from_source)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Undocumented {
    x: i64,
    #[serde(default)]
    flag: bool,
    #[serde(default)]
    items: Option<Vec<String>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Z {
    z: i64,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    q: String,
    #[serde(default = "three")]
    k: i64,
}

fn three() -> i64 {
    3
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Mixed {
    flag: bool,
    ratio: f64,
    data: Vec<Value>,
}

#[expect(
    clippy::unused_async,
    reason = "a tool is called like this, whatever it needs"
)]
impl<A: Act> McpEnv<A> {
    async fn add(&mut self, Terms { a, b }: Terms) -> Result<i64> {
        self.count += 1;
        Ok(a + b)
    }

    async fn greet(&mut self, Name { name }: Name) -> Result<String> {
        Ok(format!("hello {name}"))
    }

    async fn as_dict(&mut self, X { x }: X) -> Result<Map<String, Value>> {
        let nested = json!({ "k": [1, null, 2.5] });
        Ok(Map::from_iter([
            ("x".to_owned(), json!(x)),
            ("nested".to_owned(), nested),
        ]))
    }

    async fn as_list(&mut self, Length { n }: Length) -> Result<Vec<i64>> {
        Ok((0..n).collect())
    }

    async fn as_untyped_list(&mut self, Length { n }: Length) -> Result<Value> {
        Ok((0..n).map(|i| json!({ "i": i })).collect())
    }

    async fn as_none(&mut self, (): ()) -> Result<()> {
        Ok(())
    }

    async fn as_float(&mut self, (): ()) -> Result<f64> {
        Ok(2.0)
    }

    async fn as_bool(&mut self, (): ()) -> Result<bool> {
        Ok(true)
    }

    async fn fails(&mut self, Message { msg }: Message) -> Result<String> {
        Err(msg.into())
    }

    // Tools that block were recorded on threads of their own.
    async fn slow(&mut self, pause: Pause) -> Result<&'static str> {
        let pause = pause.duration()?;
        let sleeping = tokio::task::spawn_blocking(move || std::thread::sleep(pause));
        sleeping.await.map_err(Error::from_source)?;
        Ok("slept")
    }

    async fn aslow(&mut self, pause: Pause) -> Result<&'static str> {
        tokio::time::sleep(pause.duration()?).await;
        Ok("aslept")
    }

    async fn no_doc(&mut self, given: Undocumented) -> Result<Value> {
        Ok(json!({ "x": given.x, "flag": given.flag, "items": given.items }))
    }

    async fn counter(&mut self, (): ()) -> Result<i64> {
        self.calls += 1;
        Ok(self.calls)
    }

    async fn env_counter(&mut self, (): ()) -> Result<i64> {
        self.count += 1;
        Ok(self.count)
    }

    async fn everywhere(&mut self, Z { z }: Z) -> Result<i64> {
        Ok(z * 2)
    }

    async fn lookup_prod(&mut self, Query { q, k }: Query) -> Result<String> {
        Ok(format!("prod:{q}:{k}"))
    }

    async fn lookup_sim(&mut self, Query { q, k }: Query) -> Result<String> {
        Ok(format!("sim:{q}:{k}"))
    }

    async fn sim_only(&mut self, given: Mixed) -> Result<Map<String, Value>> {
        Ok(Map::from_iter([
            ("flag".to_owned(), json!(given.flag)),
            ("ratio".to_owned(), json!(given.ratio)),
            ("data".to_owned(), json!(given.data)),
        ]))
    }

    async fn sim_raises(&mut self, (): ()) -> Result<()> {
        Err("'nope'".into())
    }
}
