//! The OpenAPI document of one environment, and the page that shows it.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use crate::contract::{Base, Shape};
use crate::env::Metadata;
use crate::env::Mode;
use crate::server::body;
use crate::server::fallback::only;
use crate::server::sessions::Sessions;
use crate::wire::request::{
    GetTaskRangeRequest, GetTaskRequest, ListTasksRequest, NumTasksRequest, ResetRequest,
    StepRequest,
};

pub(crate) fn routes(sessions: &Arc<Sessions>, control: bool) -> Router<Arc<Sessions>> {
    let document = Bytes::from(document(sessions, control).to_string());
    let router = Router::new().route(
        "/openapi.json",
        only(Method::GET, async move || {
            body::raw_json(StatusCode::OK, document.clone())
        }),
    );
    #[cfg(feature = "docs")]
    let router = router.merge(crate::server::docs::routes());
    router
}

/// Clients and validators read `info.version` and the set of paths; the title
/// and the version are the ones they know.
fn document(sessions: &Sessions, control: bool) -> Value {
    let mut components = Components::default();
    let contract = sessions.blueprint.contract();
    let action = components.add(contract.schema("action").clone());
    let observation = components.add(contract.schema("observation").clone());
    let reset_observation = components.add(contract.schema("reset_observation").clone());
    let state = components.add(contract.schema("state").clone());
    components.add_validation_error();

    let mut paths = Map::new();
    if control && sessions.config.mode == Mode::Simulation {
        let reset_request = components.shape::<ResetRequest>(Base::Open);
        let mut step_request = Shape::<StepRequest>::fixed(Base::Open).schema().clone();
        step_request["properties"]["action"] = action;
        let step_request = components.add(step_request);
        let control = "Environment Control";
        paths.insert(
            "/reset".to_owned(),
            json!({ "post": Operation::new(control, "Start an episode")
                .describe("Makes an environment, resets it and closes it. Episodes of more than one step are played over the WebSocket at `/ws`.")
                .body(&reset_request, false)
                .answer(&answer_schema("ResetResponse", &reset_observation)) }),
        );
        paths.insert(
            "/step".to_owned(),
            json!({ "post": Operation::new(control, "Take one action")
                .describe("Makes an environment, takes the action and closes it. Episodes of more than one step are played over the WebSocket at `/ws`.")
                .body(&step_request, true)
                .answer(&answer_schema("StepResponse", &observation)) }),
        );
        paths.insert(
            "/state".to_owned(),
            json!({ "get": Operation::new("State Management", "Look at the state of a new environment").answer(&state) }),
        );
    }
    let metadata = components.shape::<Metadata>(Base::Closed);
    let any_object = json!({ "type": "object", "additionalProperties": true });
    let objects = json!({ "type": "array", "items": any_object });
    let mut get = |path: &str, tag: &str, summary: &str, answer: &Value| {
        paths.insert(
            path.to_owned(),
            json!({ "get": Operation::new(tag, summary).answer(answer) }),
        );
    };
    let status = json!({ "type": "object", "properties": { "status": { "type": "string", "enum": ["healthy", "unhealthy", "degraded"] } } });
    get("/health", "Health", "Whether the server is up", &status);
    get(
        "/metadata",
        "Environment Info",
        "What the environment is",
        &metadata,
    );
    get(
        "/schema",
        "Schema",
        "The schemas of actions, observations and state, and their digest",
        &any_object,
    );
    if control {
        get(
            "/sessions",
            "Infrastructure",
            "The sessions: who, since when, how busy",
            &objects,
        );
    }
    get(
        "/capacity",
        "Infrastructure",
        "How many sessions there are and how many more fit",
        &any_object,
    );
    let names = json!({ "type": "array", "items": { "type": "string" } });
    get(
        "/list_environments",
        "Task API",
        "The environments that are served",
        &names,
    );
    paths.insert(
        "/{env_name}/splits".to_owned(),
        json!({ "get": Operation::new("Task API", "The splits of the tasks").env_name().answer(&objects) }),
    );
    let mut post = |path: &str, summary: &str, request: &Value| {
        let operation = Operation::new("Task API", summary)
            .env_name()
            .body(request, true)
            .answer(&any_object);
        paths.insert(path.to_owned(), json!({ "post": operation }));
    };
    post(
        "/{env_name}/tasks",
        "The tasks of a split",
        &components.shape::<ListTasksRequest>(Base::Closed),
    );
    post(
        "/{env_name}/num_tasks",
        "How many tasks a split has",
        &components.shape::<NumTasksRequest>(Base::Closed),
    );
    post(
        "/{env_name}/task",
        "One task",
        &components.shape::<GetTaskRequest>(Base::Closed),
    );
    post(
        "/{env_name}/task_range",
        "Some tasks of a split",
        &components.shape::<GetTaskRangeRequest>(Base::Closed),
    );
    paths.insert(
        "/mcp".to_owned(),
        json!({ "post": Operation::new("MCP", "One JSON-RPC request")
            .describe("`tools/list` and `tools/call`; `openenv/session/create` opens a session to call them in, which a WebSocket can attach to as well, and `openenv/session/close` ends it. Clients of the Model Context Protocol find a server of it here.")
            .body(&any_object, true)
            .answer(&any_object) }),
    );

    let about = sessions.blueprint.metadata();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "OpenEnv Environment HTTP API",
            "version": "1.0.0",
            "description": format!("**{}**: {}\n\nEpisodes are played over the WebSocket at `/ws`.", about.name, about.description),
        },
        "servers": [{ "url": "." }],
        "paths": paths,
        "components": { "schemas": components.schemas },
    })
}

