//! A server in a few lines, that does one thing wrong if it is told to.

use std::collections::HashSet;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::{get, post};
use serde_json::{Value, json};

/// What it does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    /// Observations depend on chance.
    Random,
    /// Only the first observation does.
    RandomReset,
    /// Reset keeps what the episode before left behind.
    Forgetless,
    /// All sessions have one counter.
    Shared,
    /// State makes up a name, another each time.
    OwnEpisode,
    /// State counts one too many.
    Miscount,
    /// The reward is true.
    RewardTrue,
    /// The reward is text.
    RewardText,
    /// The reward is not there.
    NoReward,
    /// The reward is null.
    RewardNull,
    /// An observation has a field that its schema does not have.
    OffSchema,
    /// The schema points to another document.
    RemoteSchema,
    /// A bad message ends the session.
    Fragile,
    /// A message that is no object ends the session, after an error.
    FragileArray,
    /// What is wrong with an action cannot be written down.
    Unserializable,
    /// Whatever comes is taken for an action.
    Gullible,
    /// Bad messages count as steps.
    CountsBad,
    /// A tool is called `reset`.
    ReservedTool,
    /// The schema of a tool makes no sense.
    BadToolSchema,
    /// A tool has no description.
    SilentTool,
    /// Two tools have one name.
    TwinTools,
    /// The tools cannot be listed.
    LostTools,
    /// Every call of a tool succeeds.
    GullibleTools,
    /// Places are never given back.
    LeaksPlaces,
    /// `close` is answered.
    AnswersClose,
    /// More sessions are let in than there are places.
    Overcommits,
    /// A full server closes the socket without a word.
    SilentlyFull,
    /// Steps are not answered with an observation.
    StepError,
    /// An observation has a time and a name of its own, which is fine.
    Natural,
}

use Fault as F;

/// What all sessions share.
#[derive(Default)]
struct World {
    faults: HashSet<Fault>,
    maximum: i64,
    active: AtomicI64,
    chance: AtomicU64,
    shared: Mutex<i64>,
}

impl World {
    fn has(&self, fault: Fault) -> bool {
        self.faults.contains(&fault)
    }

    fn chance(&self) -> u64 {
        self.chance.fetch_add(1, Ordering::Relaxed)
    }
}

/// A server with these faults and so many places.
pub(crate) fn faulty(faults: &[Fault], maximum: i64) -> Router {
    let world = Arc::new(World {
        faults: faults.iter().copied().collect(),
        maximum,
        ..World::default()
    });
    Router::new()
        .route("/openapi.json", get(openapi))
        .route("/health", get(async || r#"{"status":"healthy"}"#))
        .route(
            "/metadata",
            get(async || r#"{"name":"n","description":"d"}"#),
        )
        .route("/schema", get(schema))
        .route("/capacity", get(capacity))
        .route("/mcp", post(mcp))
        .route("/ws", get(ws))
        .with_state(world)
}

async fn openapi() -> String {
    let paths = json!({ "/reset": {}, "/step": {}, "/state": {} });
    json!({ "info": { "version": "1.0.0" }, "paths": paths }).to_string()
}

async fn schema(State(world): State<Arc<World>>) -> String {
    let mut observation = json!({
        "type": "object",
        "properties": {
            "total": { "type": "integer" },
            "stamp": { "type": "number" },
            "run_id": { "type": "string" },
            "done": { "type": "boolean" },
            "reward": {},
        },
        "required": ["total"],
        "additionalProperties": false,
    });
    if world.has(F::RemoteSchema) {
        observation["properties"]["total"] = json!({ "$ref": "http://127.0.0.1:9/total.json" });
    }
    json!({
        "action": {
            "type": "object",
            "properties": { "add": { "type": "integer", "minimum": 1, "maximum": 1000 } },
            "required": ["add"],
            "additionalProperties": false,
        },
        "observation": observation,
        "state": { "type": "object" },
    })
    .to_string()
}

async fn capacity(State(world): State<Arc<World>>) -> String {
    let active = world.active.load(Ordering::SeqCst);
    json!({ "active": active, "maximum": world.maximum }).to_string()
}

async fn mcp(State(world): State<Arc<World>>, request: String) -> String {
    let request = serde_json::from_str(&request).unwrap();
    rpc(&world, &request).to_string()
}

fn rpc(world: &World, request: &Value) -> Value {
    let id = &request["id"];
    let failed = |message: &str| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } });
    match request["method"].as_str() {
        Some("tools/list") if world.has(F::LostTools) => failed("the database is gone"),
        Some("tools/list") => {
            let schema = if world.has(F::BadToolSchema) {
                json!({ "type": "nonsense" })
            } else {
                let properties = json!({ "x": { "type": "integer" } });
                json!({ "type": "object", "properties": properties, "required": ["x"] })
            };
            let name = if world.has(F::ReservedTool) {
                "reset"
            } else {
                "twice"
            };
            let description = if world.has(F::SilentTool) {
                json!(null)
            } else {
                json!("Doubles.")
            };
            let tool = json!({ "name": name, "description": description, "inputSchema": schema });
            let tools = if world.has(F::TwinTools) {
                vec![tool.clone(), tool]
            } else {
                vec![tool]
            };
            json!({ "jsonrpc": "2.0", "id": id, "result": { "tools": tools } })
        }
        Some("tools/call") if world.has(F::GullibleTools) => {
            json!({ "jsonrpc": "2.0", "id": id, "result": { "content": [], "is_error": false } })
        }
        Some("tools/call") => failed("no"),
        _ => failed("no such method"),
    }
}

