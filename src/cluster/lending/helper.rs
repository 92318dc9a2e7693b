//! The side of a node that runs searches of the others.
//!
//! The node takes a search only while it has a free worker: that keeps the searches where they can
//! run.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::{Value, cmd};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};

use super::entry::{Entry, GROUP};
use super::lender::Lender;
use super::message::{Content, Message};
use super::messenger::Messenger;
use super::offered_search::OfferedSearch;
use super::reporter::{ALIVE_INTERVAL, Reporter, UPDATE_INTERVAL};
use super::search_id::SearchId;
use crate::analysis::{AnalysisStream, AnalysisUpdate, PriorityClass, Service};
use crate::cluster::command_error::{COMMAND_LIMIT, CommandError};
use crate::cluster::connection::Connection;
use crate::cluster::endpoint::Endpoint;
use crate::cluster::refusal_log::RefusalLog;

/// How long a read waits for an offer. Then the node looks whether it still has a free worker.
const WAIT: Duration = Duration::from_millis(100);

/// The time after a failure before the next attempt.
const RETRY: Duration = Duration::from_millis(500);

/// A search without a sign of life for so long is taken over.
const TAKE_OVER_AFTER: Duration = Duration::from_secs(3);

/// A search that so many nodes have taken and lost runs where it came from.
const MAX_DELIVERIES: u64 = 3;

/// How long the server keeps a result, in case its message is lost.
const RESULT_KEPT: Duration = Duration::from_secs(30);

/// The helper of a node. Clones share its searches.
#[derive(Clone, Debug)]
pub(in crate::cluster) struct Helper(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    messenger: Messenger,
    /// For reads that wait.
    reader: Connection,
    /// The offers of this node, which it may take itself.
    lender: Lender,
    /// The searches of other nodes that run here, with the signal that stops each.
    running: Mutex<HashMap<SearchId, watch::Sender<bool>>>,
    /// Searches of other nodes that have started here.
    helped: AtomicU64,
    refusals: RefusalLog,
}

/// The next look for searches of lost nodes.
struct TakeOver {
    last: Instant,
    /// Where the next look at each stream begins, because a look sees a part of a long one alone.
    cursors: [Vec<u8>; 2],
}

/// An entry of a stream that this node has taken.
#[derive(Debug)]
struct Taken {
    entry: Entry,
    search: OfferedSearch,
}

impl TakeOver {
    fn new() -> TakeOver {
        TakeOver { last: Instant::now(), cursors: [(); 2].map(|()| b"0-0".to_vec()) }
    }

    /// `true` about once in [`ALIVE_INTERVAL`].
    fn is_due(&mut self) -> bool {
        let is_due = self.last.elapsed() >= ALIVE_INTERVAL;
        if is_due {
            self.last = Instant::now();
        }
        is_due
    }
}

/// A search that runs here. Dropping it forgets it.
struct RunningSearch {
    inner: Arc<Inner>,
    taken: Taken,
    reporter: Reporter,
}

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.inner.running().remove(&self.taken.search.id);
    }
}

/// How a search has ended here.
enum End {
    /// With this report, encoded.
    Finished(Vec<u8>),
    /// The node cannot run it to its end.
    GivenUp,
    /// The node that asks has asked for the result so far, or needs none. It removes the entry.
    Stopped(Option<Vec<u8>>),
    /// Nobody waits for it.
    Abandoned,
    /// Nobody has heard that it was taken. The entry stays for whoever takes it over.
    Unheard,
}

impl Helper {
    /// The helper of this node. Its reads have a connection of their own.
    pub(in crate::cluster) fn new(
        endpoint: &Endpoint,
        messenger: Messenger,
        lender: Lender,
    ) -> Helper {
        let reader = Connection::new(endpoint.clone());
        let refusals = RefusalLog::new(
            "the cluster's server refuses to name the searches that other nodes offer",
        );
        let (running, helped) = (Mutex::default(), AtomicU64::new(0));
        Helper(Arc::new(Inner { messenger, reader, lender, running, helped, refusals }))
    }

    /// How many searches of other nodes have started here.
    pub(in crate::cluster) fn helped(&self) -> u64 {
        self.0.helped.load(Ordering::Relaxed)
    }

