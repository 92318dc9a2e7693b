//! Clients and their sessions, in which a newer request replaces the older one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use sha2::{Digest, Sha256};
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

/// The identity of a session on all nodes of a cluster: the first bytes of the SHA-256 of its
/// client and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub [u8; 16]);

impl From<&Session> for SessionId {
    fn from(Session { client, name }: &Session) -> SessionId {
        let client = client.0.as_bytes();
        let digest = Sha256::new()
            .chain_update((client.len() as u64).to_be_bytes())
            .chain_update(client)
            .chain_update(name.as_bytes())
            .finalize();
        SessionId(std::array::from_fn(|index| digest[index]))
    }
}

/// The active request of each session on this node.
#[derive(Clone, Debug)]
pub(super) struct Sessions(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    active: DashMap<Session, ActiveRequest>,
    /// The sessions of `active` by their id; `None` without a cluster.
    by_id: Option<DashMap<SessionId, Session>>,
    next_id: AtomicU64,
}

#[derive(Debug)]
struct ActiveRequest {
    id: u64,
    /// `None` once a newer request has replaced this one.
    replace: Option<oneshot::Sender<()>>,
    generation: Generation,
    /// The highest generation of a request on another node.
    newest_elsewhere: u64,
}

/// The place of a request among all of its session in the cluster: later ones have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Generation {
    /// The cluster has not answered yet.
    Pending,
    Known(u64),
    /// The cluster cannot be reached. Requests on other nodes do not replace this one.
    Unknown,
}

impl ActiveRequest {
    fn replace(&mut self) {
        if let Some(replace) = self.replace.take() {
            // The receiver is gone if the request has just ended.
            let _ = replace.send(());
        }
    }

    /// Ends the request if a newer one of its session is on another node.
    fn replace_if_older(&mut self) {
        if let Generation::Known(generation) = self.generation
            && self.newest_elsewhere > generation
        {
            self.replace();
        }
    }
}

/// The membership of a request in its session. Dropping it leaves the session.
#[derive(Debug)]
pub(super) struct SessionGuard {
    session: Session,
    id: u64,
    sessions: Sessions,
    replaced: oneshot::Receiver<()>,
}

/// The entry of a request into its session. It does not keep the request in the session.
#[derive(Debug)]
pub(super) struct SessionEntry {
    session: Session,
    id: u64,
    sessions: Sessions,
}

impl SessionEntry {
    /// The identity of the session.
    pub(super) fn session_id(&self) -> SessionId {
        SessionId::from(&self.session)
    }

    /// Notes the place of the request in the cluster; `None` if the cluster has not answered.
    pub(super) fn complete(self, generation: Option<u64>) {
        self.sessions.set_generation(&self.session, self.id, generation);
    }
}

impl Sessions {
    /// No sessions yet, on a node of a cluster or on a single one.
    pub(super) fn new(is_in_cluster: bool) -> Sessions {
        Sessions(Arc::new(Shared {
            active: DashMap::new(),
            by_id: is_in_cluster.then(DashMap::new),
            next_id: AtomicU64::new(0),
        }))
    }

    /// Enters a session and replaces its older request on this node.
    pub(super) fn enter(&self, session: Session) -> SessionGuard {
        let (replace, replaced) = oneshot::channel();
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let generation =
            if self.0.by_id.is_some() { Generation::Pending } else { Generation::Unknown };
        let request = ActiveRequest { id, replace: Some(replace), generation, newest_elsewhere: 0 };
        let older = self.0.active.insert(session.clone(), request);
        // After `active`, so that a request that leaves at the same time keeps this entry.
        if let Some(by_id) = &self.0.by_id {
            by_id.insert(SessionId::from(&session), session.clone());
        }
        if let Some(mut older) = older {
            older.replace();
        }
        SessionGuard { session, id, sessions: self.clone(), replaced }
    }

    /// Notes that a request on another node has entered a session. An older one on this node ends.
    pub(super) fn note_entry_elsewhere(&self, id: SessionId, generation: u64) {
        let Some(by_id) = &self.0.by_id else { return };
        let Some(session) = by_id.get(&id).map(|session| session.clone()) else { return };
        if let Some(mut request) = self.0.active.get_mut(&session) {
            request.newest_elsewhere = request.newest_elsewhere.max(generation);
            request.replace_if_older();
        }
    }

