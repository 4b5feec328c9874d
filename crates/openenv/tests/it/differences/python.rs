//! Differences of environments in Python alone.

use serde_json::{Value, json};

use super::core::FAILED;
use super::tools::rpc;
use super::{Ask, Difference, Instead, Language, edited, execution_error, failure, without_digest};

pub(super) fn all() -> Vec<Difference> {
    let mut differences = core();
    differences.extend(tools());
    differences.extend(modes());
    differences
        .into_iter()
        .map(|it| it.only(Language::Python))
        .collect()
}

fn core() -> Vec<Difference> {
    let answer = |rows, quirk, reason, answer| Difference {
        rows,
        quirk,
        reason,
        only: None,
        ask: Ask::AsRecorded,
        instead: Instead::Answer(answer),
    };
    vec![
        answer(
            &["echo-sim ws: step env raises ValidationError"],
            "Q9",
            NOT_THE_CALLERS,
            execution_error(&not_a_number("Inner", "n", "not a number")),
        ),
        answer(
            &["echo-sim ws: reset seed string (WS does not validate)"],
            "Q9",
            NOT_THE_CALLERS,
            execution_error(&not_a_number("EchoResetObservation", "seed", "abc")),
        ),
        answer(
            &["echo-sim ws: reset episode_id int"],
            "Q9",
            NOT_THE_CALLERS,
            execution_error(
                "1 validation error for EchoState\nepisode_id\n  Input should be a valid string \
                 [type=string_type, input_value=5, input_type=int]\n    For further information \
                 visit https://errors.pydantic.dev/2.14/v/string_type",
            ),
        ),
        answer(
            &["echo-sim http: step env raises validation error"],
            "Q21",
            FAILED,
            failure(500, &not_a_number("Inner", "n", "not a number")),
        ),
        answer(
            &["echo-sim-factoryflag http: factory error splits"],
            "Q21",
            FAILED,
            failure(
                500,
                "Environment factory 'EchoEnv' failed to create instance.",
            ),
        ),
        answer(
            &["echo-sim ws: reset kwarg named self"],
            "Q10",
            "it is the environment that cannot take an argument of this name, not the server",
            execution_error("EchoEnv.reset() got multiple values for argument 'self'"),
        ),
        answer(
            &["echo-sim ws: step env raises empty"],
            "Q15",
            "an empty text tells nobody what to look for; the name of the exception does",
            execution_error("ValueError"),
        ),
        Difference {
            rows: &[
                "plain-sim http: plain schema",
                "mcp-* http: route GET /schema",
            ],
            quirk: "own",
            reason: "`digest` tells whether two servers have the same schemas",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(without_digest),
        },
    ]
}

const NOT_THE_CALLERS: &str = "a failure inside the environment is not the caller's";

/// What pydantic says of a text where a number should be.
fn not_a_number(model: &str, field: &str, input: &str) -> String {
    format!(
        "1 validation error for {model}\n{field}\n  Input should be a valid integer, unable to parse \
         string as an integer [type=int_parsing, input_value='{input}', input_type=str]\n    For \
         further information visit https://errors.pydantic.dev/2.14/v/int_parsing"
    )
}