async fn ws(State(world): State<Arc<World>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |socket| serve(world, socket))
}

async fn serve(world: Arc<World>, mut socket: WebSocket) {
    let before = world.active.fetch_add(1, Ordering::SeqCst);
    if before >= world.maximum && !world.has(F::Overcommits) {
        world.active.fetch_sub(1, Ordering::SeqCst);
        if !world.has(F::SilentlyFull) {
            let error = json!({ "type": "error", "data": { "message": "full", "code": "CAPACITY_REACHED", "max_sessions": world.maximum } });
            let _ = socket.send(Message::text(error.to_string())).await;
        }
        let _ = socket.recv().await;
        return;
    }
    let closed = talk(&world, &mut socket).await;
    if closed && world.has(F::AnswersClose) {
        let _ = socket
            .send(Message::text(r#"{"type":"closed","data":{}}"#))
            .await;
    }
    if !world.has(F::LeaksPlaces) {
        world.active.fetch_sub(1, Ordering::SeqCst);
    }
    let _ = socket.send(Message::Close(None)).await;
}

/// One session; whether it was closed by its client's word.
async fn talk(world: &World, socket: &mut WebSocket) -> bool {
    let mut session = Session::default();
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(text) = message else {
            return false;
        };
        let reply = match serde_json::from_str::<Value>(&text) {
            Err(_) if world.has(F::Fragile) => return false,
            Err(_) => session.refuse(world, "INVALID_JSON"),
            Ok(frame) if frame["type"] == "close" => return true,
            Ok(frame) if !frame.is_object() && world.has(F::FragileArray) => {
                let error = session.refuse(world, "SESSION_ERROR");
                let _ = socket.send(Message::text(error.to_string())).await;
                return false;
            }
            Ok(frame) => session.answer(world, &frame),
        };
        if socket.send(Message::text(reply.to_string())).await.is_err() {
            return false;
        }
    }
    false
}

#[derive(Default)]
struct Session {
    episode_id: Value,
    own: Option<String>,
    steps: i64,
    total: i64,
}

impl Session {
    fn answer(&mut self, world: &World, frame: &Value) -> Value {
        let data = &frame["data"];
        match frame["type"].as_str() {
            Some("reset") => {
                self.episode_id = data["episode_id"].clone();
                self.steps = 0;
                if !world.has(F::Forgetless) {
                    self.total = data["seed"].as_i64().unwrap_or_default();
                }
                *world.shared.lock().unwrap() = 0;
                if world.has(F::RandomReset) {
                    self.total += world.chance().cast_signed();
                }
                self.observation(world, &json!(0.0))
            }
            Some("step") => match data["add"].as_i64() {
                _ if world.has(F::StepError) => error("EXECUTION_ERROR"),
                Some(add) if data.as_object().is_some_and(|data| data.len() == 1) => {
                    self.step(world, add)
                }
                _ if world.has(F::Gullible) => self.step(world, 1),
                _ if world.has(F::Unserializable) => {
                    let message = "Unable to serialize unknown type: <class 'ValueError'>";
                    json!({ "type": "error", "data": { "message": message, "code": "EXECUTION_ERROR" } })
                }
                _ => self.refuse(world, "VALIDATION_ERROR"),
            },
            Some("state") => {
                let extra = i64::from(world.has(F::Miscount));
                let episode_id = if world.has(F::OwnEpisode) {
                    self.own_id(world)
                } else {
                    self.episode_id.clone()
                };
                json!({ "type": "state", "data": { "episode_id": episode_id, "step_count": self.steps + extra } })
            }
            Some("mcp") => json!({ "type": "mcp", "data": rpc(world, data) }),
            _ => self.refuse(world, "UNKNOWN_TYPE"),
        }
    }

    fn own_id(&mut self, world: &World) -> Value {
        let own = self
            .own
            .get_or_insert_with(|| format!("mine {}", world.chance()));
        json!(own)
    }

    fn step(&mut self, world: &World, add: i64) -> Value {
        self.steps += 1;
        self.total += add;
        if world.has(F::Shared) {
            let mut shared = world.shared.lock().unwrap();
            *shared += add;
            self.total = *shared;
        }
        if world.has(F::Random) {
            self.total += world.chance().cast_signed();
        }
        let reward = match () {
            () if world.has(F::RewardTrue) => json!(true),
            () if world.has(F::RewardText) => json!("much"),
            () if world.has(F::RewardNull) => json!(null),
            () => json!(0.5),
        };
        self.observation(world, &reward)
    }

    fn observation(&self, world: &World, reward: &Value) -> Value {
        let mut observation = json!({ "total": self.total });
        if world.has(F::OffSchema) && self.steps == 2 {
            observation["surprise"] = json!(1);
        }
        if world.has(F::Natural) {
            let now = std::time::UNIX_EPOCH.elapsed().unwrap();
            observation["stamp"] = json!(now.as_secs_f64());
            observation["run_id"] = json!(format!("{:032x}", now.as_nanos()));
        }
        let mut data = json!({ "observation": observation, "reward": reward, "done": false });
        if world.has(F::NoReward) && self.steps > 0 {
            data.as_object_mut().unwrap().remove("reward");
        }
        json!({ "type": "observation", "data": data })
    }

    fn refuse(&mut self, world: &World, code: &str) -> Value {
        if world.has(F::CountsBad) {
            self.steps += 1;
        }
        error(code)
    }
}

fn error(code: &str) -> Value {
    json!({ "type": "error", "data": { "message": "no", "code": code } })
}
