//! Who uses the routes that keep a session between plain HTTP requests.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{FromRequestParts, Query};
use axum::http::request;
use serde::Deserialize;

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
pub(super) struct Visitors(Mutex<HashMap<Visitor, Arc<Place>>>);

/// The session of one visitor. Who opens it makes nobody else wait.
type Place = tokio::sync::Mutex<Option<SessionId>>;

impl Visitors {
    /// The visitor's session, which is opened if there is none.
    pub(super) async fn session(
        &self,
        sessions: &Arc<Sessions>,
        visitor: Visitor,
    ) -> Result<Arc<Session>> {
        let place = {
            let mut places = self.places();
            if !places.contains_key(&visitor) {
                places.retain(|_, place| is_used(sessions, place));
            }
            Arc::clone(places.entry(visitor).or_default())
        };
        let mut place = place.lock().await;
        if let Some(session) = find(sessions, *place) {
            return Ok(session);
        }
        let session = sessions.open(Origin::Http, None).await?;
        *place = Some(session.id);
        Ok(session)
    }

    /// The visitor's session, if there is one.
    pub(super) async fn find(
        &self,
        sessions: &Arc<Sessions>,
        visitor: &Visitor,
    ) -> Option<Arc<Session>> {
        let place = self.places().get(visitor).cloned()?;
        let place = place.lock().await;
        find(sessions, *place)
    }

    fn places(&self) -> MutexGuard<'_, HashMap<Visitor, Arc<Place>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn find(sessions: &Sessions, id: Option<SessionId>) -> Option<Arc<Session>> {
    sessions.find(&id?.to_string()).ok()
}

/// Whether there is a session, or somebody who is about to open one.
fn is_used(sessions: &Sessions, place: &Arc<Place>) -> bool {
    Arc::strong_count(place) > 1
        || place
            .try_lock()
            .map_or(true, |place| find(sessions, *place).is_some())
}
