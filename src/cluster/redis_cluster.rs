//! The cluster behind the interface of the analysis service.

use std::sync::{Arc, Mutex, PoisonError};

use redis::Client;
use tokio::time::{MissedTickBehavior, interval};

use super::connection::Connection;
use super::error::ClusterError;
use super::heartbeat::Heartbeat;
use super::keys::{EngineGroup, Keys};
use super::membership::{self, INTERVAL, Nodes};
use super::node::NodeId;
use super::options::ClusterOptions;
use super::server_info::ServerInfo;
use super::sessions;
use super::shared_cache::{Changes, SharedCache};
use crate::analysis::{
    Cluster, ClusterStatus, Service, ServiceStatus, SessionId, SessionPlace, SharedRecords,
};
use crate::chess::encodings::PackedPosition;
use crate::store::Record;

/// A node's membership in a cluster. Clones share it.
#[derive(Clone, Debug)]
pub struct RedisCluster(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    client: Client,
    connection: Connection,
    keys: Keys,
    group: EngineGroup,
    node: NodeId,
    cache: SharedCache,
    /// Until [`RedisCluster::run`] takes them.
    changes: Mutex<Option<Changes>>,
    view: Mutex<View>,
}

/// What the node knows of the others.
#[derive(Debug, Default)]
struct View {
    /// The live nodes as of the last heartbeat; `None` while the server cannot be reached.
    nodes: Option<Nodes>,
    /// The last heartbeat of this node.
    own: Option<Heartbeat>,
}

impl RedisCluster {
    /// Connects to the server. If it cannot be reached, the node starts alone and keeps trying.
    /// Nodes with the same `engine_id` share searches and analyses.
    ///
    /// # Errors
    /// The server refuses the user or is too old.
    pub async fn connect(
        options: ClusterOptions,
        engine_id: &str,
    ) -> Result<RedisCluster, ClusterError> {
        let ClusterOptions { client, node: name, prefix } = options;
        let connection = Connection::new(client.clone())?;
        let node = NodeId::new(&name)?;
        let group = EngineGroup::of(engine_id);
        let keys = Keys::new(&prefix, group);
        match ServerInfo::read(&connection).await {
            Ok(info) if !info.is_new_enough() => {
                return Err(ClusterError::TooOld { version: info.version });
            }
            Ok(info) => log_server(&connection, &node, &info),
            Err(error) => match error.refusal() {
                Ok(refusal) => return Err(ClusterError::Refused(refusal)),
                Err(error) => log_unreachable(&connection, &error.to_string()),
            },
        }
        let (cache, changes) = SharedCache::new(connection.clone(), keys.clone());
        Ok(RedisCluster(Arc::new(Inner {
            client,
            connection,
            keys,
            group,
            node,
            cache,
            changes: Mutex::new(Some(changes)),
            view: Mutex::default(),
        })))
    }

    /// Takes part in the cluster until the service shuts down. Then it tells the other nodes that
    /// this one has left.
    pub async fn run(self, service: Service) {
        let changes = self.0.changes.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(changes) = changes {
            let cluster = self.clone();
            tokio::spawn(async move { cluster.0.cache.write_all(changes).await });
        }
        let listener = tokio::spawn(sessions::listen(
            self.0.client.clone(),
            self.0.keys.session_channel(),
            self.0.node.clone(),
            service.clone(),
        ));
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let status = service.status();
            if status.shutting_down {
                break;
            }
            self.beat(&status).await;
        }
        listener.abort();
        let Inner { connection, keys, node, .. } = &*self.0;
        if let Err(error) = membership::leave(connection, keys, node).await {
            tracing::debug!(
                error = error.to_string(),
                "the other nodes notice the end by its time"
            );
        }
    }

    /// Sends a heartbeat, and notes which nodes are alive.
    async fn beat(&self, status: &ServiceStatus) {
        let Inner { connection, keys, group, node, view, .. } = &*self.0;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let heartbeat = Heartbeat {
            group: *group,
            workers: count(status.workers),
            free_workers: count(status.workers.saturating_sub(status.busy_workers)),
            waiting: count(status.queue_length + status.batch_length),
        };
        let answer = membership::beat(connection, keys, node, heartbeat).await;
        let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
        view.own = Some(heartbeat);
        match answer {
            Ok(nodes) => {
                match &view.nodes {
                    Some(earlier) => self.0.log_changes(earlier, &nodes),
                    None => self.0.log_joined(&nodes),
                }
                view.nodes = Some(nodes);
            }
            Err(error) => {
                if view.nodes.take().is_some() {
                    log_unreachable(connection, &error.to_string());
                }
            }
        }
    }
}

