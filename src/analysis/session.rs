//! Clients and their sessions, in which a newer request replaces the older one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use tokio::sync::oneshot;

/// A client, by an identity that distinguishes it from other clients.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(Arc<str>);

impl Client {
    /// The client with this identity.
    pub fn new(identity: &str) -> Client {
        Client(identity.into())
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The part of a resource that a lone client may hold, unless the resource says otherwise: an
/// eighth.
pub(crate) const CLIENT_SHARES: usize = 8;

/// What one client may hold of a resource of which this much is free.
///
/// A lone client gets one of so many shares of the whole, and a new client always finds some,
/// however many others hold theirs. The rule is the dynamic threshold of Choudhury and Hahne,
/// "Dynamic queue length thresholds for shared-memory packet switches" (1998), with
/// α = 1 / (shares − 1).
///
/// # Panics
/// Panics if `shares` is less than 2.
pub(crate) const fn client_share(free: usize, shares: usize) -> usize {
    free / (shares - 1)
}

/// A session of a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    client: Client,
    name: Arc<str>,
}

impl Session {
    /// The client's session with this name.
    pub fn new(client: Client, name: &str) -> Session {
        Session { client, name: name.into() }
    }
}

/// The active request of each session.
#[derive(Clone, Debug, Default)]
pub(super) struct Sessions(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    active: DashMap<Session, ActiveRequest>,
    next_id: AtomicU64,
}

#[derive(Debug)]
struct ActiveRequest {
    id: u64,
    replace: oneshot::Sender<()>,
}

/// The membership of a request in its session. Dropping it leaves the session.
#[derive(Debug)]
pub(super) struct SessionGuard {
    session: Session,
    id: u64,
    sessions: Sessions,
    replaced: oneshot::Receiver<()>,
}

impl Sessions {
    /// Enters a session and replaces its older request.
    pub(super) fn enter(&self, session: Session) -> SessionGuard {
        let (replace, replaced) = oneshot::channel();
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        if let Some(older) = self.0.active.insert(session.clone(), ActiveRequest { id, replace }) {
            // The receiver is gone if the older request has just ended.
            let _ = older.replace.send(());
        }
        SessionGuard { session, id, sessions: self.clone(), replaced }
    }
}

impl SessionGuard {
    /// Resolves when a newer request enters the session.
    pub(super) async fn replaced(&mut self) {
        // The map drops the sender only when a newer request enters, as long as this guard lives.
        let _ = (&mut self.replaced).await;
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.sessions
            .0
            .active
            .remove_if(&self.session, |_, active_request| active_request.id == self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(client: &str) -> Session {
        Session::new(Client::new(client), "board")
    }

    #[tokio::test]
    async fn a_newer_request_replaces_only_the_older_one_of_its_session() {
        let sessions = Sessions::default();
        let mut older = sessions.enter(session("ann"));
        let mut other = sessions.enter(session("bob"));
        let newer = sessions.enter(session("ann"));
        older.replaced().await;
        assert!(other.replaced.try_recv().is_err(), "sessions of different clients are separate");
        drop(older);
        assert_eq!(sessions.0.active.len(), 2, "a replaced guard does not end the newer request");
        drop(newer);
        drop(other);
        assert!(sessions.0.active.is_empty());
    }
}
