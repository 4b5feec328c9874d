//! A session that waits for its page to be loaded again, but not for long.

use serde_json::json;

use super::{place, reset};
use crate::probe::{InlineProbe, LonelyProbe};
use crate::support::{TestServer, eventually};

fn add(sum: i64) -> serde_json::Value {
    json!({ "type": "step", "data": { "add": sum } })
}

#[tokio::test]
async fn a_page_that_is_loaded_again_goes_on_where_it_was() {
    let server = TestServer::start(super::boards()).await;
    let path = format!("{}&linger=5", server.created_session().await);
    let mut before = server.socket(&path).await;
    before.ask(&reset()).await;
    before.ask(&place(0)).await;
    before.vanish();
    eventually("the socket is gone", || {
        !server.server().sessions()[0].attached
    })
    .await;
    let mut after = server.socket(&path).await;
    let reply = after.ask(&place(1)).await;
    assert_eq!(reply["data"]["observation"]["row"], "xx.");
    server.stop().await;
}

#[tokio::test]
async fn a_page_that_was_closed_gives_its_place_back() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let path = format!("{}&linger=1", server.created_session().await);
    let mut page = server.socket(&path).await;
    page.ask(&add(1)).await;
    drop(page);
    eventually("the environment is closed", || life.closed() == 1).await;
    assert_eq!(server.server().capacity()[0].active, 0);
    server.stop().await;
}

#[tokio::test]
async fn who_comes_meanwhile_waits_instead_of_being_refused() {
    let (builder, _) = LonelyProbe::server();
    let server = TestServer::start(builder).await;
    let path = format!("{}&linger=1", server.created_session().await);
    let mut page = server.socket(&path).await;
    page.ask(&add(1)).await;
    page.vanish();
    eventually("the socket is gone", || {
        !server.server().sessions()[0].attached
    })
    .await;
    let mut next = server.socket("/ws").await;
    let reply = next.ask(&add(5)).await;
    assert_eq!(reply["data"]["observation"]["sum"], 5, "{reply}");
    server.stop().await;
}

#[tokio::test]
async fn a_call_that_outlasts_its_page_does_not_keep_the_place_for_ever() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let path = format!("{}&linger=1", server.created_session().await);
    let mut page = server.socket(&path).await;
    page.send_json(&json!({ "type": "step", "data": { "sleep_ms": 1500 } }))
        .await;
    server.until_a_step_runs().await;
    page.vanish();
    eventually("the step and the session end", || life.closed() == 1).await;
    assert_eq!(life.finished_steps(), 1);
    server.stop().await;
}
