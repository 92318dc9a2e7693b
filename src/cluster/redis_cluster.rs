//! The cluster behind the interface of the analysis service.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::command_error::CommandError;
use super::connection::Connection;
use super::counters::Counters;
use super::endpoint::Endpoint;
use super::error::ClusterError;
use super::heartbeat::Heartbeat;
use super::keys::{EngineGroup, Keys};
use super::leasing::{Holder, Leases, Watcher};
use super::lending::{Content, Helper, Lender, Message, Messenger};
use super::listener;
use super::membership::{self, INTERVAL};
use super::node::NodeId;
use super::options::ClusterOptions;
use super::server_info::{ServerInfo, UnsuitableServer};
use super::sessions;
use super::shared_cache::SharedCache;
use super::view::View;
use crate::analysis::{
    Cluster, ClusterStatus, LeaseAnswer, LostNode, ReadLimit, RemoteRun, RemoteSearch,
    SearchDigest, Service, ServiceStatus, SessionId, SessionPlace, SharedCounters, SharedRecords,
    SharedWrite, WatchedSearch,
};
use crate::store::{EntryKey, LAYOUT_VERSION, Record};

/// The longest time until the other nodes know that this one has left.
const LEAVE_LIMIT: Duration = Duration::from_secs(2);

/// The longest time until the other nodes know that no search of theirs runs here.
const END_LIMIT: Duration = Duration::from_millis(500);

/// A node's membership in a cluster. Clones share it.
#[derive(Clone, Debug)]
pub struct RedisCluster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    connection: Arc<Connection>,
    keys: Keys,
    group: EngineGroup,
    node: NodeId,
    cache: SharedCache,
    counters: Arc<Counters>,
    lender: Lender,
    helper: Helper,
    leases: Leases,
    holder: Holder,
    watcher: Watcher,
    view: Mutex<View>,
    /// `true` once the node leaves.
    leaving: watch::Sender<bool>,
    heartbeats: Mutex<Option<JoinHandle<()>>>,
    /// Receives messages and renews leases until the last search has ended.
    listener: Mutex<Option<JoinHandle<((), ())>>>,
}

/// The reason why a heartbeat failed.
#[derive(Debug, thiserror::Error)]
enum BeatError {
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error(transparent)]
    Unsuitable(#[from] UnsuitableServer),
}

impl RedisCluster {
    /// Connects to the server. If it cannot be reached, the node starts alone and keeps trying.
    /// Nodes with the same `engine_id` share searches and analyses.
    ///
    /// # Errors
    /// The server refuses the user, is too old, or is a part of a Redis Cluster.
    pub async fn connect(
        options: &ClusterOptions,
        engine_id: &str,
    ) -> Result<RedisCluster, ClusterError> {
        let ClusterOptions { endpoint, node, prefix, .. } = options;
        let new_connection = || Arc::new(Connection::new(endpoint.clone()));
        let (connection, write_connection) = (new_connection(), new_connection());
        let group = EngineGroup::new(engine_id, LAYOUT_VERSION);
        let keys = Keys::new(prefix, group);
        let mut view = View::new(node.clone(), group);
        match connect_and_check(&connection).await {
            Ok(server) => log_server(&connection, &server),
            Err(BeatError::Unsuitable(error)) => return Err(error.into()),
            Err(BeatError::Command(error)) if error.is_refusal() => {
                return Err(ClusterError::Refused(error));
            }
            Err(BeatError::Command(error)) => {
                connection.disconnect();
                view.note_failure(connection.address(), &error.to_string());
            }
        }
        let (cache, writer) = SharedCache::new(connection.clone(), write_connection, keys.clone());
        tokio::spawn(writer.run());
        let (own, own_keys) = (connection.clone(), keys.clone());
        let messenger = Messenger { connection: own, keys: own_keys, node: node.clone() };
        let lender = Lender::new(messenger.clone());
        let helper = Helper::new(endpoint, messenger.clone(), lender.clone());
        let leases = Leases::new(connection.clone(), keys.clone(), node.clone());
        let holder = Holder::new(messenger.clone());
        let watcher = Watcher::new(messenger, lender.mailboxes().clone());
        let counters = Arc::new(Counters::new(connection.clone(), keys.clone()));
        Ok(RedisCluster(Arc::new(Inner {
            endpoint: endpoint.clone(),
            connection,
            keys,
            group,
            node: node.clone(),
            cache,
            counters,
            lender,
            helper,
            leases,
            holder,
            watcher,
            view: Mutex::new(view),
            leaving: watch::Sender::new(false),
            heartbeats: Mutex::default(),
            listener: Mutex::default(),
        })))
    }

