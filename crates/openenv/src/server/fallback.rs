//! What is answered where there is no route, or not for that method.

use axum::extract::{OriginalUri, Request, State};
use axum::handler::Handler;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};

use crate::server::body;

pub(crate) fn not_found() -> Response {
    body::detail(StatusCode::NOT_FOUND, "Not Found")
}

/// The answer to a path that nothing is mounted at.
pub(crate) async fn no_route(request: Request) -> Response {
    if wants_websocket(request.headers()) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let headers = request.headers();
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    // The whole path, wherever the routes are nested.
    let uri = request
        .extensions()
        .get::<OriginalUri>()
        .map_or(request.uri(), |original| &original.0);
    match (uri.path().strip_suffix('/'), text(header::HOST)) {
        (Some(path), Some(host)) if !path.is_empty() => {
            let scheme = text(FORWARDED_SCHEME).unwrap_or("http");
            let query = uri
                .query()
                .map_or_else(String::new, |query| format!("?{query}"));
            let location = format!("{scheme}://{host}{path}{query}");
            (
                StatusCode::TEMPORARY_REDIRECT,
                [(header::LOCATION, location)],
            )
                .into_response()
        }
        _ => not_found(),
    }
}

/// What a proxy that speaks TLS calls the scheme of its side.
const FORWARDED_SCHEME: HeaderName = HeaderName::from_static("x-forwarded-proto");

fn wants_websocket(headers: &HeaderMap) -> bool {
    headers
        .get(header::UPGRADE)
        .is_some_and(|protocol| protocol.as_bytes().eq_ignore_ascii_case(b"websocket"))
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
    } else if wants_websocket(request.headers()) {
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
