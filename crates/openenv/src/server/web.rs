//! `/web`: a page to try an environment, to watch its sessions and to look into
//! its episodes.
//!
//! The page drives a session of its own over the public routes, as any client
//! does. What it gets here besides is for looking only.

use std::sync::Arc;

use axum::Router;
use axum::extract::{OriginalUri, Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};

use crate::env::Mode;
use crate::server::body;
use crate::server::fallback::only;
use crate::server::sessions::Sessions;
use crate::server::web_origin;

mod about;
mod bundle;
mod compact;
mod compatible;
mod compressed;
mod follow;
mod kept;
mod page;
mod readme;
mod visitors;

/// Every route of the page, relative to where its environment is mounted.
/// `names` are those of all environments of the server.
pub(crate) fn routes(sessions: &Arc<Sessions>, names: &Arc<[String]>) -> Router<Arc<Sessions>> {
    let names = Arc::clone(names);
    let about = async move |State(sessions): State<Arc<Sessions>>, headers: HeaderMap| {
        about::about(&sessions, &names, &headers)
    };
    let mut router = Router::new()
        .route("/", only(Method::GET, to_page))
        .route("/web", only(Method::GET, to_page))
        .route("/web/", only(Method::GET, page::page))
        .route("/web/about", only(Method::GET, about))
        .route("/web/metadata", only(Method::GET, about::metadata))
        .route("/web/sessions", only(Method::GET, kept::sessions))
        .route("/web/episodes", only(Method::GET, kept::episodes))
        .route("/web/episodes/{key}", only(Method::GET, kept::episode))
        .route(
            "/web/episodes/{key}/follow",
            only(Method::GET, follow::follow),
        );
    if sessions.config.mode == Mode::Simulation {
        router = router.merge(compatible::routes());
    }
    router.layer(middleware::from_fn_with_state(Arc::clone(sessions), screen))
}

/// Turns pages of others away, and names of others for this machine.
async fn screen(State(sessions): State<Arc<Sessions>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_ours = web_origin::screen(&parts, &sessions.config).is_ok()
        && web_origin::is_own_request(&parts, &sessions.config);
    if !is_ours {
        return body::detail(StatusCode::FORBIDDEN, web_origin::REFUSAL);
    }
    next.run(Request::from_parts(parts, body)).await
}

/// To the page from where people look for it. The way is relative: what is in
/// front of the server may have put it under another path.
async fn to_page(OriginalUri(uri): OriginalUri) -> Response {
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    let location = match last {
        "" | "web" => "web/".to_owned(),
        environment => format!("{environment}/web/"),
    };
    (
        StatusCode::TEMPORARY_REDIRECT,
        [(header::LOCATION, location)],
    )
        .into_response()
}
