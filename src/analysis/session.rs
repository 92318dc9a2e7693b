//! Sessions: a client's newer question takes the place of its older one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use tokio::sync::oneshot;

/// Who asks: whatever tells one client from another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(Arc<str>);

impl Client {
    /// A client by what identifies it.
    pub fn new(identity: &str) -> Client {
        Client(identity.into())
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A session of a client.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    client: Client,
    name: Arc<str>,
}

impl Session {
    /// The client's session of that name.
    pub fn new(client: Client, name: &str) -> Session {
        Session { client, name: name.into() }
    }
}

/// The questions that are under way in sessions: one in each.
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

/// A question's stay in its session. Dropping it is leaving.
#[derive(Debug)]
pub(super) struct SessionGuard {
    session: Session,
    id: u64,
    sessions: Sessions,
    replaced: oneshot::Receiver<()>,
}

impl Sessions {
    /// Enters a session; whoever is in it is told that he is replaced.
    pub(super) fn enter(&self, session: Session) -> SessionGuard {
        let (replace, replaced) = oneshot::channel();
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        if let Some(older) = self.0.active.insert(session.clone(), ActiveRequest { id, replace }) {
            // One that has just ended does not hear it.
            let _ = older.replace.send(());
        }
        SessionGuard { session, id, sessions: self.clone(), replaced }
    }
}

impl SessionGuard {
    /// Resolves when a newer question has come.
    pub(super) async fn replaced(&mut self) {
        // The sender goes with its place in the map, which only a newer one takes while this stays.
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
        assert!(
            other.replaced.try_recv().is_err(),
            "another client's session of that name is another session"
        );
        drop(older);
        assert_eq!(sessions.0.active.len(), 2, "who was replaced takes nobody along");
        drop(newer);
        drop(other);
        assert!(sessions.0.active.is_empty());
    }
}
