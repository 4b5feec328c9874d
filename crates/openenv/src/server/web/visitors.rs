//! Who uses the routes that keep a session between plain HTTP requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::request;
use serde::Deserialize;
use tokio::sync::Mutex;

use crate::error::{Error, Result};
use crate::server::http;
use crate::server::info::{Origin, SessionId};
use crate::server::session::Session;
use crate::server::sessions::Sessions;

/// Whose session a request is about: the one that it names, else that of the
/// machine that it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Visitor {
    Named(String),
    From(Option<IpAddr>),
}

#[derive(Deserialize)]
struct Named {
    session: Option<String>,
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut request::Parts, _: &S) -> Result<Self> {
        let named = Query::<Named>::try_from_uri(&parts.uri);
        let name = named.ok().and_then(|Query(named)| named.session);
        Ok(match name.filter(|name| !name.is_empty()) {
            Some(name) => Self::Named(name),
            None => Self::From(http::peer(&parts.extensions).map(|peer| peer.ip())),
        })
    }
}

/// The sessions of all visitors. They end as all do that nobody uses.
#[derive(Debug, Default)]
pub(super) struct Visitors(Mutex<HashMap<Visitor, SessionId>>);

impl Visitors {
    /// The visitor's session, which is opened if there is none.
    pub(super) async fn session(
        &self,
        sessions: &Arc<Sessions>,
        visitor: Visitor,
    ) -> Result<Arc<Session>> {
        let mut known = self.0.lock().await;
        if let Some(session) = find(&known, sessions, &visitor) {
            return Ok(session);
        }
        known.retain(|_, id| sessions.find(&id.to_string()).is_ok());
        let session = sessions.open(Origin::Http, None).await?;
        known.insert(visitor, session.id);
        Ok(session)
    }

    /// The visitor's session, if there is one.
    pub(super) async fn find(
        &self,
        sessions: &Arc<Sessions>,
        visitor: &Visitor,
    ) -> Option<Arc<Session>> {
        find(&*self.0.lock().await, sessions, visitor)
    }
}

fn find(
    known: &HashMap<Visitor, SessionId>,
    sessions: &Arc<Sessions>,
    visitor: &Visitor,
) -> Option<Arc<Session>> {
    let id = known.get(visitor)?;
    sessions.find(&id.to_string()).ok()
}