impl Inner {
    fn log_joined(&self, nodes: &Nodes) {
        let (node, count) = (self.node.as_str(), nodes.len());
        tracing::info!(node, nodes = count, server = self.connection.address(), "in the cluster");
        let others = nodes.keys().filter(|id| **id != self.node);
        others.filter(|id| id.name() == self.node.name()).for_each(log_equal_name);
    }

    fn log_changes(&self, earlier: &Nodes, nodes: &Nodes) {
        for (id, heartbeat) in nodes.iter().filter(|(id, _)| !earlier.contains_key(id)) {
            let node = id.as_str();
            if id.name() == self.node.name() {
                log_equal_name(id);
            } else if heartbeat.group == self.group {
                tracing::info!(node, "a node joined the cluster");
            } else {
                tracing::info!(
                    node,
                    "a node joined the cluster with another engine, network or set of tablebases; \
                     it shares no searches and no analyses with this one"
                );
            }
        }
        for id in earlier.keys().filter(|id| !nodes.contains_key(id)) {
            tracing::info!(node = id.as_str(), "a node left the cluster");
        }
    }
}

impl Cluster for RedisCluster {
    fn status(&self) -> ClusterStatus {
        let view = self.0.view.lock().unwrap_or_else(PoisonError::into_inner);
        let heartbeats: Vec<&Heartbeat> = match &view.nodes {
            Some(nodes) => nodes.values().filter(|other| other.group == self.0.group).collect(),
            None => view.own.iter().collect(),
        };
        let mut status = ClusterStatus {
            is_unreachable: view.nodes.is_none(),
            cache: self.0.cache.counts(),
            ..ClusterStatus::default()
        };
        status.nodes = heartbeats.len();
        for heartbeat in heartbeats {
            status.workers += heartbeat.workers as usize;
            status.free_workers += heartbeat.free_workers as usize;
        }
        status
    }

    fn read_cache(&self, zobrist_key: u64, position: PackedPosition) -> SharedRecords<'_> {
        Box::pin(async move { self.0.cache.read(zobrist_key, &position).await })
    }

    fn write_cache(&self, record: Record) {
        self.0.cache.write(record);
    }

    fn discard(&self, record: &Record) {
        self.0.cache.discard_record(record);
    }

    fn enter_session(&self, session: SessionId) -> SessionPlace<'_> {
        let Inner { connection, keys, node, .. } = &*self.0;
        Box::pin(async move { sessions::enter(connection, keys, node, session).await.ok() })
    }
}

fn log_equal_name(id: &NodeId) {
    tracing::warn!(node = id.as_str(), "another node has this node's name; set cluster.node");
}

fn log_server(connection: &Connection, node: &NodeId, info: &ServerInfo) {
    let (server, version) = (connection.address(), &info.version);
    tracing::info!(server, version, node = node.as_str(), "the cluster's server answers");
    if let Some(advice) = info.advice() {
        tracing::warn!(server, "{advice}");
    }
}

fn log_unreachable(connection: &Connection, error: &str) {
    tracing::error!(
        server = connection.address(),
        error,
        "the cluster's server cannot be reached; this node goes on alone and keeps trying"
    );
}
