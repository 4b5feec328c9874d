//! `/docs`: Swagger UI from the binary itself, without a request to anywhere.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::{Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use utoipa_swagger_ui::Config;

use crate::server::fallback::{not_found, only};

/// Every address is relative, so the page works wherever it is mounted.
const PAGE: &str = include_str!("docs.html");

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/docs", only(Method::GET, async || Html(PAGE)))
        .route("/docs/{file}", only(Method::GET, asset))
        .route(
            "/redoc",
            only(Method::GET, async || Redirect::temporary("docs")),
        )
}

async fn asset(Path(file): Path<String>) -> Response {
    match utoipa_swagger_ui::serve(&file, Arc::new(Config::default())) {
        Ok(Some(file)) => ([(header::CONTENT_TYPE, file.content_type)], file.bytes).into_response(),
        Ok(None) => not_found(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
