//! The cluster: services share analyses through a cache in memory.

use std::sync::Mutex;

use super::*;
use crate::analysis::{
    AnalysisStream, Backends, Cluster, ClusterStatus, CompletionReason, LeaseAnswer, LostNode,
    ReadLimit, RemoteRun, RemoteSearch, SearchDigest, Session, SessionId, SessionPlace,
    SharedRecords, SharedWrite, Source, WatchedSearch,
};
use crate::engine::StrengthLimit;
use crate::store::{EntryKey, Record};

/// A shared cache that answers after a delay.
#[derive(Debug, Default)]
struct SharedMemory {
    records: Mutex<Vec<Record>>,
    reads: AtomicUsize,
    discarded: AtomicUsize,
    /// The places that were given out in sessions.
    places: AtomicUsize,
    /// The delay of the next read; those after it have none.
    delay: Mutex<Duration>,
}

impl Cluster for SharedMemory {
    fn status(&self) -> ClusterStatus {
        ClusterStatus { nodes: 2, ..ClusterStatus::default() }
    }

    fn read_cache(&self, keys: Vec<EntryKey>, _: ReadLimit) -> SharedRecords<'_> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let delay = std::mem::take(&mut *self.delay.lock().unwrap());
        Box::pin(async move {
            tokio::time::sleep(delay).await;
            let records = self.records.lock().unwrap();
            records.iter().filter(|record| keys.contains(&record.key)).cloned().collect()
        })
    }

    fn write_cache(&self, record: Record, _: SharedWrite) {
        self.records.lock().unwrap().push(record);
    }

    fn enter_session(&self, _: SessionId) -> SessionPlace<'_> {
        let place = self.places.fetch_add(1, Ordering::SeqCst) as u64 + 1;
        Box::pin(async move { Some(place) })
    }

    fn workers_elsewhere(&self) -> usize {
        0
    }

    fn offer(&self, _: Arc<RemoteSearch>) -> RemoteRun {
        unreachable!("there are no workers elsewhere")
    }

    fn lease_search(&self, _: SearchDigest, _: Option<LostNode>) -> LeaseAnswer<'_> {
        unreachable!("there are no workers elsewhere")
    }

    fn watch_search(&self, _: WatchedSearch) -> RemoteRun {
        unreachable!("there are no workers elsewhere")
    }

    fn discard(&self, record: &Record) {
        self.discarded.fetch_add(1, Ordering::SeqCst);
        self.records.lock().unwrap().retain(|other| other != record);
    }
}

impl SharedMemory {
    fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }
}

/// A service of one worker in this cluster.
fn node(cluster: &Arc<SharedMemory>, searcher: Arc<impl Searcher>) -> Service {
    let backends = Backends { store: None, cluster: Some(cluster.clone()) };
    Service::start_with_backends(searcher, options(1, 8), backends).expect("threads")
}

/// A search of enough nodes to be shared.
fn long_search(_: &Game, limits: &Limits, _: &StopFlag) -> Report {
    report(limits.depth.unwrap_or(9), 50_000)
}

#[tokio::test]
async fn what_one_node_has_found_is_memory_on_another() {
    let cluster = Arc::new(SharedMemory::default());
    let (first, second) =
        (node(&cluster, Scripted::new(long_search)), node(&cluster, Scripted::new(long_search)));
    let searched = first.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(searched.cache_verdict, CacheVerdict::Unknown);
    let shared = second.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(shared.cache_verdict, CacheVerdict::Hit);
    assert_eq!(shared.report.pv, searched.report.pv);
    assert!(matches!(shared.source, Source::Cache { .. }));
    assert_eq!(second.status().cache_lookups.cluster, 1);
    assert_eq!(second.status().searches.started, 0);

    let reads = cluster.reads();
    second.best_move(request(start_game(), depth(8))).await.unwrap();
    assert_eq!(cluster.reads(), reads, "the node's own memory has the analysis now");
    assert_eq!(second.status().cache_lookups.memory, 1);
}

