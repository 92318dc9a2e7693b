//! Lending: searches that wait are offered to other nodes, which the tests play.

use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::*;
use crate::analysis::{
    AnalysisError, AnalysisStream, AnalysisUpdate, Backends, Cluster, ClusterStatus,
    CompletionReason, LeaseAnswer, LostNode, ReadLimit, RemoteEvent, RemoteRun, RemoteSearch,
    SearchDigest, SearchPlace, SessionId, SessionPlace, SharedRecords, SharedWrite, WatchedSearch,
};
use crate::chess::Move;
use crate::engine::{StrengthLimit, Variation};
use crate::store::{EntryKey, Record};

/// An offer as the other nodes see it.
struct OfferedSearch {
    search: Arc<RemoteSearch>,
    events: mpsc::Sender<RemoteEvent>,
    stop: watch::Receiver<bool>,
}

/// Nodes with some workers. A test takes what is offered to them.
#[derive(Debug)]
struct Elsewhere {
    workers: AtomicUsize,
    offers: mpsc::UnboundedSender<OfferedSearch>,
}

impl std::fmt::Debug for OfferedSearch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfferedSearch").field("search", &self.search).finish_non_exhaustive()
    }
}

impl Cluster for Elsewhere {
    fn status(&self) -> ClusterStatus {
        ClusterStatus::default()
    }

    fn read_cache(&self, _: Vec<EntryKey>, _: ReadLimit) -> SharedRecords<'_> {
        Box::pin(async { Vec::new() })
    }

    fn write_cache(&self, _: Record, _: SharedWrite) {}

    fn discard(&self, _: &Record) {}

    fn enter_session(&self, _: SessionId) -> SessionPlace<'_> {
        Box::pin(async { None })
    }

    fn workers_elsewhere(&self) -> usize {
        self.workers.load(Ordering::SeqCst)
    }

    fn offer(&self, search: Arc<RemoteSearch>) -> RemoteRun {
        let ((events, received), (stop, stopped)) = (mpsc::channel(16), watch::channel(false));
        let _ = self.offers.send(OfferedSearch { search, events, stop: stopped });
        RemoteRun { events: received, stop }
    }

    fn lease_search(&self, _: SearchDigest, _: Option<LostNode>) -> LeaseAnswer<'_> {
        Box::pin(async { SearchPlace::Unknown })
    }

    fn watch_search(&self, _: WatchedSearch) -> RemoteRun {
        unreachable!("no equal search is elsewhere")
    }
}

impl OfferedSearch {
    async fn send(&self, event: RemoteEvent) {
        self.events.send(event).await.expect("somebody listens");
    }

    async fn start(&self) {
        self.send(RemoteEvent::Started).await;
    }

    async fn update(&self, depth: u8) {
        let report = report(depth, u64::from(depth) * 100);
        self.send(RemoteEvent::Update(Box::new(report))).await;
    }

    async fn finish(&self, depth: u8, reason: StopReason) {
        let report = Report { reason, ..report(depth, u64::from(depth) * 100) };
        self.send(RemoteEvent::Finished(Box::new(report))).await;
    }
}

/// A service with one worker, and what it offers to nodes with so many workers.
struct Node {
    service: Service,
    offers: mpsc::UnboundedReceiver<OfferedSearch>,
}

impl Node {
    fn new(searcher: Arc<impl Searcher>, workers: usize) -> Node {
        let (offers, receiver) = mpsc::unbounded_channel();
        let cluster = Elsewhere { workers: AtomicUsize::new(workers), offers };
        let backends = Backends { store: None, cluster: Some(Arc::new(cluster)) };
        let service = Service::start_with_backends(searcher, options(1, 8), backends);
        Node { service: service.expect("threads"), offers: receiver }
    }

    /// A node whose worker is busy until the gate opens or the stream is dropped.
    async fn busy(gate: &Arc<AtomicBool>, workers: usize) -> (Node, AnalysisStream) {
        let node = Node::new(gated(gate), workers);
        let first = node.service.follow(unique_request(0)).await.unwrap();
        wait_until("the worker is busy", || node.service.status().busy_workers == 1).await;
        (node, first)
    }

    async fn offer(&mut self) -> OfferedSearch {
        timeout(Duration::from_secs(10), self.offers.recv()).await.expect("an offer").unwrap()
    }

    /// Starts an analysis that another node takes.
    async fn lend(&mut self, request: AnalysisRequest) -> (AnalysisStream, OfferedSearch) {
        let stream = self.service.follow(request).await.unwrap();
        let offer = self.offer().await;
        offer.start().await;
        (stream, offer)
    }

    /// `true` if nothing is offered for a while.
    async fn offers_nothing(&mut self) -> bool {
        timeout(Duration::from_millis(100), self.offers.recv()).await.is_err()
    }
}