/// `{"observation": …, "reward": …, "done": …, "metadata": …}`.
fn answer_schema(title: &str, observation: &Value) -> Value {
    json!({
        "title": title,
        "type": "object",
        "required": ["observation"],
        "properties": {
            "observation": observation,
            "reward": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
            "done": { "type": "boolean", "default": false },
            "metadata": { "anyOf": [{ "type": "object", "additionalProperties": true }, { "type": "null" }] },
        },
    })
}

/// One method of one path.
struct Operation(Value);

impl Operation {
    fn new(tag: &str, summary: &str) -> Self {
        Self(json!({ "tags": [tag], "summary": summary }))
    }

    fn describe(mut self, description: &str) -> Self {
        self.0["description"] = description.into();
        self
    }

    fn env_name(mut self) -> Self {
        self.0["parameters"] = json!([
            { "name": "env_name", "in": "path", "required": true, "schema": { "type": "string" } }
        ]);
        self
    }

    fn body(mut self, schema: &Value, required: bool) -> Self {
        self.0["requestBody"] = json!({
            "required": required,
            "content": { "application/json": { "schema": schema } },
        });
        self
    }

    /// The last step: a body can be refused, so its presence decides the answers.
    fn answer(mut self, schema: &Value) -> Value {
        let mut answers = json!({
            "200": {
                "description": "Success",
                "content": { "application/json": { "schema": schema } },
            }
        });
        if self.0.get("requestBody").is_some() {
            answers["422"] = json!({
                "description": "The body does not fit its schema",
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/HTTPValidationError" } } },
            });
        }
        self.0["responses"] = answers;
        self.0
    }
}

/// The schemas that the document refers to.
#[derive(Default)]
struct Components {
    schemas: Map<String, Value>,
}

impl Components {
    fn shape<T: JsonSchema>(&mut self, base: Base) -> Value {
        self.add(Shape::<T>::fixed(base).schema().clone())
    }

    /// Adds a schema under its title, its definitions beside it, and refers to it.
    fn add(&mut self, mut schema: Value) -> Value {
        let definitions = schema
            .as_object_mut()
            .and_then(|schema| schema.remove("$defs"));
        if let Some(Value::Object(definitions)) = definitions {
            for (name, mut definition) in definitions {
                relocate_references(&mut definition);
                self.insert(name, definition);
            }
        }
        relocate_references(&mut schema);
        match schema.get("title").and_then(Value::as_str) {
            Some(title) => {
                let name = self.insert(title.to_owned(), schema);
                json!({ "$ref": format!("#/components/schemas/{name}") })
            }
            None => schema,
        }
    }

    /// Adds a schema under a name that no other schema has.
    ///
    /// One Rust type may be both action and observation, which differ in the
    /// fields that the framework adds.
    fn insert(&mut self, mut name: String, schema: Value) -> String {
        while self
            .schemas
            .get(&name)
            .is_some_and(|other| *other != schema)
        {
            name.push('_');
        }
        self.schemas.insert(name.clone(), schema);
        name
    }

    fn add_validation_error(&mut self) {
        let violation = json!({
            "title": "ValidationError",
            "type": "object",
            "required": ["loc", "msg", "type"],
            "properties": {
                "loc": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } },
                "msg": { "type": "string" },
                "type": { "type": "string" },
                "input": {},
                "ctx": { "type": "object" },
            },
        });
        let violation = self.add(violation);
        self.add(json!({
            "title": "HTTPValidationError",
            "type": "object",
            "properties": { "detail": { "type": "array", "items": violation } },
        }));
    }
}

/// Points references at the place where OpenAPI keeps schemas.
fn relocate_references(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(target) if key == "$ref" => {
                        *target = target.replace("#/$defs/", "#/components/schemas/");
                    }
                    _ => relocate_references(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(relocate_references),
        _ => {}
    }
}
