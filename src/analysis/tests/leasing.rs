//! Leased searches: equal ones of several services, which share leases in memory, run once.

use std::sync::Mutex;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::*;
use crate::analysis::{
    AnalysisError, AnalysisStream, AnalysisUpdate, Backends, Cluster, ClusterNode, ClusterStatus,
    CompletionReason, LeaseAnswer, LostNode, ReadLimit, RemoteEvent, RemoteRun, RemoteSearch,
    SearchDigest, SearchLease, SearchPlace, Session, SessionId, SessionPlace, SharedRecords,
    SharedWrite, WatchedSearch,
};
use crate::engine::StrengthLimit;
use crate::store::{EntryKey, Record};

/// What the nodes of a cluster share.
#[derive(Default)]
struct Shared {
    holders: Mutex<Vec<(SearchDigest, usize)>>,
    services: Mutex<Vec<Option<Service>>>,
    checkpoints: Mutex<Vec<Record>>,
    records: Mutex<Vec<Record>>,
    /// How often a node has asked for the place of a search.
    entries: AtomicUsize,
    /// No node hears of any other.
    is_cut_off: AtomicBool,
    /// Results of other nodes are lost.
    loses_results: AtomicBool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("holders", &self.holders).finish_non_exhaustive()
    }
}

/// A node of the cluster.
#[derive(Debug)]
struct Member {
    number: usize,
    shared: Arc<Shared>,
}

/// A lease that ends when it is dropped.
#[derive(Debug)]
struct Lease(SearchDigest, usize, Arc<Shared>);

impl Drop for Lease {
    fn drop(&mut self) {
        let held = (self.0, self.1);
        self.2.holders.lock().unwrap().retain(|other| *other != held);
    }
}

fn node_of(number: usize) -> ClusterNode {
    ClusterNode(number.to_string().into())
}

impl Cluster for Member {
    fn status(&self) -> ClusterStatus {
        ClusterStatus::default()
    }

    fn read_cache(&self, keys: Vec<EntryKey>, _: ReadLimit) -> SharedRecords<'_> {
        Box::pin(async move {
            let records = self.shared.records.lock().unwrap();
            records.iter().filter(|record| keys.contains(&record.key)).cloned().collect()
        })
    }

    fn write_cache(&self, record: Record, kind: SharedWrite) {
        match kind {
            SharedWrite::Checkpoint => self.shared.checkpoints.lock().unwrap().push(record),
            SharedWrite::Result => self.shared.records.lock().unwrap().push(record),
        }
    }

    fn discard(&self, _: &Record) {}

    fn enter_session(&self, _: SessionId) -> SessionPlace<'_> {
        Box::pin(async { None })
    }

    fn workers_elsewhere(&self) -> usize {
        1
    }

    fn offer(&self, _: Arc<RemoteSearch>) -> RemoteRun {
        // Nobody takes it.
        let ((sender, events), (stop, _)) = (mpsc::channel(1), watch::channel(false));
        tokio::spawn(async move { sender.closed().await });
        RemoteRun { events, stop }
    }

    fn lease_search(&self, digest: SearchDigest, lost: Option<LostNode>) -> LeaseAnswer<'_> {
        self.shared.entries.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if self.shared.is_cut_off.load(Ordering::SeqCst) {
                return SearchPlace::Unknown;
            }
            let place = self.shared.enter(digest, self.number, lost);
            // Other nodes may act before this one knows.
            tokio::time::sleep(Duration::from_millis(1)).await;
            match place {
                Some(number) => SearchPlace::Elsewhere(node_of(number)),
                None => {
                    let lease = Lease(digest, self.number, self.shared.clone());
                    SearchPlace::Here(SearchLease::new(lease))
                }
            }
        })
    }

    fn watch_search(&self, search: WatchedSearch) -> RemoteRun {
        let ((sender, events), (stop, stopped)) = (mpsc::channel(16), watch::channel(false));
        let number: usize = search.node.0.parse().unwrap();
        let service = self.shared.services.lock().unwrap()[number].clone();
        let loses_results = self.shared.loses_results.load(Ordering::SeqCst);
        tokio::spawn(async move {
            match service {
                Some(service) => report(service, search, sender, stopped, loses_results).await,
                None => drop(sender.send(RemoteEvent::GivenUp).await),
            }
        });
        RemoteRun { events, stop }
    }
}