/// The depths of all updates, and the end of a stream.
async fn read(mut stream: AnalysisStream) -> (Vec<u8>, Result<CompletionReason, AnalysisError>) {
    let mut depths = Vec::new();
    loop {
        match stream.next().await {
            Ok(Some(AnalysisUpdate::Iteration(report))) => depths.push(report.depth),
            Ok(Some(AnalysisUpdate::End(answer))) => return (depths, Ok(answer.reason)),
            Ok(Some(_)) => {}
            Ok(None) => unreachable!("a stream ends with an answer"),
            Err(error) => return (depths, Err(error)),
        }
    }
}

#[tokio::test]
async fn a_search_that_waits_is_run_by_another_node() {
    let gate = Arc::default();
    let (mut node, first) = Node::busy(&gate, 1).await;
    let waiting = node.service.follow(request(start_game(), depth(9))).await.unwrap();
    let offer = node.offer().await;
    assert_eq!(offer.search.limits.depth, Some(9));
    assert_eq!(offer.search.client, Client::new("ann"));
    let reading = tokio::spawn(read(waiting));
    offer.start().await;
    for depth in [4, 6] {
        offer.update(depth).await;
        // Only the newest of several updates at once is sent.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    offer.finish(9, StopReason::Depth).await;
    assert_eq!(reading.await.unwrap(), (vec![4, 6, 9], Ok(CompletionReason::Depth)));
    assert_eq!(node.service.status().busy_workers, 1, "the own search goes on");
    let cached = node.service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(cached.cache_verdict, CacheVerdict::Hit);
    drop(first);
    node.service.drained().await;
}

#[tokio::test]
async fn nothing_is_offered_without_workers_elsewhere_or_while_one_is_free_here() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 0).await;
    let _waiting = node.service.follow(unique_request(1)).await.unwrap();
    assert!(node.offers_nothing().await);
    let mut idle = Node::new(Scripted::new(until_stopped), 1);
    let _running = idle.service.follow(unique_request(1)).await.unwrap();
    assert!(idle.offers_nothing().await);
}

#[tokio::test]
async fn only_as_many_searches_are_offered_as_there_are_workers_elsewhere() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 2).await;
    let mut waiting = Vec::new();
    for number in 1..5 {
        waiting.push(node.service.follow(unique_request(number)).await.unwrap());
    }
    let (one, _two) = (node.offer().await, node.offer().await);
    assert!(node.offers_nothing().await);
    one.start().await;
    let _three = node.offer().await;
    assert!(node.offers_nothing().await, "the second offer is still open");
}

#[tokio::test]
async fn searches_that_are_short_or_share_nothing_are_not_offered() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 8).await;
    let all = || request(start_game(), depth(9));
    let private = SearchOptions { private_table: true, ..SearchOptions::default() };
    let requests = [
        request(start_game(), depth(2)),
        request(start_game(), movetime(5)),
        request(start_game(), Limits { nodes: Some(100), ..Limits::default() }),
        AnalysisRequest { fresh: true, ..all() },
        AnalysisRequest { options: private, ..all() },
        all().with_strength(StrengthLimit::new(1_500)),
    ];
    let mut waiting = Vec::new();
    for request in requests {
        waiting.push(node.service.follow(request).await.unwrap());
    }
    assert!(node.offers_nothing().await);
}

#[tokio::test]
async fn a_search_that_starts_here_is_withdrawn() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, first) = Node::busy(&gate, 1).await;
    let waiting = node.service.follow(unique_request(1)).await.unwrap();
    let offer = node.offer().await;
    drop(first);
    timeout(Duration::from_secs(10), offer.events.closed()).await.expect("it is withdrawn");
    gate.store(true, Ordering::SeqCst);
    assert_eq!(read(waiting).await, (vec![7], Ok(CompletionReason::Nodes)));
}

#[tokio::test]
async fn a_search_of_a_lost_node_goes_on_here_and_its_depth_never_falls() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, first) = Node::busy(&gate, 1).await;
    let waiting = node.service.follow(request(start_game(), depth(9))).await.unwrap();
    let offer = node.offer().await;
    let reading = tokio::spawn(read(waiting));
    offer.start().await;
    offer.update(6).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(offer);
    let again = node.offer().await;
    drop(again);
    gate.store(true, Ordering::SeqCst);
    assert_eq!(reading.await.unwrap(), (vec![6, 9], Ok(CompletionReason::Depth)));
    drop(first);
    node.service.drained().await;
}

