//! What is answered where there is no route, or not for that method.

use axum::extract::{Request, State};
use axum::handler::Handler;
use axum::http::{Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};

use crate::server::body;

pub(crate) fn not_found() -> Response {
    body::detail(StatusCode::NOT_FOUND, "Not Found")
}

/// The answer to a path that nothing is mounted at.
pub(crate) async fn no_route(request: Request) -> Response {
    if request.headers().contains_key(header::UPGRADE) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let path = request.uri().path();
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    match (path.strip_suffix('/'), host) {
        (Some(stripped), Some(host)) if !stripped.is_empty() => {
            let query = request
                .uri()
                .query()
                .map_or_else(String::new, |query| format!("?{query}"));
            let location = format!("http://{host}{stripped}{query}");
            (
                StatusCode::TEMPORARY_REDIRECT,
                [(header::LOCATION, location)],
            )
                .into_response()
        }
        _ => not_found(),
    }
}

/// A route for one method alone.
///
/// axum would let GET routes answer HEAD as well, which no client of this
/// protocol sends and the reference refuses.
pub(crate) fn only<H, T, S>(method: Method, handler: H) -> MethodRouter<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    any(handler).layer(middleware::from_fn_with_state(method, refuse_others))
}

async fn refuse_others(State(method): State<Method>, request: Request, next: Next) -> Response {
    if request.method() != method {
        method_not_allowed(&method)
    } else if request.headers().contains_key(header::UPGRADE) {
        StatusCode::FORBIDDEN.into_response()
    } else {
        next.run(request).await
    }
}

/// 405, with the method that is allowed.
pub(crate) fn method_not_allowed(allow: &Method) -> Response {
    let allow = [(header::ALLOW, allow.as_str().to_owned())];
    let detail = body::detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
    (allow, detail).into_response()
}