/// Environments whose tools are neither behind a client nor of one mode.
fn tools() -> Vec<Difference> {
    vec![
        edited(
            &["mcpstyle-sim http: mcpstyle tools/list"],
            "own",
            ONE_FORM,
            |reply| {
                let schema = json!({ "type": "object", "properties": {} });
                reply["result"]["tools"] = json!([listing("ping", "p", &schema)]);
            },
        ),
        edited(
            &["mcpserveronly-sim http: mcpserveronly tools/list"],
            "own",
            ONE_FORM,
            |reply| {
                for tool in reply["result"]["tools"]
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                {
                    let name = tool["name"].as_str().unwrap_or_default().to_owned();
                    let description = tool["description"].as_str().unwrap_or_default().to_owned();
                    let mut full = listing(&name, &description, &tool["inputSchema"]);
                    full["outputSchema"] = wrapped_integer();
                    full["meta"] = json!({ "fastmcp": { "tags": [] } });
                    *tool = full;
                }
            },
        ),
        edited(
            &[
                "mcpserveronly-sim http: mcpserveronly call add",
                "mcpserveronly-sim http: mcpserveronly call add no type check",
            ],
            "own",
            CHECKED,
            |reply| reply["result"] = result(&json!(3), "3"),
        ),
        edited(
            &["mcpserveronly-sim http: mcpserveronly call bad"],
            "own",
            ONE_FORM,
            |reply| reply["error"]["message"] = json!("Error calling tool 'bad': bad tool"),
        ),
        edited(
            &["mcpserveronly-sim http: mcpserveronly call missing args"],
            "own",
            CHECKED,
            |reply| {
                let missing = |name| {
                    format!(
                        "{name}\n  Missing required argument [type=missing_argument, \
                         input_value={{}}, input_type=dict]\n    For further information visit \
                         https://errors.pydantic.dev/2.14/v/missing_argument"
                    )
                };
                let (a, b) = (missing("a"), missing("b"));
                reply["error"]["message"] =
                    format!("2 validation errors for call[add]\n{a}\n{b}").into();
            },
        ),
        edited(
            &["mcpserveronly-sim http: mcpserveronly call nosuch"],
            "own",
            ONE_FORM,
            |reply| {
                reply["error"]["code"] = json!(-32603);
                reply["error"]["message"] = json!("Unknown tool: 'nosuch'");
            },
        ),
    ]
}

const ONE_FORM: &str = "tools are listed, called and answered for in one form, \
                        however an environment has them";

const CHECKED: &str = "arguments are checked and results have one form, however an environment \
                       has its tools; clients take what is in `data` for the result";

/// Tools that one mode alone has: the server tells the environment its mode, and has
/// them on `/mcp` as well.
fn modes() -> Vec<Difference> {
    let told = |rows, server| Difference {
        rows,
        quirk: "Q6",
        reason: "a server knows its mode: the environment need not be told it by hand",
        only: None,
        ask: Ask::AsRecorded,
        instead: Instead::As(server),
    };
    let mut differences = vec![
        told(
            &[
                "mcp-sim ws: ws step list_tools",
                "mcp-sim ws: ws step list_tools with metadata",
                "mcp-sim ws: ws step call_tool lookup",
                "mcp-sim ws: ws step call_tool sim_only",
                "mcp-sim ws: ws step call_tool sim_raises",
                "mcp-sim http: HTTP step list_tools",
                "mcp-sim http: HTTP step call lookup",
                "mcp-sim-actionbase ws: ws step list_tools",
                "mcp-sim-actionbase ws: ws step list_tools with metadata",
                "mcp-sim-actionbase ws: ws step call_tool lookup",
                "mcp-sim-actionbase ws: ws step call_tool sim_only",
                "mcp-sim-actionbase ws: ws step call_tool sim_raises",
                "mcp-sim-actionbase http: HTTP step list_tools",
                "mcp-sim-actionbase http: HTTP step call lookup",
            ],
            "mcp-sim-envmode-sim",
        ),
        told(
            &[
                "mcp-prod ws: ws step list_tools",
                "mcp-prod ws: ws step list_tools with metadata",
                "mcp-prod ws: ws step call_tool lookup",
                "mcp-prod ws: ws step call_tool sim_only",
                "mcp-prod ws: ws step call_tool sim_raises",
            ],
            "mcp-prod-envmode-prod",
        ),
    ];
    differences.extend(ON_MCP.map(|(rows, edit)| edited(rows, "Q5, Q6", SERVED, edit)));
    differences
}

const SERVED: &str = "a description is a text, and tools of one mode are tools like all others: \
                      listed, and called wherever tools are";

type Edit = fn(&mut Value);