#[tokio::test]
async fn what_a_lost_node_has_found_is_not_replaced_by_less() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let (waiting, offer) = node.lend(unique_request(1)).await;
    offer.update(12).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(offer);
    let again = node.offer().await;
    again.start().await;
    again.update(3).await;
    again.finish(8, StopReason::Nodes).await;
    assert_eq!(read(waiting).await, (vec![12], Ok(CompletionReason::Nodes)));
}

#[tokio::test]
async fn the_runs_of_all_nodes_count() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let limits = Limits { nodes: Some(100_000), ..movetime(60_000) };
    let (mut waiting, offer) = node.lend(request(start_game(), limits)).await;
    offer.update(5).await;
    let paused = Duration::from_millis(50);
    tokio::time::sleep(paused).await;
    drop(offer);
    let again = node.offer().await;
    let rest = again.search.limits;
    assert_eq!(rest.nodes, Some(99_500), "less those of the lost node");
    assert!(rest.movetime.unwrap() <= Duration::from_secs(60) - paused, "{rest:?}");
    again.start().await;
    wait_until("it is lent", || node.service.status().queue_length == 0).await;
    let (before, _) = waiting.elapsed_and_nodes();
    tokio::time::sleep(paused).await;
    let (after, _) = waiting.elapsed_and_nodes();
    assert!(after >= before + paused, "it does not pause: {before:?}, {after:?}");
    again.finish(9, StopReason::Nodes).await;
    let answer = loop {
        match waiting.next().await.unwrap() {
            Some(AnalysisUpdate::End(answer)) => break answer,
            update => assert!(update.is_some(), "a stream ends with an answer"),
        }
    };
    assert_eq!(answer.report.nodes, 500 + 900);
    assert!(answer.searched >= 2 * paused, "{:?}", answer.searched);
}

#[tokio::test]
async fn a_search_that_comes_back_waits_as_others_do() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, first) = Node::busy(&gate, 1).await;
    let mut waiting = node.service.follow(unique_request(1)).await.unwrap();
    assert_eq!(node.service.status().demand, 2);
    let offer = node.offer().await;
    offer.start().await;
    wait_until("it is lent", || node.service.status().queue_length == 0).await;
    assert_eq!(node.service.status().demand, 1, "it needs no worker here");
    offer.update(5).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(offer);
    wait_until("it is back", || node.service.status().queue_length == 1).await;
    let mut is_queued = false;
    while !is_queued {
        let update = timeout(Duration::from_secs(10), waiting.next()).await.expect("an update");
        is_queued = matches!(update.unwrap(), Some(AnalysisUpdate::Queued(_)));
    }
    let (_, nodes) = waiting.elapsed_and_nodes();
    assert_eq!(nodes, 500, "those of the other node count");
    drop((first, waiting));
    node.service.drained().await;
    assert_eq!(node.service.status().demand, 0);
}

#[tokio::test]
async fn a_search_that_comes_back_twice_is_not_offered_again() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let _waiting = node.service.follow(unique_request(1)).await.unwrap();
    for _ in 0..2 {
        node.offer().await.start().await;
    }
    assert!(node.offers_nothing().await);
}

#[tokio::test]
async fn an_interactive_request_that_joins_a_lent_batch_search_makes_it_interactive() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let batch = AnalysisRequest { class: PriorityClass::Batch, ..unique_request(1) };
    let _batch = node.service.follow(batch).await.unwrap();
    let offer = node.offer().await;
    offer.start().await;
    wait_until("it is lent", || node.service.status().batch_length == 0).await;
    let _joined = node.service.follow(unique_request(1)).await.unwrap();
    drop(offer);
    wait_until("it is back", || node.service.status().queue_length == 1).await;
    assert_eq!(node.service.status().batch_length, 0);
}

#[tokio::test]
async fn offers_of_batches_leave_room_for_others() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let batch = AnalysisRequest { class: PriorityClass::Batch, ..unique_request(1) };
    let _batch = node.service.follow(batch).await.unwrap();
    let _open = node.offer().await;
    let _interactive = node.service.follow(unique_request(2)).await.unwrap();
    assert_eq!(node.offer().await.search.class, PriorityClass::Interactive);
}

#[tokio::test]
async fn a_shutdown_while_a_search_is_back_answers_with_what_was_found() {
    let gate = Arc::<AtomicBool>::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let waiting = node.service.follow(unique_request(1)).await.unwrap();
    let offer = node.offer().await;
    let reading = tokio::spawn(read(waiting));
    offer.start().await;
    offer.update(5).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    drop(offer);
    wait_until("it is back", || node.service.status().queue_length == 1).await;
    node.service.shut_down();
    assert_eq!(reading.await.unwrap(), (vec![5], Ok(CompletionReason::Shutdown)));
}

