//! Where environments are mounted, and what each mode serves.

use axum::Router;
use axum::routing::get;
use openenv::{Mode, Server};
use serde_json::{Value, json};

use crate::probe::InlineProbe;
use crate::support::{Socket, TestServer, fetch, http};

fn two() -> openenv::ServerBuilder {
    let life = std::sync::Arc::default();
    let probe = move || InlineProbe::new(&life);
    Server::builder()
        .environment("first", probe.clone())
        .environment("second", probe)
}

async fn status(url: &str) -> u16 {
    fetch(url).await.unwrap().status().as_u16()
}

async fn json_at(url: &str) -> Value {
    fetch(url).await.unwrap().json().await.unwrap()
}

#[tokio::test]
async fn every_environment_has_its_place_and_the_first_one_the_root() {
    let server = TestServer::start(two().max_sessions(3)).await;
    let url = server.url();
    assert_eq!(
        json_at(&format!("{url}/capacity")).await["environment"],
        "first"
    );
    assert_eq!(
        json_at(&format!("{url}/envs/first/capacity")).await["environment"],
        "first"
    );
    assert_eq!(
        json_at(&format!("{url}/envs/second/capacity")).await["environment"],
        "second"
    );
    let all = json_at(&format!("{url}/envs")).await;
    assert_eq!(
        (&all[0]["environment"], &all[1]["maximum"]),
        (&json!("first"), &json!(3))
    );
    assert_eq!(
        json_at(&format!("{url}/list_environments")).await,
        json!(["first", "second"])
    );
    assert_eq!(
        json_at(&format!("{url}/envs/second/list_environments")).await,
        json!(["second"])
    );
    assert_eq!(status(&format!("{url}/second/splits")).await, 501);
    assert_eq!(
        status(&format!("{url}/envs/second/first/splits")).await,
        404
    );

    let mut socket = server.socket("/envs/second/ws").await;
    socket.ask(&json!({ "type": "state" })).await;
    let active: Vec<_> = server
        .server()
        .capacity()
        .iter()
        .map(|capacity| capacity.active)
        .collect();
    assert_eq!(active, [0, 1], "each environment counts its own sessions");
    server.stop().await;
}

#[tokio::test]
async fn the_routes_nest_in_an_application_of_ones_own() {
    let server = two().build().unwrap();
    let application = Router::new()
        .route("/", get(async || "mine"))
        .nest("/api", server.router());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(axum::serve(listener, application).into_future());
    let url = format!("http://{address}");
    assert_eq!(fetch(&url).await.unwrap().text().await.unwrap(), "mine");
    assert_eq!(
        json_at(&format!("{url}/api/health")).await,
        json!({ "status": "healthy" })
    );
    let mut socket = Socket::open(&format!("ws://{address}/api/envs/second/ws")).await;
    assert_eq!(
        socket.ask(&json!({ "type": "state" })).await["type"],
        "state"
    );
    let client = http()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .unwrap();
    let response = client
        .get(format!("{url}/api/health/?a=1"))
        .send()
        .await
        .unwrap();
    assert_eq!(
        response.headers()["location"],
        format!("{url}/api/health?a=1")
    );
    let response = client
        .get(format!("{url}/api/health"))
        .header("upgrade", "h2c")
        .send()
        .await;
    assert_eq!(
        response.unwrap().status(),
        200,
        "only WebSockets are refused"
    );
    server.shut_down().await;
    assert_eq!(socket.expect_close().await, 1012);
    assert!(server.sessions().is_empty());
    serving.abort();
}

#[tokio::test]
async fn production_has_no_control_routes_over_http() {
    for (mode, expected) in [(Mode::Simulation, 200), (Mode::Production, 404)] {
        let server = TestServer::start(two().mode(mode)).await;
        let url = server.url();
        assert_eq!(status(&format!("{url}/state")).await, expected);
        for path in ["reset", "step"] {
            let response = http()
                .build()
                .unwrap()
                .post(format!("{url}/{path}"))
                .json(&json!({ "action": {} }))
                .send()
                .await
                .unwrap();
            assert_eq!(response.status(), expected, "{path} in {mode}");
        }
        let document = json_at(&format!("{url}/openapi.json")).await;
        for path in ["/reset", "/step", "/state"] {
            assert_eq!(
                document["paths"].get(path).is_some(),
                expected == 200,
                "{path} in {mode}"
            );
        }
        let mut socket = server.socket("/ws").await;
        assert_eq!(
            socket.ask(&json!({ "type": "reset" })).await["type"],
            "observation"
        );
        server.stop().await;
    }
}

#[cfg(feature = "docs")]
#[tokio::test]
async fn the_documentation_needs_nothing_from_outside() {
    let server = TestServer::start(two()).await;
    for base in [server.url(), format!("{}/envs/second", server.url())] {
        let page = fetch(format!("{base}/docs")).await.unwrap();
        assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
        let page = page.text().await.unwrap();
        assert!(!page.contains("//"), "no address of another host: {page}");
        for asset in [
            "docs/swagger-ui.css",
            "docs/swagger-ui-bundle.js",
            "openapi.json",
        ] {
            assert!(page.contains(asset), "{asset}");
            assert_eq!(status(&format!("{base}/{asset}")).await, 200, "{asset}");
        }
    }
    let document = json_at(&format!("{}/openapi.json", server.url())).await;
    let mut references = Vec::new();
    collect_references(&document, &mut references);
    assert!(!references.is_empty());
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("local references only");
        assert!(
            document.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
    server.stop().await;
}

#[cfg(feature = "docs")]
fn collect_references(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(target) if key == "$ref" => references.push(target.clone()),
                    _ => collect_references(value, references),
                }
            }
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, references)),
        _ => {}
    }
}

#[tokio::test]
async fn the_contract_is_published_with_a_digest_that_tells_types_apart() {
    let server = TestServer::start(two()).await;
    let response = fetch(format!("{}/schema", server.url())).await.unwrap();
    let header = response.headers()["x-openenv-contract"]
        .to_str()
        .unwrap()
        .to_owned();
    let document: Value = response.json().await.unwrap();
    assert_eq!(document["digest"], header);
    assert!(header.starts_with("sha256:"));
    let other =
        TestServer::start(Server::builder().environment("echo", crate::twins::PlainEnv::default))
            .await;
    let different = json_at(&format!("{}/schema", other.url())).await["digest"].clone();
    assert_ne!(different, header);
    server.stop().await;
    other.stop().await;
}
