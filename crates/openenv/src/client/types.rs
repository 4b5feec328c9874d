//! What travels between a client and its environment, as types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::env::Environment;
use crate::tool::{CallTool, NoAction};

/// The types that a client speaks with an environment.
///
/// Every [`Environment`] whose types serialise both ways is one; where it has no
/// actions but tools, they are [`CallTool`]s. A client that does not have the
/// environment's crate at hand declares them itself:
///
/// ```
/// use openenv::EnvTypes;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize)]
/// struct Guess { number: u32 }
///
/// #[derive(Deserialize)]
/// struct Hint { text: String }
///
/// struct GuessTheNumber;
///
/// impl EnvTypes for GuessTheNumber {
///     type Action = Guess;
///     type Observation = Hint;
///     type ResetObservation = Hint;
///     type State = ();
/// }
/// ```
pub trait EnvTypes {
    /// What the agent does in one step.
    type Action: Serialize + Sync;
    /// What the agent sees after a step.
    type Observation: DeserializeOwned + Send;
    /// What the agent sees after a reset.
    type ResetObservation: DeserializeOwned + Send;
    /// What a trainer may look at besides.
    type State: DeserializeOwned + Send;
}

impl<E> EnvTypes for E
where
    E: Environment,
    E::Action: SentAction,
    E::Observation: DeserializeOwned,
    E::ResetObservation: DeserializeOwned,
    E::State: DeserializeOwned,
{
    type Action = <E::Action as SentAction>::Sent;
    type Observation = E::Observation;
    type ResetObservation = E::ResetObservation;
    type State = E::State;
}

/// What a client sends for an action of this type.
pub trait SentAction {
    /// The type itself, or what stands for it.
    type Sent: Serialize + Sync;
}

impl<A: Serialize + Sync> SentAction for A {
    type Sent = A;
}

/// There is nothing to send but calls of tools.
impl SentAction for NoAction {
    type Sent = CallTool;
}

/// Any environment at all, in JSON.
///
/// ```
/// use openenv::{EnvClient, Json, ResetOptions};
/// use serde_json::json;
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let mut env = EnvClient::<Json>::connect(&url).await?;
/// env.reset(ResetOptions::default()).await?;
/// let step = env.step(&json!({"text": "hello"})).await?;
/// assert_eq!(step.observation["text"], "HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Json {}

impl EnvTypes for Json {
    type Action = Value;
    type Observation = Value;
    type ResetObservation = Value;
    type State = Value;
}
