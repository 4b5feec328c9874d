//! Differences of tools that one mode alone has.
//!
//! The recorded server neither tells an environment its mode nor serves such
//! tools over `/mcp`; here they are tools like all others.

use serde_json::{Value, json};

use super::{Difference, Language, edited, observation, rpc, steps};

pub(super) fn all() -> Vec<Difference> {
    let mut differences = vec![
        edited(
            &[
                "mcp-sim http: tools/list",
                "mcp-sim http: tools/list params empty",
                "mcp-sim http: tools/list with cursor param",
                "mcp-sim http: tools/list session_id empty string -> stateless",
                "mcp-sim http: session tools/list",
                "mcp-sim http: id missing (notification)",
                "mcp-sim http: extra _meta in params ok",
                "mcp-sim* ws: mcpws tools/list",
                "mcp-sim* ws: mcpws session_id param ignored",
                "mcp-sim* ws: ws mcp tools/list",
            ],
            "Q5, Q6",
            LISTED,
            |reply| list(reply, &simulation_tools()),
        ),
        edited(
            &[
                "mcp-prod http: tools/list",
                "mcp-prod http: tools/list params empty",
                "mcp-prod http: tools/list with cursor param",
                "mcp-prod http: tools/list session_id empty string -> stateless",
                "mcp-prod http: session tools/list",
                "mcp-prod http: id missing (notification)",
                "mcp-prod http: extra _meta in params ok",
                "mcp-prod* ws: mcpws tools/list",
                "mcp-prod* ws: mcpws session_id param ignored",
                "mcp-prod* ws: ws mcp tools/list",
            ],
            "Q5, Q6",
            LISTED,
            |reply| list(reply, &production_tools()),
        ),
        edited(
            &[
                "mcp-sim ws: ws step list_tools",
                "mcp-sim ws: ws step list_tools with metadata",
                "mcp-sim http: HTTP step list_tools",
                "mcp-sim-envmode-sim ws: ws step list_tools",
                "mcp-sim-envmode-sim ws: ws step list_tools with metadata",
                "mcp-sim-envmode-sim http: HTTP step list_tools",
                "mcp-sim-actionbase ws: ws step list_tools",
                "mcp-sim-actionbase ws: ws step list_tools with metadata",
                "mcp-sim-actionbase http: HTTP step list_tools",
            ],
            "Q6",
            "tools of one mode are tools like all others: listed, with a whole schema",
            |reply| list_as_step(reply, &simulation_tools()),
        ),
        edited(
            &[
                "mcp-prod* ws: ws step list_tools",
                "mcp-prod* ws: ws step list_tools with metadata",
            ],
            "Q6",
            "tools of one mode are tools like all others: listed, with a whole schema",
            |reply| list_as_step(reply, &production_tools()),
        ),
        edited(
            steps!["ws: ws step call_tool everywhere"],
            "Q6",
            "a tool of both modes has the same result however it is called",
            |reply| observation(reply)["result"]["meta"] = wrap_mark(),
        ),
    ];
    differences.extend(CALLS.map(|(rows, edit)| edited(rows, "Q6", SERVED, edit)));
    differences
        .into_iter()
        .map(|it| it.only(Language::Rust))
        .collect()
}

const LISTED: &str = "a description is a text and tools of one mode are listed like all others; \
                      the tags of a Python library are not";

const SERVED: &str = "a server knows its mode: the tools of that mode can be called everywhere";

type Edit = fn(&mut Value);