const ON_MCP: [(&[&str], Edit); 8] = [
    (
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
        |reply| {
            list(
                reply,
                &[
                    lookup("Sim lookup."),
                    listing("sim_only", "", &sim_only_schema()),
                    listing("sim_raises", "", &plain_schema(&json!({}), &[])),
                ],
            );
        },
    ),
    (
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
        |reply| list(reply, &[lookup("Prod lookup.")]),
    ),
    (
        &[
            "mcp-sim http: tools/call lookup {\"q\": \"a\"}",
            "mcp-sim http: session lookup",
            "mcp-sim* ws: ws mcp tools/call lookup",
        ],
        |reply| succeed(reply, result(&json!("sim:a:3"), "sim:a:3")),
    ),
    (&["mcp-sim* ws: mcpws lookup (mode tool)"], |reply| {
        succeed(reply, result(&json!("sim:x:3"), "sim:x:3"));
    }),
    (
        &[
            "mcp-prod http: tools/call lookup {\"q\": \"a\"}",
            "mcp-prod http: session lookup",
            "mcp-prod* ws: ws mcp tools/call lookup",
        ],
        |reply| succeed(reply, result(&json!("prod:a:3"), "prod:a:3")),
    ),
    (&["mcp-prod* ws: mcpws lookup (mode tool)"], |reply| {
        succeed(reply, result(&json!("prod:x:3"), "prod:x:3"));
    }),
    (
        &[
            "mcp-sim http: tools/call sim_only {\"flag\": true, \"ratio\": 0.5, \"data\": [1]}",
            "mcp-sim* ws: ws mcp tools/call sim_only",
        ],
        |reply| {
            let data = json!({ "flag": true, "ratio": 0.5, "data": [1] });
            succeed(
                reply,
                result(&data, r#"{"flag":true,"ratio":0.5,"data":[1]}"#),
            );
        },
    ),
    (
        &[
            "mcp-sim http: tools/call sim_raises {}",
            "mcp-sim* ws: ws mcp tools/call sim_raises",
        ],
        |reply| {
            let raised = "Error calling tool 'sim_raises': 'nope'";
            rpc(reply)["error"]["message"] = json!(raised);
        },
    ),
];

/// The recorded tools, and `more`.
fn list(reply: &mut Value, more: &[Value]) {
    let Some(tools) = rpc(reply)["result"]["tools"].as_array_mut() else {
        return;
    };
    for tool in &mut *tools {
        if tool["description"].is_null() {
            tool["description"] = json!("");
        }
    }
    tools.extend_from_slice(more);
}

fn listing(name: &str, description: &str, schema: &Value) -> Value {
    json!({
        "name": name, "title": null, "description": description, "inputSchema": schema,
        "outputSchema": null, "icons": null, "annotations": null, "meta": null,
        "execution": null,
    })
}

fn lookup(description: &str) -> Value {
    let properties = json!({ "q": { "type": "string" }, "k": { "type": "integer" } });
    listing("lookup", description, &plain_schema(&properties, &["q"]))
}

fn sim_only_schema() -> Value {
    let properties = json!({
        "flag": { "type": "boolean" }, "ratio": { "type": "number" }, "data": { "type": "string" },
    });
    plain_schema(&properties, &["flag", "ratio", "data"])
}

/// A schema as the package makes it for tools of one mode.
fn plain_schema(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn wrapped_integer() -> Value {
    json!({
        "properties": { "result": { "type": "integer" } },
        "required": ["result"],
        "type": "object",
        "x-fastmcp-wrap-result": true,
    })
}

/// A result in place of the recorded error.
fn succeed(reply: &mut Value, result: Value) {
    if let Some(response) = rpc(reply).as_object_mut() {
        response.shift_remove("error");
        response.insert("result".to_owned(), result);
    }
}

fn result(data: &Value, text: &str) -> Value {
    json!({
        "content": [{ "type": "text", "text": text, "annotations": null, "meta": null }],
        "structured_content": { "result": data },
        "meta": { "fastmcp": { "wrap_result": true } },
        "data": data,
        "is_error": false,
    })
}