impl Shared {
    /// The other node that has a lease; `None` if this one has it now.
    fn enter(&self, digest: SearchDigest, node: usize, lost: Option<LostNode>) -> Option<usize> {
        let mut holders = self.holders.lock().unwrap();
        let is_lost = |number: usize| {
            lost.as_ref().is_some_and(|lost| lost.is_certain && lost.node == node_of(number))
        };
        holders.retain(|&(id, number)| id != digest || !is_lost(number));
        let other = holders.iter().find(|&&(id, number)| id == digest && number != node);
        let other = other.map(|&(_, number)| number);
        if other.is_none() {
            holders.push((digest, node));
        }
        other
    }
}

/// Passes on what a node finds, through the encoding, until it ends or nobody listens.
async fn report(
    service: Service,
    watched: WatchedSearch,
    sender: mpsc::Sender<RemoteEvent>,
    mut stopped: watch::Receiver<bool>,
    loses_results: bool,
) {
    let Some(mut joined) = service.join_leased(watched.digest, watched.client.clone()).await else {
        let _ = sender.send(RemoteEvent::GivenUp).await;
        return;
    };
    drop(service);
    let decode = |bytes: Vec<u8>| Box::new(watched.search.decode(&bytes).expect("a valid report"));
    let encoding = joined.report_encoding;
    loop {
        let event = tokio::select! {
            update = joined.stream.next() => match update {
                Ok(Some(AnalysisUpdate::Iteration(report))) => {
                    let _ = sender.send(RemoteEvent::Started).await;
                    RemoteEvent::Update(decode(encoding.encode(&report)))
                }
                Ok(Some(AnalysisUpdate::End(_))) if loses_results => return,
                Ok(Some(AnalysisUpdate::End(answer))) => match encoding.encode_answer(&answer) {
                    Some(bytes) => RemoteEvent::Finished(decode(bytes)),
                    None => RemoteEvent::GivenUp,
                },
                Ok(Some(AnalysisUpdate::Queued(_))) => RemoteEvent::Waiting,
                Ok(Some(AnalysisUpdate::Cached(_))) => continue,
                Ok(None) | Err(_) => RemoteEvent::GivenUp,
            },
            Ok(()) = stopped.changed() => {
                joined.stream.stop();
                continue;
            }
            () = sender.closed() => return,
        };
        let is_last = matches!(event, RemoteEvent::Finished(_) | RemoteEvent::GivenUp);
        let _ = sender.send(event).await;
        if is_last {
            return;
        }
    }
}

/// Services of one worker each in one cluster.
struct Nodes {
    shared: Arc<Shared>,
    services: Vec<Service>,
}

impl Nodes {
    fn new<S: Searcher + 'static>(searchers: impl IntoIterator<Item = Arc<S>>) -> Nodes {
        let shared = Arc::<Shared>::default();
        let start = |(number, searcher): (usize, Arc<S>)| {
            let member = Arc::new(Member { number, shared: shared.clone() });
            let backends = Backends { store: None, cluster: Some(member) };
            Service::start_with_backends(searcher, options(1, 8), backends).expect("threads")
        };
        let services: Vec<Service> = searchers.into_iter().enumerate().map(start).collect();
        *shared.services.lock().unwrap() = services.iter().cloned().map(Some).collect();
        Nodes { shared, services }
    }

    fn searches(&self) -> Vec<u64> {
        self.services.iter().map(|service| service.status().searches.started).collect()
    }

    fn holders(&self) -> usize {
        self.shared.holders.lock().unwrap().len()
    }

    /// An endless analysis on the first node, and an equal request to the second one, which has its
    /// updates.
    async fn watch_endless(&self, second: AnalysisRequest) -> (AnalysisStream, AnalysisStream) {
        let first = request(start_game(), Limits::default());
        let first = self.services[0].follow(first).await.unwrap();
        let mut second = self.services[1].follow(second).await.unwrap();
        let update = timeout(Duration::from_secs(10), second.next()).await.expect("an update");
        assert!(matches!(update, Ok(Some(AnalysisUpdate::Iteration(_)))), "{update:?}");
        (first, second)
    }

    /// The node is lost to the others, which do not hear of it.
    fn lose(&self, number: usize) {
        self.shared.services.lock().unwrap()[number] = None;
        self.services[number].shut_down();
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        // The services hold the cluster, which holds the services.
        self.shared.services.lock().unwrap().clear();
    }
}

/// A request for a long search.
fn long(depth: u8) -> AnalysisRequest {
    request(start_game(), super::depth(depth))
}