const CALLS: [(&[&str], Edit); 15] = [
    (
        &[
            "mcp-sim http: tools/call lookup {\"q\": \"a\"}",
            "mcp-sim http: session lookup",
            "mcp-sim* ws: ws mcp tools/call lookup",
        ],
        |reply| succeed(reply, text("sim:a:3")),
    ),
    (&["mcp-sim* ws: mcpws lookup (mode tool)"], |reply| {
        succeed(reply, text("sim:x:3"));
    }),
    (
        &[
            "mcp-prod http: tools/call lookup {\"q\": \"a\"}",
            "mcp-prod http: session lookup",
            "mcp-prod* ws: ws mcp tools/call lookup",
        ],
        |reply| succeed(reply, text("prod:a:3")),
    ),
    (&["mcp-prod* ws: mcpws lookup (mode tool)"], |reply| {
        succeed(reply, text("prod:x:3"));
    }),
    (
        &[
            "mcp-sim http: tools/call sim_only {\"flag\": true, \"ratio\": 0.5, \"data\": [1]}",
            "mcp-sim* ws: ws mcp tools/call sim_only",
        ],
        |reply| succeed(reply, sim_only()),
    ),
    (
        &[
            "mcp-prod http: tools/call sim_only {\"flag\": true, \"ratio\": 0.5, \"data\": [1]}",
            "mcp-prod* ws: ws mcp tools/call sim_only",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(unavailable("sim_only")),
    ),
    (
        &[
            "mcp-sim http: tools/call sim_raises {}",
            "mcp-sim* ws: ws mcp tools/call sim_raises",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(RAISED),
    ),
    (
        &[
            "mcp-prod http: tools/call sim_raises {}",
            "mcp-prod* ws: ws mcp tools/call sim_raises",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(unavailable("sim_raises")),
    ),
    (
        &[
            "mcp-sim ws: ws step call_tool lookup",
            "mcp-sim-envmode-sim ws: ws step call_tool lookup",
            "mcp-sim-actionbase ws: ws step call_tool lookup",
        ],
        |reply| succeed_as_step(reply, text("sim:a:3")),
    ),
    (
        &[
            "mcp-sim http: HTTP step call lookup",
            "mcp-sim-envmode-sim http: HTTP step call lookup",
            "mcp-sim-actionbase http: HTTP step call lookup",
        ],
        |reply| succeed_as_step(reply, text("sim:z:3")),
    ),
    (&["mcp-prod* ws: ws step call_tool lookup"], |reply| {
        succeed_as_step(reply, text("prod:a:3"));
    }),
    (
        &[
            "mcp-sim ws: ws step call_tool sim_only",
            "mcp-sim-envmode-sim ws: ws step call_tool sim_only",
            "mcp-sim-actionbase ws: ws step call_tool sim_only",
        ],
        |reply| succeed_as_step(reply, sim_only()),
    ),
    (
        &[
            "mcp-sim ws: ws step call_tool sim_raises",
            "mcp-sim-envmode-sim ws: ws step call_tool sim_raises",
            "mcp-sim-actionbase ws: ws step call_tool sim_raises",
        ],
        |reply| {
            observation(reply)["error"] =
                json!({ "error_type": "execution_error", "message": RAISED });
        },
    ),
    (&["mcp-prod ws: ws step call_tool sim_only"], |reply| {
        observation(reply)["error"]["message"] = json!(unavailable("sim_only"));
    }),
    (&["mcp-prod ws: ws step call_tool sim_raises"], |reply| {
        observation(reply)["error"]["message"] = json!(unavailable("sim_raises"));
    }),
];

const RAISED: &str = "Error calling tool 'sim_raises': 'nope'";

fn unavailable(tool: &str) -> String {
    format!("Tool '{tool}' not available in production mode")
}

/// A result in place of the recorded error.
fn succeed(reply: &mut Value, result: Value) {
    if let Some(response) = rpc(reply).as_object_mut() {
        response.shift_remove("error");
        response.insert("result".to_owned(), result);
    }
}

fn succeed_as_step(reply: &mut Value, result: Value) {
    let observation = observation(reply);
    observation["result"] = result;
    observation["error"] = Value::Null;
}

fn text(text: &str) -> Value {
    json!({
        "content": [{ "type": "text", "text": text, "annotations": null, "meta": null }],
        "structured_content": { "result": text },
        "meta": wrap_mark(),
        "data": text,
        "is_error": false,
    })
}

fn sim_only() -> Value {
    let data = json!({ "flag": true, "ratio": 0.5, "data": [1] });
    let text = r#"{"flag":true,"ratio":0.5,"data":[1]}"#;
    json!({
        "content": [{ "type": "text", "text": text, "annotations": null, "meta": null }],
        "structured_content": data,
        "meta": null,
        "data": data,
        "is_error": false,
    })
}

fn wrap_mark() -> Value {
    json!({ "fastmcp": { "wrap_result": true } })
}

/// Name, description, input and output of the tools that one mode alone has.
type OneMode = (&'static str, &'static str, Value, Value);

fn production_tools() -> Vec<OneMode> {
    vec![lookup("Prod lookup.")]
}

fn simulation_tools() -> Vec<OneMode> {
    let mixed = json!({
        "additionalProperties": false,
        "properties": {
            "flag": { "type": "boolean" },
            "ratio": { "type": "number" },
            "data": { "items": {}, "type": "array" },
        },
        "required": ["flag", "ratio", "data"],
        "type": "object",
    });
    let nothing = json!({ "additionalProperties": false, "properties": {}, "type": "object" });
    let any_object = json!({ "additionalProperties": true, "type": "object" });
    vec![
        lookup("Sim lookup."),
        ("sim_only", "", mixed, any_object),
        ("sim_raises", "", nothing, Value::Null),
    ]
}

fn lookup(description: &'static str) -> OneMode {
    let input = json!({
        "additionalProperties": false,
        "properties": { "q": { "type": "string" }, "k": { "default": 3, "type": "integer" } },
        "required": ["q"],
        "type": "object",
    });
    let output = json!({
        "properties": { "result": { "type": "string" } },
        "required": ["result"],
        "type": "object",
        "x-fastmcp-wrap-result": true,
    });
    ("lookup", description, input, output)
}

/// The recorded tools without what a Python library adds to them, and `more`.
fn list(reply: &mut Value, more: &[OneMode]) {
    let Some(tools) = rpc(reply)["result"]["tools"].as_array_mut() else {
        return;
    };
    for tool in &mut *tools {
        tool["meta"] = Value::Null;
        if tool["description"].is_null() {
            tool["description"] = json!("");
        }
    }
    tools.extend(more.iter().map(|(name, description, input, output)| {
        json!({
            "name": name, "title": null, "description": description, "inputSchema": input,
            "outputSchema": output, "icons": null, "annotations": null, "meta": null,
            "execution": null,
        })
    }));
}

/// The recorded tools of both modes, and `more`.
fn list_as_step(reply: &mut Value, more: &[OneMode]) {
    let Some(tools) = observation(reply)["tools"].as_array_mut() else {
        return;
    };
    tools.retain(|tool| more.iter().all(|(name, ..)| tool["name"] != *name));
    tools.extend(more.iter().map(|(name, description, input, _)| {
        json!({ "name": name, "description": description, "input_schema": input })
    }));
}