#[tokio::test]
async fn a_batch_and_a_stream_ask_the_cluster_too() {
    let cluster = Arc::new(SharedMemory::default());
    node(&cluster, Scripted::new(long_search))
        .best_move(request(start_game(), depth(9)))
        .await
        .unwrap();
    let other = node(&cluster, Scripted::new(long_search));
    let answer = other.best_move_when_free(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(answer.cache_verdict, CacheVerdict::Hit);
    let other = node(&cluster, Scripted::new(long_search));
    let stream = other.follow(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(stream.final_answer().await.unwrap().cache_verdict, CacheVerdict::Hit);
}

#[tokio::test]
async fn short_searches_are_not_shared() {
    let cluster = Arc::new(SharedMemory::default());
    let node = node(&cluster, Scripted::new(at_once));
    node.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(cluster.records.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_request_that_no_cache_may_answer_asks_no_other_node() {
    let cluster = Arc::new(SharedMemory::default());
    let node = node(&cluster, Scripted::new(at_once));
    let all = || request(start_game(), depth(9));
    let mate = Limits { mate: Some(2), ..Limits::default() };
    let one_move = SearchOptions {
        search_moves: start_game().position().legal_moves()[..1].to_vec(),
        ..SearchOptions::default()
    };
    for request in [
        AnalysisRequest { fresh: true, ..all() },
        AnalysisRequest { limits: mate, ..all() },
        AnalysisRequest { options: one_move, ..all() },
        all().with_strength(StrengthLimit::new(1_500)),
        AnalysisRequest { game: game_of("f2f3 e7e5 g2g4 d8h4"), ..all() },
    ] {
        node.best_move(request).await.unwrap();
    }
    assert_eq!(cluster.reads(), 0);
    node.best_move(request(game_of("e2e4"), depth(9))).await.unwrap();
    assert_eq!(cluster.reads(), 1);
}

#[tokio::test]
async fn an_analysis_that_is_not_valid_is_discarded_and_searched() {
    let cluster = Arc::new(SharedMemory::default());
    node(&cluster, Scripted::new(long_search))
        .best_move(request(start_game(), depth(9)))
        .await
        .unwrap();
    for record in cluster.records.lock().unwrap().iter_mut() {
        let report = Arc::make_mut(&mut record.report);
        report.pv = vec![report.pv[0], report.pv[0]];
    }
    let other = node(&cluster, Scripted::new(at_once));
    let answer = other.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!(answer.cache_verdict, CacheVerdict::Unknown);
    assert_eq!(cluster.discarded.load(Ordering::SeqCst), 1);
    assert_eq!(cluster.records.lock().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_newer_request_of_a_session_stays_even_if_the_older_one_waits_for_the_cluster() {
    let cluster = Arc::new(SharedMemory::default());
    let node = node(&cluster, Scripted::new(until_stopped));
    let in_session = |number| AnalysisRequest {
        session: Some(Session::new(Client::new("ann"), "board")),
        ..unique_request(number)
    };
    *cluster.delay.lock().unwrap() = Duration::from_millis(50);
    let older = tokio::spawn({
        let (node, request) = (node.clone(), in_session(0));
        async move { node.follow(request).await.unwrap() }
    });
    wait_until("the older request asks the cluster", || cluster.reads() == 1).await;
    let newer = node.follow(in_session(1)).await.unwrap();
    let older: AnalysisStream = older.await.unwrap();
    assert_eq!(older.final_answer().await.unwrap().reason, CompletionReason::Replaced);
    wait_until("the newer search runs", || node.status().busy_workers == 1).await;
    drop(newer);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_request_of_the_session_on_another_node_ends_the_older_one() {
    let cluster = Arc::new(SharedMemory::default());
    let node = node(&cluster, Scripted::new(until_stopped));
    let session = Session::new(Client::new("ann"), "board");
    let request = AnalysisRequest { session: Some(session.clone()), ..unique_request(0) };
    let stream = node.follow(request).await.unwrap();
    wait_until("the search runs", || node.status().busy_workers == 1).await;
    wait_until("the entry is known", || cluster.places.load(Ordering::SeqCst) == 1).await;
    node.note_session_elsewhere(SessionId::from(&session), 2);
    let answer = stream.final_answer().await.unwrap();
    assert_eq!(answer.reason, CompletionReason::Replaced);
    wait_until("the worker is free", || node.status().busy_workers == 0).await;
}