async fn end(mut stream: AnalysisStream) -> (Vec<u8>, Result<CompletionReason, AnalysisError>) {
    let mut depths = Vec::new();
    let reading = async {
        loop {
            match stream.next().await {
                Ok(Some(AnalysisUpdate::Iteration(report))) => depths.push(report.depth),
                Ok(Some(AnalysisUpdate::End(answer))) => return Ok(answer.reason),
                Ok(Some(_)) => {}
                Ok(None) => unreachable!("a stream ends with an answer"),
                Err(error) => return Err(error),
            }
        }
    };
    let reason = timeout(Duration::from_secs(10), reading).await.expect("it ends");
    (depths, reason)
}

#[tokio::test]
async fn equal_requests_to_all_nodes_are_one_search() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate), gated(&gate), gated(&gate)]);
    let mut requests = JoinSet::new();
    for number in 0..60 {
        let service = nodes.services[number % 3].clone();
        requests.spawn(async move { service.best_move(long(20)).await });
    }
    wait_until("all have joined", || {
        nodes.services.iter().map(Service::subscribers).sum::<usize>() == 62
    })
    .await;
    gate.store(true, Ordering::SeqCst);
    let answers = requests.join_all().await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|answer| answer.report.depth == 20));
    assert_eq!(answers.iter().filter(|answer| !answer.shared).count(), 1, "one has searched");
    assert_eq!(nodes.searches().iter().sum::<u64>(), 1);
    let counted: u64 = nodes.services.iter().map(|node| node.status().searches.nodes).sum();
    assert_eq!(counted, answers[0].report.nodes, "nodes count where they were searched");
    assert_eq!(nodes.shared.entries.load(Ordering::SeqCst), 3, "each node has asked once");
    for service in &nodes.services {
        let again = service.best_move(long(20)).await.unwrap();
        assert_eq!(again.cache_verdict, CacheVerdict::Hit, "all nodes know the result");
    }
    wait_until("the lease has ended", || nodes.holders() == 0).await;
    wait_until("nothing is left", || nodes.services.iter().all(|node| node.leased_searches() == 0))
        .await;
}

#[tokio::test]
async fn each_node_sees_the_iterations_of_the_one_that_searches() {
    let nodes = Nodes::new([Arc::new(Endless), Arc::new(Endless)]);
    let (first, second) = nodes.watch_endless(request(start_game(), Limits::default())).await;
    assert_eq!(nodes.services[1].status().busy_workers, 0);
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(nodes.services[0].status().busy_workers, 1, "it goes on for the other node");
    drop(second);
    wait_until("nobody needs it", || nodes.services[0].status().busy_workers == 0).await;
    nodes.services[1].drained().await;
}

#[tokio::test]
async fn a_request_that_ends_early_has_the_result_so_far() {
    let nodes = Nodes::new([Arc::new(Endless), Arc::new(Endless)]);
    let (_first, mut second) = nodes.watch_endless(request(start_game(), Limits::default())).await;
    second.stop();
    assert_eq!(end(second).await.1, Ok(CompletionReason::Stopped));
    assert_eq!(nodes.services[0].status().busy_workers, 1, "the other request goes on");
}

#[tokio::test]
async fn one_of_the_others_goes_on_for_a_lost_node() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate), gated(&gate), gated(&gate)]);
    let _lost = nodes.services[0].follow(long(20)).await.unwrap();
    let mut streams = Vec::new();
    for number in [1, 2, 1, 2] {
        streams.push(nodes.services[number].follow(long(20)).await.unwrap());
    }
    nodes.lose(0);
    wait_until("one of them searches", || nodes.searches()[1..].iter().sum::<u64>() == 1).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    gate.store(true, Ordering::SeqCst);
    for stream in streams {
        assert_eq!(end(stream).await.1, Ok(CompletionReason::Depth));
    }
    assert_eq!(nodes.searches()[1..].iter().sum::<u64>(), 1, "the other one follows it");
}

#[tokio::test]
async fn nodes_that_are_cut_off_search_alone() {
    let nodes = Nodes::new([Scripted::new(at_once), Scripted::new(at_once)]);
    nodes.shared.is_cut_off.store(true, Ordering::SeqCst);
    for service in &nodes.services {
        assert_eq!(service.best_move(long(20)).await.unwrap().report.depth, 20);
    }
    assert_eq!(nodes.searches(), [1, 1]);
}

