//! HTTP bodies: JSON in, JSON out, and every refusal in the same shape.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header, request};
use axum::response::{IntoResponse, Response};
use http_body_util::LengthLimitError;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::contract::Shape;
use crate::error::{Error, Kind, Violation};
use crate::json::{self, Input, JsonError};

/// How many bytes a body may have; the router hands it to every request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyLimit(pub(crate) usize);

/// The body of a request, read whole.
pub(crate) struct Body {
    bytes: Bytes,
    is_json: bool,
}

impl<S: Sync> FromRequest<S> for Body {
    type Rejection = Error;

    async fn from_request(request: Request, _: &S) -> Result<Self, Error> {
        let (parts, body) = request.into_parts();
        Self::collect(&parts, body).await
    }
}

impl Body {
    /// Reads the body of a request whose head is needed further.
    pub(crate) async fn collect(
        head: &request::Parts,
        body: axum::body::Body,
    ) -> Result<Self, Error> {
        let is_json = is_json(&head.headers);
        let limit = head
            .extensions
            .get::<BodyLimit>()
            .map_or(usize::MAX, |limit| limit.0);
        let bytes = axum::body::to_bytes(body, limit).await.map_err(|error| {
            if error.into_inner().is::<LengthLimitError>() {
                let message = format!("the body is larger than the limit of {limit} bytes");
                Error::of(Kind::TooLarge, message)
            } else {
                Error::of(Kind::InvalidJson, "the body broke off before its end")
            }
        })?;
        Ok(Self { bytes, is_json })
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn into_bytes(self) -> Bytes {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The body as text.
    ///
    /// # Errors
    /// If it is not UTF-8, with the character at which that shows.
    pub(crate) fn text(&self) -> Result<&str, JsonError> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let valid = String::from_utf8_lossy(&self.bytes[..error.valid_up_to()]);
            // A text that is broken from the start is no value at all.
            let message = if valid.is_empty() {
                "Expecting value"
            } else {
                "Invalid UTF-8"
            };
            JsonError::after(&valid, message)
        })
    }

    /// Reads the type behind `shape`.
    pub(crate) fn read<T: DeserializeOwned + JsonSchema>(
        &self,
        shape: &Shape<T>,
    ) -> Result<T, Error> {
        if self.is_empty() {
            return Err(refuse(Violation::missing(Value::Null)));
        }
        if !self.is_json {
            let text = String::from_utf8_lossy(&self.bytes).into_owned();
            return Err(refuse(Violation::not_attributes(text.into())));
        }
        let text = self
            .text()
            .map_err(|error| refuse(Violation::not_json(&error)))?;
        let input = input(text)?;
        shape.parse(&input).map_err(|violations| {
            Error::validation(violations.into_iter().map(Violation::in_body).collect())
        })
    }
}

/// An object in a body, by the strict parser if it can, by the patient one otherwise.
fn input(text: &str) -> Result<Input<'_>, Error> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) if raw.get().starts_with('{') => Ok(Input::raw(raw.get())),
        _ => {
            let document = json::read(text).map_err(|error| refuse(Violation::not_json(&error)))?;
            if document.value.is_object() {
                Ok(Input::Lenient(document))
            } else {
                Err(refuse(Violation::not_attributes(document.value)))
            }
        }
    }
}

fn refuse(violation: Violation) -> Error {
    Error::validation(vec![violation.in_body()])
}

/// Whether the headers announce JSON: `application/json` or `application/*+json`.
fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// A JSON answer.
pub(crate) fn json<T: Serialize>(value: &T) -> Response {
    match serde_json::to_vec(value) {
        Ok(body) => raw_json(StatusCode::OK, body),
        Err(error) => Error::from_source(error).into_response(),
    }
}

/// An answer that is JSON already.
pub(crate) fn raw_json(status: StatusCode, body: impl Into<axum::body::Body>) -> Response {
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        body.into(),
    )
        .into_response()
}

/// `{"detail": …}`, as every error is reported.
pub(crate) fn detail(status: StatusCode, detail: impl Into<Value>) -> Response {
    raw_json(status, json!({ "detail": detail.into() }).to_string())
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match self.kind() {
            Kind::Validation(violations) => detail(status, json!(violations)),
            _ => detail(status, self.message()),
        }
    }
}