    /// Takes and runs searches while workers are free, until the node leaves.
    pub(in crate::cluster) async fn run(
        self,
        service: Service,
        mut leaving: watch::Receiver<bool>,
    ) {
        let mut take_over = TakeOver::new();
        loop {
            tokio::select! {
                // The sender may only be dropped with the node.
                _ = leaving.wait_for(|leaving| *leaving) => return,
                () = service.free_worker() => {}
            }
            match self.0.take(&mut take_over).await {
                Ok(taken) => {
                    self.0.refusals.note_success();
                    for taken in taken {
                        self.start(&service, taken).await;
                    }
                }
                Err(error) => {
                    self.0.reader.disconnect();
                    self.0.log_failure(&error);
                    let _ = timeout(RETRY, leaving.wait_for(|leaving| *leaving)).await;
                }
            }
        }
    }

    /// Stops a search because the node that asks needs no more.
    pub(in crate::cluster) fn receive_stop(&self, message: &Message) {
        if let Some(stop) = self.0.running().get(&message.search) {
            stop.send_replace(true);
        }
    }

    /// Starts a search. The node that asks hears of it first: the search itself would compete with
    /// the message for a core.
    async fn start(&self, service: &Service, taken: Taken) {
        let (stop, stopped) = watch::channel(false);
        {
            let mut running = self.0.running();
            // After a pause of the server, the node may take over what it runs itself.
            if running.contains_key(&taken.search.id) {
                return;
            }
            running.insert(taken.search.id, stop);
        }
        let mut running = RunningSearch::new(self.0.clone(), taken);
        let stream = running.begin(service).await;
        tokio::spawn(async move {
            let end = match stream {
                Ok(stream) => running.follow(stream, stopped).await,
                Err(end) => end,
            };
            if let Err(error) = running.end(end).await {
                tracing::debug!(error = error.to_string(), "a lent search ended without a word");
            }
        });
    }
}

impl Inner {
    fn running(&self) -> MutexGuard<'_, HashMap<SearchId, watch::Sender<bool>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a refusal. The heartbeats tell of a missing server.
    fn log_failure(&self, error: &CommandError) {
        match error.server_code() {
            // A server that has lost its data, or the stream with it, has no group.
            Some(code) if !matches!(code, "NOGROUP" | "UNBLOCKED") => {
                self.refusals.note_refusal(error);
            }
            _ => tracing::debug!(error = error.to_string(), "no searches of other nodes"),
        }
    }

    /// Takes the next search: one whose node is lost, from time to time, then an interactive one,
    /// then any. Waits a little for it.
    async fn take(&self, take_over: &mut TakeOver) -> Result<Vec<Taken>, CommandError> {
        if !self.messenger.connection.is_connected() {
            return Err(CommandError::Disconnected);
        }
        if !self.reader.is_connected() {
            self.reader.connect().await?;
            self.create_groups().await?;
        }
        let streams = [PriorityClass::Interactive, PriorityClass::Batch]
            .map(|class| self.messenger.keys.searches(class));
        if take_over.is_due() {
            for (stream, cursor) in streams.iter().zip(&mut take_over.cursors) {
                let taken = self.take_over(stream, cursor).await?;
                if !taken.is_empty() {
                    return Ok(taken);
                }
            }
        }
        let taken = self.read(&streams[..1], None).await?;
        if !taken.is_empty() {
            return Ok(taken);
        }
        self.read(&streams, Some(WAIT)).await
    }