#[tokio::test]
async fn the_end_of_the_last_request_reaches_the_other_node() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let (waiting, mut offer) = node.lend(unique_request(1)).await;
    wait_until("it is lent", || node.service.status().queue_length == 0).await;
    drop(waiting);
    let stopped = timeout(Duration::from_millis(200), offer.stop.wait_for(|stop| *stop)).await;
    assert!(*stopped.expect("at once").unwrap());
    // The other node says nothing.
    timeout(Duration::from_secs(10), offer.events.closed()).await.expect("it is forgotten");
    assert_eq!(node.service.searches_in_flight(), 1);
}

#[tokio::test]
async fn a_stopped_search_has_the_other_nodes_result_so_far() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let (mut waiting, mut offer) = node.lend(unique_request(1)).await;
    wait_until("it is lent", || node.service.status().queue_length == 0).await;
    waiting.stop();
    let reading = tokio::spawn(read(waiting));
    offer.stop.wait_for(|stop| *stop).await.unwrap();
    offer.finish(5, StopReason::Stopped).await;
    assert_eq!(reading.await.unwrap(), (vec![5], Ok(CompletionReason::Stopped)));
}

#[tokio::test]
async fn a_shutdown_ends_a_lent_search_with_its_result_so_far() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let waiting = node.service.follow(unique_request(1)).await.unwrap();
    let offer = node.offer().await;
    let reading = tokio::spawn(read(waiting));
    offer.start().await;
    offer.update(5).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    node.service.shut_down();
    assert_eq!(reading.await.unwrap(), (vec![5], Ok(CompletionReason::Shutdown)));
    timeout(Duration::from_secs(10), node.service.drained()).await.expect("nothing is left");
}

#[tokio::test]
async fn a_search_for_another_node_is_not_lent_any_further() {
    let gate = Arc::default();
    let (mut node, _first) = Node::busy(&gate, 1).await;
    let limits = Limits { movetime: Some(Duration::from_secs(60)), ..depth(9) };
    let client = Client::new("bob");
    let class = PriorityClass::Interactive;
    let options = SearchOptions::default();
    let search =
        RemoteSearch::new(&Arc::new(start_game()), limits, &options, &client, class).unwrap();
    let _running = node.service.run_for_node(search).unwrap();
    assert!(node.offers_nothing().await);
}

#[test]
fn a_report_of_another_node_must_be_possible() {
    let limits = Limits { movetime: Some(Duration::from_secs(60)), ..depth(9) };
    let (options, client) =
        (SearchOptions { multipv: 2, ..SearchOptions::default() }, Client::new("a"));
    let class = PriorityClass::Batch;
    let search =
        RemoteSearch::new(&Arc::new(start_game()), limits, &options, &client, class).unwrap();
    let valid = report(9, 5_000);
    let bytes = search.report_encoding().encode(&valid);
    assert_eq!(search.decode(&bytes).unwrap().pv, valid.pv);
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        assert!(search.decode(&damaged).is_none(), "byte {place}");
    }
    let moves = |text: &str| game_of(text).moves().to_vec();
    let illegal = moves("e2e4 e7e5")[1];
    let with_lines = |lines: &[&[Move]]| {
        let line =
            |pv: &&[Move]| Variation { score: Score::Cp(1), wdl: Wdl::DRAWN, pv: pv.to_vec() };
        Report { alternatives: lines.iter().map(line).collect(), ..valid.clone() }
    };
    let decoded = |report: &Report| search.decode(&search.report_encoding().encode(report));
    assert!(decoded(&with_lines(&[&moves("d2d4 d7d5")])).is_some());
    let impossible = [
        Report { pv: vec![illegal], ..valid.clone() },
        Report { pv: [moves("e2e4"), vec![illegal, illegal]].concat(), ..valid.clone() },
        Report { pv: moves("g1f3 g8f6 f3g1 f6g8").repeat(65), ..valid.clone() },
        Report { pv: Vec::new(), ..valid.clone() },
        Report { score: Score::Mate(0), ..valid.clone() },
        Report { reason: StopReason::Terminal, ..valid.clone() },
        with_lines(&[&[illegal]]),
        with_lines(&[&[]]),
        with_lines(&[&valid.pv]),
        with_lines(&[&moves("d2d4"), &moves("c2c4")]),
    ];
    for report in impossible {
        assert!(decoded(&report).is_none(), "{report:?}");
    }
    let one_move = SearchOptions { search_moves: moves("d2d4"), ..options.clone() };
    let game = Arc::new(start_game());
    let search = RemoteSearch::new(&game, limits, &one_move, &client, class).unwrap();
    assert!(search.decode(&bytes).is_none(), "a first move that was not asked for");
    let elsewhere =
        RemoteSearch::new(&Arc::new(game_of("e2e4")), limits, &options, &client, class).unwrap();
    assert!(elsewhere.decode(&bytes).is_none(), "the report of another position");
}
