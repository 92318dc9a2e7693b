//! Following: a search that another node runs for requests of its own answers requests here.

use std::sync::Arc;

use super::analysis_stream::AnalysisStream;
use super::cluster::FollowedFlight;
use super::flight::Flight;
use super::lending::follow;
use super::queue::{LentTask, Queue, TaskControl};
use super::remote_search::{RemoteSearch, ReportEncoding};
use super::session::Client;

/// After so many nodes in a row that do not bring a search to its end, it runs here.
const MAX_LOST_NODES: usize = 3;

/// A search of this node that another one follows.
pub struct JoinedFlight {
    /// Its updates. Dropping the stream leaves the search.
    pub stream: AnalysisStream,
    /// The encoding of its reports.
    pub report_encoding: ReportEncoding,
}

/// Publishes what other nodes find until the search ends, or runs here because they are lost.
pub(super) async fn follow_flight(
    queue: Arc<Queue>,
    control: Arc<TaskControl>,
    flight: Arc<Flight>,
    client: Client,
    search: Arc<RemoteSearch>,
    mut lent: LentTask,
) {
    let mut lost_nodes = 0;
    while let Some(node) = flight.elsewhere().filter(|_| lost_nodes < MAX_LOST_NODES) {
        let (client, search) = (client.clone(), search.clone());
        let followed = FollowedFlight { id: flight.id(), node: node.clone(), client, search };
        let run = flight.cluster().follow_flight(followed);
        match follow(&queue, &control, run, lent).await {
            Some(lost) => lent = lost,
            None => return,
        }
        flight.leave_node(node).await;
        lost_nodes += 1;
    }
    flight.note_start();
    queue.give_back(lent);
}