    /// Notes the place of a request in the cluster; `None` if the cluster has not answered.
    fn set_generation(&self, session: &Session, id: u64, generation: Option<u64>) {
        if let Some(mut request) = self.0.active.get_mut(session)
            && request.id == id
        {
            request.generation = generation.map_or(Generation::Unknown, Generation::Known);
            request.replace_if_older();
        }
    }

    fn leave(&self, session: &Session, id: u64) {
        let left = self.0.active.remove_if(session, |_, request| request.id == id);
        if let Some(by_id) = &self.0.by_id
            && left.is_some()
        {
            // A newer request may have entered since.
            let is_unused = |_: &SessionId, _: &Session| !self.0.active.contains_key(session);
            by_id.remove_if(&SessionId::from(session), is_unused);
        }
    }
}

impl SessionGuard {
    /// Resolves when a newer request enters the session.
    pub(super) async fn replaced(&mut self) {
        // The map drops the sender only when a newer request enters, as long as this guard lives.
        let _ = (&mut self.replaced).await;
    }

    /// The entry, to be completed once the cluster has answered.
    pub(super) fn entry(&self) -> SessionEntry {
        SessionEntry { session: self.session.clone(), id: self.id, sessions: self.sessions.clone() }
    }
}

impl Drop for SessionGuard {
    fn drop(&mut self) {
        self.sessions.leave(&self.session, self.id);
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
        let sessions = Sessions::new(false);
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

    fn is_replaced(guard: &mut SessionGuard) -> bool {
        guard.replaced.try_recv().is_ok()
    }

    #[test]
    fn a_newer_request_on_another_node_replaces_an_older_one_in_whatever_order_they_are_known() {
        for is_own_known_first in [true, false] {
            let sessions = Sessions::new(true);
            let mut guard = sessions.enter(session("ann"));
            let id = SessionId::from(&session("ann"));
            sessions.note_entry_elsewhere(id, 4);
            assert!(!is_replaced(&mut guard), "its own place is not known yet");
            let know_own = || sessions.set_generation(&guard.session, guard.id, Some(5));
            if is_own_known_first {
                know_own();
                sessions.note_entry_elsewhere(id, 6);
            } else {
                sessions.note_entry_elsewhere(id, 6);
                know_own();
            }
            assert!(is_replaced(&mut guard));
        }
    }

    #[test]
    fn older_requests_and_other_sessions_on_other_nodes_replace_nothing() {
        let sessions = Sessions::new(true);
        let mut guard = sessions.enter(session("ann"));
        sessions.set_generation(&guard.session, guard.id, Some(5));
        sessions.note_entry_elsewhere(SessionId::from(&session("ann")), 4);
        sessions.note_entry_elsewhere(SessionId::from(&session("bob")), 6);
        assert!(!is_replaced(&mut guard));
    }

    #[test]
    fn without_an_answer_of_the_cluster_a_request_stays() {
        let sessions = Sessions::new(true);
        let mut guard = sessions.enter(session("ann"));
        sessions.set_generation(&guard.session, guard.id, None);
        sessions.note_entry_elsewhere(SessionId::from(&session("ann")), 6);
        assert!(!is_replaced(&mut guard));
    }

    #[test]
    fn a_late_answer_for_an_older_request_does_not_concern_the_newer_one() {
        let sessions = Sessions::new(true);
        let older = sessions.enter(session("ann"));
        let mut newer = sessions.enter(session("ann"));
        let id = SessionId::from(&session("ann"));
        sessions.note_entry_elsewhere(id, 6);
        sessions.set_generation(&older.session, older.id, Some(5));
        assert!(!is_replaced(&mut newer));
        drop(older);
        sessions.set_generation(&newer.session, newer.id, Some(7));
        assert!(!is_replaced(&mut newer));
        sessions.note_entry_elsewhere(id, 8);
        assert!(is_replaced(&mut newer));
        drop(newer);
        assert!(sessions.0.by_id.as_ref().is_some_and(DashMap::is_empty), "nothing is left");
    }

    #[test]
    fn the_id_of_a_session_is_frozen() {
        // sha256sum of the length 3 in eight bytes, "ann" and "board".
        let id = SessionId::from(&session("ann"));
        assert_eq!(id.0[..4], [0x03, 0xe1, 0x2b, 0xa4]);
        let other_split = Session::new(Client::new("annb"), "oard");
        assert_ne!(id, SessionId::from(&other_split));
    }
}
