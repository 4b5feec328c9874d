//! A socket's hold on its session.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::server::info::{CloseReason, Origin};
use crate::server::session::Session;
use crate::server::sessions::Sessions;

/// The right to drive a session, held by one socket.
///
/// Dropping it gives the session up, so that even a panic in the task of the
/// connection leaves neither a slot nor an entry in the registry behind.
pub(crate) struct Seat {
    /// Gone once the session was given up.
    session: Option<Arc<Session>>,
    owner: bool,
    /// How long the session waits for another socket, if it is to end without one.
    linger: Option<Duration>,
}

impl Seat {
    /// Opens a session that ends with the socket.
    pub(crate) async fn open(sessions: &Arc<Sessions>, peer: Option<SocketAddr>) -> Result<Self> {
        Ok(Self {
            session: Some(sessions.open(Origin::WebSocket, peer).await?),
            owner: true,
            linger: None,
        })
    }

    /// Attaches to a session that outlives the socket: for as long as it is used,
    /// or only for `linger`, as the page of a browser that is loaded again.
    pub(crate) fn attach(sessions: &Sessions, id: &str, linger: Option<Duration>) -> Result<Self> {
        let session = sessions.find(id)?;
        session.attach()?;
        Ok(Self {
            session: Some(session),
            owner: false,
            linger,
        })
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        self.session
            .as_ref()
            .expect("only `leave` gives the session up")
    }

    pub(crate) fn is_owner(&self) -> bool {
        self.owner
    }

    /// Gives the session up; returns when what has to be closed is closed.
    pub(crate) async fn leave(mut self, reason: CloseReason) {
        let Some(session) = self.session.take() else {
            return;
        };
        let reason = if self.owner {
            Some(reason)
        } else {
            session.detach()
        };
        if let Some(reason) = reason {
            session.close(reason).await;
        } else if let Some(linger) = self.linger {
            session.end_unless_attached(linger);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            if self.owner || session.detach().is_some() {
                session.forget();
            } else if let Some(linger) = self.linger {
                session.end_unless_attached(linger);
            }
        }
    }
}