    /// What the nodes count together.
    pub fn counters(&self) -> Arc<dyn SharedCounters> {
        self.0.counters.clone()
    }

    /// Takes part in the cluster until [`RedisCluster::leave`]. When this returns, the node knows
    /// the others, unless the server cannot be reached.
    pub async fn start(&self, service: &Service) {
        self.beat(&service.status()).await;
        let heartbeats = tokio::spawn(self.clone().run(service.clone()));
        *self.0.heartbeats.lock().unwrap_or_else(PoisonError::into_inner) = Some(heartbeats);
    }

    /// Tells the other nodes that this one leaves. What its last searches find is still shared.
    pub async fn leave(&self) {
        self.0.leaving.send_replace(true);
        let heartbeats = self.0.heartbeats.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(heartbeats) = heartbeats
            && timeout(LEAVE_LIMIT, heartbeats).await.is_err()
        {
            tracing::debug!("the other nodes notice by its heartbeat that this node has left");
        }
    }

    /// Ends the membership, once all searches have ended. Resolves when all analyses so far were
    /// shared or dropped.
    pub async fn flush(&self) {
        let Inner { holder, leases, .. } = &*self.0;
        // Those that watch a search go on with it at once, and find no lease.
        let ended = async { tokio::join!(holder.ended(), leases.ended()) };
        if timeout(END_LIMIT, ended).await.is_err() {
            tracing::debug!("some nodes notice later that their searches do not run here any more");
        }
        // Until now its searches on other nodes needed the messages, and its own their leases.
        let listener = self.0.listener.lock().unwrap_or_else(PoisonError::into_inner).take();
        listener.inspect(JoinHandle::abort);
        self.0.cache.flush().await;
    }

    async fn run(self, service: Service) {
        let Inner { connection, keys, node, helper, leases, leaving, .. } = &*self.0;
        let (listening, leases) = (self.clone().listen(service.clone()), leases.clone());
        let listener = tokio::spawn(async move { tokio::join!(listening, leases.keep()) });
        *self.0.listener.lock().unwrap_or_else(PoisonError::into_inner) = Some(listener);
        let helping = tokio::spawn(helper.clone().run(service.clone(), leaving.subscribe()));
        let mut leaving = leaving.subscribe();
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.tick().await;
        loop {
            tokio::select! {
                // `self` owns the sender, so `wait_for` cannot fail.
                () = async { drop(leaving.wait_for(|leaving| *leaving).await) } => break,
                _ = ticks.tick() => self.beat(&service.status()).await,
            }
        }
        if let Err(error) = membership::leave(connection, keys, node).await {
            tracing::debug!(error = error.to_string(), "the node could not say that it leaves");
        }
        // Its searches for other nodes end with the service, which gives them back.
        drop(helping.await);
    }

    /// Passes the messages of other nodes on.
    async fn listen(self, service: Service) {
        let Inner { endpoint, keys, node, .. } = &*self.0;
        let channels = vec![keys.session_channel(), keys.node_channel(node)];
        let on_message = |channel: usize, bytes: &[u8]| match channel {
            0 => sessions::receive(bytes, node, &service),
            _ => match Message::from_bytes(bytes) {
                Ok(message) => self.0.receive(message, &service),
                Err(error) => {
                    tracing::debug!(error = error.to_string(), "ignored a message of another node")
                }
            },
        };
        listener::listen(endpoint.clone(), channels, on_message).await;
    }