#[tokio::test]
async fn short_searches_and_those_that_share_nothing_ask_for_no_place() {
    let nodes = Nodes::new([Scripted::new(at_once)]);
    let requests = [
        long(9),
        request(start_game(), movetime(100)),
        request(start_game(), Limits { nodes: Some(100_000), ..Limits::default() }),
        AnalysisRequest { fresh: true, ..long(20) },
        AnalysisRequest { class: PriorityClass::Batch, ..long(20) },
        long(20).with_strength(StrengthLimit::new(1_500)),
        request(game_of("f2f3 e7e5 g2g4 d8h4"), super::depth(20)),
    ];
    for (number, request) in requests.into_iter().enumerate() {
        nodes.services[0].best_move(request).await.unwrap();
        assert_eq!(nodes.shared.entries.load(Ordering::SeqCst), 0, "request {number}");
    }
    nodes.services[0].best_move(long(20)).await.unwrap();
    assert_eq!(nodes.shared.entries.load(Ordering::SeqCst), 0, "memory answers");
}

#[tokio::test]
async fn a_refused_request_leaves_no_lease() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate)]);
    let mut waiting = Vec::new();
    for number in 0..9 {
        waiting.push(nodes.services[0].follow(unique_request(number)).await.unwrap());
    }
    assert_eq!(nodes.holders(), 9);
    let refused = nodes.services[0].follow(long(20)).await;
    assert!(matches!(refused, Err(AnalysisError::QueueFull { .. })));
    wait_until("it is left", || nodes.holders() == 9).await;
}

#[tokio::test]
async fn an_idle_node_runs_what_waits_on_another() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate), gated(&gate)]);
    let _busy = nodes.services[0].follow(unique_request(0)).await.unwrap();
    let _waiting = nodes.services[0].follow(long(20)).await.unwrap();
    let _equal = nodes.services[1].follow(long(20)).await.unwrap();
    wait_until("it runs", || nodes.services[1].status().busy_workers == 1).await;
}

#[tokio::test]
async fn an_idle_worker_runs_one_of_two_that_wait_on_another_node() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate), gated(&gate)]);
    let _busy = nodes.services[0].follow(unique_request(0)).await.unwrap();
    let mut streams = Vec::new();
    for service in [&nodes.services[0], &nodes.services[1]] {
        for depth in 20..22 {
            streams.push(service.follow(long(depth)).await.unwrap());
        }
    }
    wait_until("one runs", || nodes.services[1].status().busy_workers == 1).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(nodes.services[1].status().queue_length, 0, "the other one waits on the first node");
}

#[tokio::test]
async fn a_busy_node_waits_with_the_one_that_has_the_search() {
    let gates: [Arc<AtomicBool>; 2] = Default::default();
    let nodes = Nodes::new(gates.each_ref().map(gated));
    let mut busy = Vec::new();
    for service in &nodes.services {
        busy.push(service.follow(unique_request(busy.len())).await.unwrap());
    }
    let mut streams = Vec::new();
    for service in &nodes.services {
        streams.push(service.follow(long(20)).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(nodes.services[1].status().queue_length, 0);
    gates[0].store(true, Ordering::SeqCst);
    for stream in streams {
        end(stream).await.1.unwrap();
    }
    assert_eq!(nodes.searches(), [2, 1]);
}

#[tokio::test]
async fn the_limit_of_the_service_and_an_equal_one_of_a_request_are_two_searches() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate)]);
    let bound = Limits { movetime: Some(Duration::from_secs(60)), ..super::depth(20) };
    let _first = nodes.services[0].follow(long(20)).await.unwrap();
    let _second = nodes.services[0].follow(request(start_game(), bound)).await.unwrap();
    assert_eq!(nodes.shared.entries.load(Ordering::SeqCst), 1, "one of them has the lease");
    assert_eq!(nodes.services[0].searches_in_flight(), 2);
}

#[tokio::test]
async fn a_result_whose_message_is_lost_is_not_searched_again() {
    let gate = Arc::<AtomicBool>::default();
    let searcher = || {
        let open = gate.clone();
        Scripted::new(move |_: &Game, _: &Limits, _: &StopFlag| {
            while !open.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(1));
            }
            // Of enough nodes to be shared.
            super::report(20, 90_000)
        })
    };
    let nodes = Nodes::new([searcher(), searcher()]);
    nodes.shared.loses_results.store(true, Ordering::SeqCst);
    let first = nodes.services[0].follow(long(20)).await.unwrap();
    let second = nodes.services[1].follow(long(20)).await.unwrap();
    wait_until("the other node watches it", || nodes.services[0].subscribers() == 2).await;
    gate.store(true, Ordering::SeqCst);
    for stream in [first, second] {
        assert_eq!(end(stream).await, (vec![20], Ok(CompletionReason::Depth)));
    }
    assert_eq!(nodes.searches(), [1, 0]);
}

