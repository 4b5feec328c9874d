//! The document, and who gets it.

use openenv::{Mode, Server};

use super::{ask, boards, get};
use crate::probe::InlineProbe;
use crate::support::{Socket, TestServer};

#[tokio::test]
async fn the_page_is_one_document_that_needs_nothing_else() {
    let server = TestServer::start(boards()).await;
    let response = ask(&server, "/web/", &[("accept-encoding", "gzip")]).await;
    assert_eq!(response.headers()["content-encoding"], "gzip");
    let policy = response.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'sha256-"));
    let tag = response.headers()["etag"].to_str().unwrap().to_owned();
    let sent = response.bytes().await.unwrap();
    assert!(sent.len() < 150 * 1024, "{} bytes", sent.len());

    let plain = ask(&server, "/web/", &[]).await.text().await.unwrap();
    assert!(plain.contains("<title>") && !plain.contains("/*SCRIPT*/"));
    let again = ask(&server, "/web/", &[("if-none-match", &tag)]).await;
    assert_eq!(again.status(), 304);
    server.stop().await;
}

#[tokio::test]
async fn people_find_it_from_where_they_look() {
    let server = TestServer::start(boards().environment("other", super::Board::default)).await;
    for (path, page) in [
        ("/", "web/"),
        ("/web", "web/"),
        ("/envs/other", "other/web/"),
        ("/envs/other/web", "web/"),
    ] {
        let response = ask(&server, path, &[]).await;
        assert_eq!(response.status(), 307, "{path}");
        assert_eq!(response.headers()["location"], page, "{path}");
    }
    let about = get(&server, "/envs/other/web/about").await;
    assert_eq!(about["name"], "other");
    assert_eq!(about["environments"], serde_json::json!(["board", "other"]));
    assert_eq!(about["contract"]["action"]["title"], "Place");
    assert_eq!(about["readme_html"], "<h1>A <em>row</em></h1>\n");
    assert_eq!(about["mode"], "simulation");
    server.stop().await;
}

#[tokio::test]
async fn a_server_without_it_has_none_of_its_routes() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    for path in ["/", "/web", "/web/about", "/web/episodes", "/web/state"] {
        assert_eq!(ask(&server, path, &[]).await.status(), 404, "{path}");
    }
    server.stop().await;

    let agents_only = TestServer::start(boards().control(false)).await;
    assert_eq!(ask(&agents_only, "/web", &[]).await.status(), 404);
    agents_only.stop().await;
}

#[tokio::test]
async fn in_production_it_controls_no_episode() {
    let server = TestServer::start(boards().mode(Mode::Production)).await;
    assert_eq!(get(&server, "/web/about").await["mode"], "production");
    for path in ["/web/state", "/reset"] {
        assert_eq!(ask(&server, path, &[]).await.status(), 404, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn pages_of_others_get_nothing() {
    let server = TestServer::start(boards()).await;
    for headers in [
        [("origin", "https://evil.example"), ("x-a", "b")],
        // A name of somebody else's that leads here.
        [("host", "evil.example"), ("x-a", "b")],
        // A picture on a page of somebody else's.
        [
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "no-cors"),
        ],
    ] {
        for path in ["/web/", "/web/episodes", "/web/about"] {
            let response = ask(&server, path, &headers).await;
            assert_eq!(response.status(), 403, "{path} {headers:?}");
        }
    }
    let url = server.url().replace("http", "ws");
    let request = tokio_tungstenite::tungstenite::client::ClientRequestBuilder::new(
        format!("{url}/ws/ui").parse().unwrap(),
    )
    .with_header("Origin", "https://evil.example");
    assert!(tokio_tungstenite::connect_async(request).await.is_err());
    drop(Socket::open(&format!("{url}/ws/ui")).await);
    server.stop().await;
}

#[tokio::test]
async fn a_name_that_was_allowed_is_the_servers_own() {
    let builder: openenv::ServerBuilder = Server::builder()
        .environment("board", super::Board::default)
        .web(true)
        .allow_origin("https://env.example");
    let server = TestServer::start(builder).await;
    let response = ask(&server, "/web/about", &[("host", "env.example")]).await;
    assert_eq!(response.status(), 200);
    server.stop().await;
}