    /// Sends a heartbeat, and notes which nodes are alive. After a failure the next heartbeat has a
    /// new connection.
    async fn beat(&self, status: &ServiceStatus) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let heartbeat = Heartbeat {
            group: self.0.group,
            workers: count(status.workers),
            free_workers: count(status.workers.saturating_sub(status.busy_workers)),
            waiting: count(status.queue_length + status.batch_length),
        };
        self.0.view().set_own(heartbeat);
        let Inner { connection, keys, node, .. } = &*self.0;
        let answer = async {
            let server = if connection.is_connected() {
                None
            } else {
                Some(connect_and_check(connection).await?)
            };
            let nodes = membership::beat(connection, keys, node, heartbeat).await?;
            Ok::<_, BeatError>((server, nodes))
        };
        match answer.await {
            Ok((server, nodes)) => {
                if let Some(server) = server {
                    log_server(connection, &server);
                }
                self.0.view().update(connection.address(), nodes);
            }
            Err(error) => {
                connection.disconnect();
                self.0.view().note_failure(connection.address(), &error.to_string());
            }
        }
    }
}

impl Inner {
    /// Passes a message about a search on.
    fn receive(&self, message: Message, service: &Service) {
        match message.content {
            Content::Stop => {
                self.helper.receive_stop(&message);
                self.holder.receive_stop(&message);
            }
            Content::Watch { digest, ref client } => {
                self.holder.receive_watch(service, &message, digest, client.clone());
            }
            _ => self.lender.receive(message),
        }
    }

    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cluster for RedisCluster {
    fn status(&self) -> ClusterStatus {
        let Inner { cache, lender, helper, watcher, .. } = &*self.0;
        ClusterStatus {
            cache: cache.counts(),
            lent_searches: lender.lent(),
            helped_searches: helper.helped(),
            watched_searches: watcher.watched(),
            ..self.0.view().status()
        }
    }

    fn read_cache(&self, keys: Vec<EntryKey>, limit: ReadLimit) -> SharedRecords<'_> {
        Box::pin(async move { self.0.cache.read(&keys, limit).await })
    }

    fn write_cache(&self, record: Record, kind: SharedWrite) {
        self.0.cache.write(record, kind);
    }

    fn discard(&self, record: &Record) {
        self.0.cache.discard_record(record);
    }

    fn workers_elsewhere(&self) -> usize {
        if self.0.lender.can_offer() { self.0.view().workers_elsewhere() } else { 0 }
    }

    fn offer(&self, search: Arc<RemoteSearch>) -> RemoteRun {
        self.0.lender.offer(search)
    }

    fn lease_search(&self, digest: SearchDigest, lost: Option<LostNode>) -> LeaseAnswer<'_> {
        Box::pin(self.0.leases.enter(digest, lost))
    }

    fn watch_search(&self, search: WatchedSearch) -> RemoteRun {
        self.0.watcher.watch(search)
    }

    fn enter_session(&self, session: SessionId) -> SessionPlace<'_> {
        let Inner { connection, keys, node, .. } = &*self.0;
        Box::pin(async move {
            let entered = sessions::enter(connection, keys, node, session).await;
            entered
                .inspect_err(|error| {
                    tracing::debug!(error = error.to_string(), "an entry was not announced")
                })
                .ok()
        })
    }
}

/// Establishes the connection and checks the server.
async fn connect_and_check(connection: &Connection) -> Result<ServerInfo, BeatError> {
    connection.connect().await?;
    let info = ServerInfo::read(connection).await?;
    info.check()?;
    Ok(info)
}

fn log_server(connection: &Connection, info: &ServerInfo) {
    let (server, primary) = (connection.address(), connection.primary());
    tracing::info!(server, primary, version = info.version, "connected to the cluster's server");
    if let Some(advice) = info.advice() {
        tracing::warn!(server, "{advice}");
    }
}