#[tokio::test]
async fn a_mate_search_that_has_ended_is_not_answered_by_another_analysis() {
    let nodes = Nodes::new([Scripted::new(at_once), Scripted::new(at_once)]);
    let mate = Limits { mate: Some(5), nodes: Some(200_000), ..Limits::default() };
    nodes.services[0].best_move(long(20)).await.unwrap();
    nodes.services[0].best_move(request(start_game(), mate)).await.unwrap();
    nodes.services[1].best_move(request(start_game(), mate)).await.unwrap();
    assert_eq!(nodes.searches(), [2, 1]);
}

#[tokio::test]
async fn a_client_watches_no_more_than_its_share_of_searches() {
    let gate = Arc::<AtomicBool>::default();
    let nodes = Nodes::new([gated(&gate), gated(&gate)]);
    let mut streams = Vec::new();
    for service in &nodes.services {
        for number in 0..4 {
            streams.push(service.follow(unique_request(number)).await.unwrap());
        }
    }
    // Of eight places a lone client has one: the first. One more runs, and the others wait.
    let second = nodes.services[1].status();
    assert_eq!((second.busy_workers, second.queue_length), (1, 2));
}

#[tokio::test]
async fn a_newer_request_of_a_session_ends_the_watching_of_the_older_one() {
    let nodes = Nodes::new([Arc::new(Endless), Arc::new(Endless)]);
    let in_session = |limits| AnalysisRequest {
        session: Some(Session::new(Client::new("ann"), "board")),
        ..request(start_game(), limits)
    };
    let (_first, older) = nodes.watch_endless(in_session(Limits::default())).await;
    let _newer = nodes.services[1].follow(in_session(movetime(5_000))).await.unwrap();
    assert_eq!(end(older).await.1, Ok(CompletionReason::Replaced));
    assert_eq!(nodes.services[0].status().busy_workers, 1, "the other request goes on");
}

#[tokio::test]
async fn a_node_that_shuts_down_answers_what_it_watches_with_the_result_so_far() {
    let nodes = Nodes::new([Arc::new(Endless), Arc::new(Endless)]);
    let (_first, second) = nodes.watch_endless(request(start_game(), Limits::default())).await;
    nodes.services[1].shut_down();
    assert_eq!(end(second).await.1, Ok(CompletionReason::Shutdown));
    timeout(Duration::from_secs(10), nodes.services[1].drained()).await.expect("nothing is left");
}

#[tokio::test]
async fn a_node_that_asks_for_an_unknown_search_gets_nothing() {
    let nodes = Nodes::new([Scripted::new(at_once)]);
    let joined = nodes.services[0].join_leased(SearchDigest([7; 16]), Client::new("bob")).await;
    assert!(joined.is_none());
}

/// A searcher that ends an iteration and then searches until it is stopped.
struct Endless;

impl Searcher for Endless {
    fn analyse(&self, search: GameSearch<'_>, on_iteration: &mut dyn FnMut(&Report)) -> Report {
        on_iteration(&super::report(5, 500));
        until_stopped(search.game, search.limits, search.stop)
    }

    fn engine_id(&self) -> String {
        "endless".to_owned()
    }
}

/// Iterations that end 100, 400 and 410 ms after the start of a search.
struct Iterations;

impl Searcher for Iterations {
    fn analyse(&self, _: GameSearch<'_>, on_iteration: &mut dyn FnMut(&Report)) -> Report {
        for (depth, elapsed) in [(8, 100), (9, 400), (10, 410)] {
            let elapsed = Duration::from_millis(elapsed);
            on_iteration(&Report { elapsed, ..super::report(depth, 50_000) });
        }
        super::report(11, 90_000)
    }

    fn engine_id(&self) -> String {
        "iterations".to_owned()
    }
}

#[tokio::test]
async fn what_a_long_search_has_found_is_shared_before_its_end() {
    let nodes = Nodes::new([Arc::new(Iterations)]);
    nodes.services[0].best_move(long(20)).await.unwrap();
    let checkpoints = nodes.shared.checkpoints.lock().unwrap();
    let depths: Vec<u8> = checkpoints.iter().map(|record| record.report.depth).collect();
    assert_eq!(depths, [9, 10], "those that have ended after 200 ms");
    assert_eq!(checkpoints[0].report.reason, StopReason::Stopped);
    assert_eq!(checkpoints[0].effort.time, Duration::ZERO, "it covers no time");
}
