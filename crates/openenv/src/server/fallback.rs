//! What is answered where there is no route, or not for that method.

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get};

use crate::server::body;

/// Gives a router the answers of the reference for everything it does not serve.
pub(crate) fn apply(router: Router) -> Router {
    router
        .fallback(no_route)
        .method_not_allowed_fallback(async || {
            body::detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed")
        })
        .layer(middleware::map_response(list_allowed_methods))
}

pub(crate) fn not_found() -> Response {
    body::detail(StatusCode::NOT_FOUND, "Not Found")
}

async fn no_route(request: Request) -> Response {
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

/// A route for GET alone: axum would answer HEAD as well, which no client of
/// this protocol sends and the reference refuses.
pub(crate) fn get_only<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S>,
    T: 'static,
    S: Clone + Send + Sync + 'static,
{
    get(handler).head(async || method_not_allowed("GET"))
}

/// 405, with the methods that are allowed.
pub(crate) fn method_not_allowed(allow: &'static str) -> Response {
    let allow = [(header::ALLOW, allow)];
    (
        allow,
        body::detail(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed"),
    )
        .into_response()
}

/// Leaves HEAD out of the methods that axum lists as allowed.
async fn list_allowed_methods(mut response: Response) -> Response {
    if response
        .headers()
        .get(header::ALLOW)
        .is_some_and(|allow| allow == "GET,HEAD")
    {
        response
            .headers_mut()
            .insert(header::ALLOW, HeaderValue::from_static("GET"));
    }
    response
}