    /// Creates the consumer group of each stream, if it is missing.
    async fn create_groups(&self) -> Result<(), CommandError> {
        for class in [PriorityClass::Interactive, PriorityClass::Batch] {
            let mut command = cmd("XGROUP");
            command
                .arg("CREATE")
                .arg(self.messenger.keys.searches(class))
                .arg(GROUP)
                .arg("0")
                .arg("MKSTREAM");
            match self.reader.run::<()>(&command, COMMAND_LIMIT).await {
                Err(error) if error.server_code() != Some("BUSYGROUP") => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    async fn read(
        &self,
        streams: &[Vec<u8>],
        wait: Option<Duration>,
    ) -> Result<Vec<Taken>, CommandError> {
        let mut command = cmd("XREADGROUP");
        command.arg("GROUP").arg(GROUP).arg(self.messenger.node.as_str()).arg("COUNT").arg(1);
        if let Some(wait) = wait {
            command.arg("BLOCK").arg(wait.as_millis() as u64);
        }
        command.arg("STREAMS").arg(streams).arg(vec![">"; streams.len()]);
        let answer: Value = self.reader.run(&command, COMMAND_LIMIT + WAIT).await?;
        let mut taken = Vec::new();
        for (entry, bytes) in entries_of(&answer) {
            taken.extend(self.accept(entry, bytes).await?);
        }
        Ok(taken)
    }

    /// Takes a search over whose node has given no sign of life, if there is one behind the cursor
    /// among those at which the server looks.
    async fn take_over(
        &self,
        stream: &[u8],
        cursor: &mut Vec<u8>,
    ) -> Result<Vec<Taken>, CommandError> {
        let mut command = cmd("XAUTOCLAIM");
        command.arg(stream).arg(GROUP).arg(self.messenger.node.as_str());
        command.arg(TAKE_OVER_AFTER.as_millis() as u64).arg(&*cursor).arg("COUNT").arg(1);
        let answer: Value = self.reader.run(&command, COMMAND_LIMIT).await?;
        let Value::Array(parts) = answer else { return Ok(Vec::new()) };
        let [Value::BulkString(next), Value::Array(entries), ..] = &parts[..] else {
            return Ok(Vec::new());
        };
        cursor.clone_from(next);
        let mut taken = Vec::new();
        for (entry, bytes) in entries.iter().filter_map(|entry| entry_of(stream, entry)) {
            if self.deliveries(&entry).await? <= MAX_DELIVERIES {
                taken.extend(self.accept(entry, bytes).await?);
            } else {
                self.drop_entry(&entry).await?;
            }
        }
        Ok(taken)
    }

    /// How many nodes have taken an entry so far.
    async fn deliveries(&self, Entry { stream, id }: &Entry) -> Result<u64, CommandError> {
        let mut command = cmd("XPENDING");
        command.arg(stream).arg(GROUP).arg(id).arg(id).arg(1);
        let pending: Vec<(String, String, u64, u64)> =
            self.reader.run(&command, COMMAND_LIMIT).await?;
        Ok(pending.first().map_or(0, |&(_, _, _, deliveries)| deliveries))
    }

    /// A taken search; none if it is damaged or of another version. Such an entry is removed.
    async fn accept(&self, entry: Entry, bytes: Vec<u8>) -> Result<Option<Taken>, CommandError> {
        match OfferedSearch::decode(&bytes) {
            Ok(search) if search.lender != self.messenger.node => Ok(Some(Taken { entry, search })),
            // The node was free when it began to read, and is not any more.
            Ok(OfferedSearch { id: search, lender: sender, .. }) => {
                self.drop_entry(&entry).await?;
                self.lender.receive(Message { search, sender, content: Content::GivenUp });
                Ok(None)
            }
            Err(error) => {
                tracing::debug!(error = error.to_string(), "ignored a search of another node");
                self.drop_entry(&entry).await?;
                Ok(None)
            }
        }
    }

    async fn drop_entry(&self, entry: &Entry) -> Result<(), CommandError> {
        let mut commands = redis::pipe();
        entry.remove(&mut commands);
        self.reader.run_all(&commands, COMMAND_LIMIT).await
    }
}

impl RunningSearch {
    fn new(inner: Arc<Inner>, taken: Taken) -> RunningSearch {
        let OfferedSearch { id, lender, .. } = &taken.search;
        let reporter = Reporter::new(inner.messenger.clone(), *id, lender.clone());
        RunningSearch { inner, taken, reporter }
    }

    /// Begins the search, unless no worker is free any more or nobody waits for it.
    async fn begin(&self, service: &Service) -> Result<AnalysisStream, End> {
        // Requests may have come while the node waited for an offer.
        if !service.has_free_worker() {
            return Err(End::GivenUp);
        }
        if !matches!(self.reporter.send(Content::Started).await, Ok(1..)) {
            return Err(End::Unheard);
        }
        if !service.has_free_worker() {
            return Err(End::GivenUp);
        }
        self.inner.helped.fetch_add(1, Ordering::Relaxed);
        service.run_for_node(self.taken.search.search.clone()).map_err(|_| End::GivenUp)
    }

    /// Follows the search to its end, and tells the node that asks.
    async fn follow(
        &mut self,
        mut stream: AnalysisStream,
        mut stopped: watch::Receiver<bool>,
    ) -> End {
        let encoding = self.taken.search.search.report_encoding();
        let mut alive = interval(ALIVE_INTERVAL);
        alive.set_missed_tick_behavior(MissedTickBehavior::Delay);
        alive.tick().await;
        let mut updates = interval(UPDATE_INTERVAL);
        updates.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                update = stream.next() => match update {
                    Ok(Some(AnalysisUpdate::Iteration(report))) => {
                        self.reporter.note_update(encoding.encode(&report)).await;
                    }
                    Ok(Some(AnalysisUpdate::End(answer))) => {
                        return match encoding.encode_answer(&answer) {
                            report if *stopped.borrow() => End::Stopped(report),
                            Some(report) => End::Finished(report),
                            None => End::GivenUp,
                        };
                    }
                    // Other requests need the worker.
                    Ok(Some(AnalysisUpdate::Queued(_))) => return End::GivenUp,
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => return End::GivenUp,
                },
                Ok(()) = stopped.changed() => stream.stop(),
                _ = updates.tick(), if self.reporter.has_unsent() => {
                    self.reporter.send_unsent().await;
                }
                _ = alive.tick() => {
                    if self.stay_alive().await {
                        return End::Abandoned;
                    }
                }
            }
        }
    }

    /// Gives a sign of life. Returns `true` once nobody listens any more.
    async fn stay_alive(&mut self) -> bool {
        let Entry { stream, id } = &self.taken.entry;
        let mut claim = cmd("XCLAIM");
        claim
            .arg(stream)
            .arg(GROUP)
            .arg(self.inner.messenger.node.as_str())
            .arg(0)
            .arg(id)
            .arg("JUSTID");
        let claimed = self.inner.messenger.connection.run::<Value>(&claim, COMMAND_LIMIT).await;
        // While the server is away, the node that asks runs the search itself.
        self.reporter.stay_alive(claimed.is_err()).await
    }

    /// Ends the search for all nodes.
    async fn end(&self, end: End) -> Result<(), CommandError> {
        let Messenger { connection, keys, .. } = &self.inner.messenger;
        let Taken { entry, search } = &self.taken;
        let mut commands = redis::pipe();
        match end {
            End::Unheard | End::Stopped(None) => return Ok(()),
            End::Stopped(Some(report)) => {
                return self.reporter.send(Content::Finished(report)).await.map(drop);
            }
            End::Abandoned => entry.remove(&mut commands),
            End::GivenUp => {
                entry.remove(&mut commands);
                commands.add_command(self.reporter.command(Content::GivenUp)).ignore();
            }
            End::Finished(report) => {
                let kept_ms = RESULT_KEPT.as_millis() as u64;
                commands.cmd("SET").arg(keys.result(&search.id.to_string())).arg(&report);
                commands.arg("PX").arg(kept_ms).ignore();
                entry.remove(&mut commands);
                commands.add_command(self.reporter.command(Content::Finished(report))).ignore();
            }
        }
        connection.run_all(&commands, COMMAND_LIMIT).await
    }
}

/// The entries of several streams, with the search of each.
fn entries_of(answer: &Value) -> Vec<(Entry, Vec<u8>)> {
    let Value::Array(streams) = answer else { return Vec::new() };
    let mut all = Vec::new();
    for stream in streams {
        let Value::Array(parts) = stream else { continue };
        let [Value::BulkString(name), Value::Array(entries)] = &parts[..] else { continue };
        all.extend(entries.iter().filter_map(|entry| entry_of(name, entry)));
    }
    all
}

/// An entry of a stream, with the bytes of its search; none if the entry has other fields.
fn entry_of(stream: &[u8], entry: &Value) -> Option<(Entry, Vec<u8>)> {
    let Value::Array(parts) = entry else { return None };
    let [Value::BulkString(id), fields] = &parts[..] else { return None };
    let bytes = match fields.as_sequence() {
        Some([_, Value::BulkString(bytes)]) => bytes.clone(),
        _ => Vec::new(),
    };
    let id = String::from_utf8(id.clone()).ok()?;
    Some((Entry { stream: stream.to_vec(), id }, bytes))
}
