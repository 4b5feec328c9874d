//! Build, serve and drive reinforcement-learning environments.
//!
//! An environment is a world that an agent acts in: it is *reset* to begin an
//! episode and *stepped* with one action at a time, and answers with what the
//! agent sees and what that is worth. This crate serves environments written in
//! Rust over HTTP and WebSocket, in the protocol of OpenEnv, so that existing
//! trainers and clients can use them as they are; and it drives environments,
//! wherever they are served.
//!
//! # A server
//!
//! Implement [`Environment`], give [`Server`] a way to make one, and serve:
//!
//! ```no_run
//! use openenv::{Environment, ResetOptions, Result, Server, Step, StepOptions};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize, JsonSchema)]
//! struct Message {
//!     /// What is said
//!     #[schemars(length(min = 1, max = 1000))]
//!     text: String,
//! }
//!
//! struct Shout;
//!
//! impl Environment for Shout {
//!     type Action = Message;
//!     type Observation = Message;
//!     type ResetObservation = Message;
//!     type State = ();
//!     const CONCURRENT: bool = true;
//!
//!     async fn reset(&mut self, _: ResetOptions) -> Result<Step<Message>> {
//!         Ok(Step::new(Message { text: "say something".to_owned() }))
//!     }
//!
//!     async fn step(&mut self, said: Message, _: StepOptions) -> Result<Step<Message>> {
//!         Ok(Step::new(Message { text: said.text.to_uppercase() }).reward(1.0))
//!     }
//!
//!     fn state(&self) {}
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     let server = Server::builder().environment("shout", || Shout).build()?;
//!     let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
//!     server.serve(listener, openenv::shutdown_signal()).await
//! }
//! ```
//!
//! An environment is a plain struct: test it by calling its methods.
//!
//! ```
//! # use openenv::{Environment, ResetOptions, Result, Step, StepOptions};
//! # struct Shout;
//! # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
//! # struct Message { text: String }
//! # impl Environment for Shout {
//! #     type Action = Message;
//! #     type Observation = Message;
//! #     type ResetObservation = Message;
//! #     type State = ();
//! #     async fn reset(&mut self, _: ResetOptions) -> Result<Step<Message>> {
//! #         Ok(Step::new(Message { text: String::new() }))
//! #     }
//! #     async fn step(&mut self, said: Message, _: StepOptions) -> Result<Step<Message>> {
//! #         Ok(Step::new(Message { text: said.text.to_uppercase() }).reward(1.0))
//! #     }
//! #     fn state(&self) {}
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! let said = Message { text: "hello".to_owned() };
//! let step = Shout.step(said, StepOptions::default()).await?;
//! assert_eq!(step.observation.text, "HELLO");
//! # Ok(())
//! # }
//! ```
//!
//! # Tools
//!
//! Agents call tools by name. An environment registers functions of its own:
//! in simulation a trainer calls them as steps, for rewards, in production
//! agents call them over the Model Context Protocol. Both find the same `self`.
//!
//! ```
//! # use openenv::{Environment, NoAction, ResetOptions, Result, Step, StepOptions};
//! use openenv::{Tool, ToolCall, ToolObservation, Tools};
//!
//! # #[derive(Default)]
//! struct Safe {
//!     tries: u32,
//! }
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Code {
//!     /// Four digits
//!     #[schemars(regex(pattern = "^[0-9]{4}$"))]
//!     digits: String,
//! }
//!
//! impl Safe {
//!     fn open(&mut self, code: Code) -> Result<bool> {
//!         self.tries += 1;
//!         Ok(code.digits == "1969")
//!     }
//! }
//!
//! impl Environment for Safe {
//!     // There is nothing to do but to call tools.
//!     type Action = NoAction;
//!     type Observation = ToolObservation;
//! #     type ResetObservation = ();
//! #     type State = ();
//! #     async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
//! #         Ok(Step::new(()))
//! #     }
//! #     async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
//! #         match none {}
//! #     }
//! #     fn state(&self) {}
//!     // …
//!
//!     fn tools() -> Tools<Self> {
//!         Tools::new().add(Tool::new("open", "Tries a code on the door", Self::open))
//!     }
//!
//!     /// A call that is a step is worth what the environment says.
//!     fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
//!         let open = call.outcome.is_ok_and(|door| door.json().is_some_and(|it| it.get() == "true"));
//!         Step::new(()).reward(if open { 1.0 } else { -0.1 }).done(open || self.tries == 3)
//!     }
//! }
//! # #[cfg(feature = "server")]
//! # openenv::Server::builder().environment("safe", Safe::default).build().unwrap();
//! ```
//!
//! Arguments are described and enforced as actions are, results described by
//! their type; a function may be `async`, be for one [mode](Tool::only) only, have
//! a [time limit](Tool::timeout) and report [`Progress`]. An error is what the
//! agent gets to read, so that it can do better.
//!
//! With the feature `mcp`, `/mcp` is a server of the Model Context Protocol for
//! its own clients, and [`Server::serve_mcp`] one over a pair of streams. Such a
//! client's session is a session of the environment like any other.
//!
//! # A client
//!
//! With the feature `client`, the same types drive an environment from outside,
//! on this server or on any other that speaks the protocol:
//!
#![cfg_attr(not(all(feature = "client", feature = "server")), doc = "```ignore")]
#![cfg_attr(all(feature = "client", feature = "server"), doc = "```")]
//! use openenv::{EnvClient, ResetOptions};
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> openenv::Result<()> {
//! # let url = serve();
//!
//! let mut env = EnvClient::<Shout>::connect(&url).await?;
//! let first = env.reset(ResetOptions::default()).await?;
//! let step = env.step(&Message { text: "hello".to_owned() }).await?;
//! assert_eq!(step.observation.text, "HELLO");
//! env.close().await
//! # }
//! ```
//!
//! `EnvClient<Json>` drives any environment without its types, `EnvPool` many
//! sessions together, and the module `blocking` (feature of the same name) has
//! both for programs without async. Headers and limits are settings of an
//! `Endpoint`. The module `provider` gets servers running: a local process, a
//! container, or whatever implements its trait; `EnvClient::from_provider` opens a
//! session on one, and a `WarmPool` keeps some ready.
//!
//! Where an environment has tools, an agent calls them by name; a trainer does the
//! same as steps, and gets rewards:
//!
#![cfg_attr(not(all(feature = "client", feature = "server")), doc = "```ignore")]
#![cfg_attr(all(feature = "client", feature = "server"), doc = "```")]
//! use openenv::{Endpoint, EnvClient, ResetOptions};
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/dice.rs"));
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> openenv::Result<()> {
//! # let url = serve();
//!
//! let mut tools = Endpoint::new(&url)?.connect_tools().await?;
//! let output = tools.call_tool("roll", &Die { sides: 6 }).await?;
//! assert_eq!(output.read::<u32>()?, 4);
//!
//! let mut env = EnvClient::<Dice>::connect(&url).await?;
//! env.reset(ResetOptions::default()).await?;
//! let step = env.step_tool("roll", &Die { sides: 6 }).await?;
//! println!("{:?} for {:?}", step.reward, step.observation.output()?);
//! # Ok(())
//! # }
//! ```
//!
//! The protocol has one reply for each request, in order. A client keeps count, so
//! that a call that was given up costs no later call its reply; and it never opens
//! a new session unasked.
//!
//! # Types are the contract
//!
//! What is published at `/schema` and what is accepted come from the same
//! types:
//!
//! - Fields are required unless they have `#[serde(default)]`.
//! - Documentation comments become descriptions.
//! - Constraints are declared with `#[schemars(…)]` and enforced: `range` on
//!   numbers, `length` on texts and lists, `regex(pattern = "…")` on texts. An
//!   action that breaks one never reaches the environment. Every violation is
//!   reported, with the path to the value. Other keywords (`format`, `uniqueItems`,
//!   `minProperties`, …) are published and left to the type itself.
//! - Fields that an action does not have are refused, so that a misspelt one is an
//!   error rather than a default. Types inside of it take
//!   `#[serde(deny_unknown_fields)]` for the same; `#[serde(alias)]` is not known
//!   to the schema, so the other name is refused.
//! - `reward`, `done` and `metadata` belong to [`Step`], not to the observation;
//!   `episode_id` and `step_count` are kept by the server.
//!
//! # Sessions
//!
//! One value of the environment is one session. Each WebSocket opens a session
//! and ends it when it closes; the session's calls happen one after another.
//! `POST /reset` and `POST /step` make an environment for a single call each: of
//! use to look at an environment, not to play an episode.
//!
//! An environment is served to one session at a time unless it declares
//! [`Environment::CONCURRENT`]; then the limit is
//! [`ServerBuilder::max_sessions`]. Places are given back however a session
//! ends. A full server refuses, or lets callers wait
//! ([`ServerBuilder::queue_timeout`]).
//!
//! Calls run on the task of their connection, which is the fastest and asks that
//! the code does not block. Code that does says [`Execution::Thread`], which gives
//! each session a thread of its own. A panic ends its session and no other.
//!
//! # Modes
//!
//! In [`Mode::Simulation`] a trainer controls the episode over WebSocket and
//! HTTP. [`Mode::Production`] is for agents that call tools: it leaves out the
//! HTTP routes that control an episode (`/reset`, `/step`, `/state`). `/ws` stays,
//! for infrastructure and for the tool clients in Python;
//! [`ServerBuilder::control`] leaves it out as well, and [`Server::serve_apart`]
//! serves it on an address that agents do not get to.
//!
//! # People
//!
//! With feature `web`, [`ServerBuilder::web`] serves a page on which people try the
//! environment, watch its sessions and look into its episodes. It is made from the
//! schemas; an environment can say more of itself:
//!
//! ```
//! # use openenv::{Environment, Rendering, ResetOptions, Result, Step, StepOptions, Suggestion};
//! # struct Lamp { on: bool }
//! # #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
//! # struct Switch { on: bool }
//! impl Environment for Lamp {
//! #   type Action = Switch;
//! #   type Observation = ();
//! #   type ResetObservation = ();
//! #   type State = ();
//! #   async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> { Ok(Step::new(())) }
//! #   async fn step(&mut self, _: Switch, _: StepOptions) -> Result<Step<()>> { Ok(Step::new(())) }
//! #   fn state(&self) {}
//!     // …
//!     fn render(&self) -> Option<Rendering> {
//!         Some(Rendering::text(if self.on { "💡" } else { "·" }))
//!     }
//!
//!     fn suggested_actions(&self) -> Vec<Suggestion> {
//!         vec![Suggestion::new("Press", Switch { on: !self.on })]
//!     }
//! }
//! ```
//!
//! # Features
//!
//! | Feature | Default | What it adds | What it pulls in |
//! |---|---|---|---|
//! | `server` | yes | [`Server`] over HTTP and WebSocket | tokio, axum |
//! | `docs` | no | Swagger UI at `/docs`, embedded | utoipa-swagger-ui |
//! | `web` | no | A page for people at `/web`, embedded | brotli, flate2, pulldown-cmark |
//! | `mcp` | yes | The Model Context Protocol, for server and client | rmcp |
//! | `client` | no | Clients, pools, providers | tokio, tungstenite, reqwest |
//! | `blocking` | no | The clients without async | `client`, pollster |
//! | `docker` | no | Servers in containers | `client`, bollard |
//! | `tls` | no | `https` and `wss` for the clients | `client`, rustls |
//! | `python` | no | Environments written in Python, on Unix | `server`, serde-saphyr, toml |
//!
//! Without features, what is left is what an environment needs: no runtime, no
//! network.

#[cfg(feature = "blocking")]
pub mod blocking;
#[cfg(feature = "client")]
mod client;
#[cfg(feature = "server")]
mod contract;
mod env;
mod error;
#[cfg(feature = "server")]
mod json;
#[cfg(feature = "client")]
pub mod provider;
#[cfg(all(feature = "python", unix))]
pub mod python;
#[cfg(feature = "server")]
mod server;
mod tool;
#[cfg(feature = "server")]
mod wire;

#[cfg(feature = "client")]
#[doc(inline)]
pub use client::{Endpoint, EnvClient, EnvPool, EnvTypes, EpisodeState, Json, Schemas, ToolClient};
#[doc(inline)]
pub use env::{
    Ending, Environment, Execution, Metadata, Mode, Rendering, ResetOptions, Reward, Seed, Split,
    SplitKind, Step, StepOptions, Suggestion, Tasks,
};
#[doc(inline)]
pub use error::{Error, Location, Result, Violation};
#[cfg(feature = "server")]
#[doc(inline)]
pub use server::{
    Capacity, Origin, Server, ServerBuilder, SessionId, SessionInfo, SessionLog, shutdown_signal,
};
#[doc(inline)]
pub use tool::{
    CallTool, Content, NoAction, Progress, ProgressUpdate, Tool, ToolCall, ToolError, ToolFailure,
    ToolHandler, ToolInfo, ToolObservation, ToolOutput, ToolReturn, Tools,
};
