//! The updates of a long request, and the replacement of an older request of its session.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use super::*;
use crate::analysis::{
    AnalysisStream, AnalysisUpdate, Answer, Client, CompletionReason, Session, Source,
};

/// A searcher that finishes the iterations that the test sends, until it is stopped or the channel
/// closes.
struct IterativeSearcher {
    depths: Mutex<Receiver<u8>>,
    started: AtomicUsize,
}

impl IterativeSearcher {
    fn new() -> (Arc<IterativeSearcher>, SyncSender<u8>) {
        let (depth_sender, depths) = sync_channel(100);
        (
            Arc::new(IterativeSearcher {
                depths: Mutex::new(depths),
                started: AtomicUsize::new(0),
            }),
            depth_sender,
        )
    }
}

impl Searcher for IterativeSearcher {
    fn analyse(
        &self,
        GameSearch { stop, .. }: GameSearch<'_>,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        self.started.fetch_add(1, Ordering::SeqCst);
        let depths = self.depths.lock().unwrap();
        let mut last = Report { reason: StopReason::Stopped, ..report(0, 1) };
        while !stop.is_stopped() {
            match depths.recv_timeout(Duration::from_millis(1)) {
                Ok(depth) => {
                    last = report(depth, u64::from(depth) * 100);
                    on_update(&last);
                    last.reason = StopReason::Stopped;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Report { reason: StopReason::Depth, ..last };
                }
            }
        }
        last
    }

    fn engine_id(&self) -> String {
        "deepening 1".to_owned()
    }
}

async fn next_update(stream: &mut AnalysisStream) -> AnalysisUpdate {
    stream.next().await.unwrap().expect("another update")
}

async fn next_iteration_depth(stream: &mut AnalysisStream) -> u8 {
    match next_update(stream).await {
        AnalysisUpdate::Iteration(report) => report.depth,
        other => panic!("{other:?}"),
    }
}

async fn expect_end(stream: &mut AnalysisStream) -> Answer {
    match next_update(stream).await {
        AnalysisUpdate::End(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Caches a search of the start position to depth 6.
async fn cache_depth_6(service: &Service, depth_sender: &SyncSender<u8>) {
    depth_sender.send(6).unwrap();
    let mut first = service.start_analysis(request(start_game(), depth(6))).unwrap();
    assert_eq!(next_iteration_depth(&mut first).await, 6);
    drop(first);
    wait_until("the search has ended", || service.status().cache_entries == 1).await;
}

fn in_session(name: &str, request: AnalysisRequest) -> AnalysisRequest {
    AnalysisRequest { session: Some(Session::new(Client::new("ann"), name)), ..request }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_deeper_iteration_is_reported_and_then_the_end() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher, options(1, 8));
    let mut stream = service.start_analysis(request(start_game(), depth(9))).unwrap();
    for depth in [1, 2, 5] {
        depth_sender.send(depth).unwrap();
        assert_eq!(next_iteration_depth(&mut stream).await, depth);
    }
    drop(depth_sender);
    let answer = expect_end(&mut stream).await;
    assert_eq!(
        (answer.report.depth, answer.reason, answer.source),
        (5, CompletionReason::Depth, Source::Search)
    );
    assert!(stream.next().await.unwrap().is_none(), "nothing comes after the end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cached_analysis_comes_first_and_then_only_deeper_iterations() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher, options(1, 8));
    cache_depth_6(&service, &depth_sender).await;

    let mut stream = service.start_analysis(request(start_game(), depth(9))).unwrap();
    let AnalysisUpdate::Cached(cached) = next_update(&mut stream).await else {
        panic!("the cached analysis comes first")
    };
    assert_eq!(cached.report.depth, 6);
    for depth in [3, 6, 7] {
        depth_sender.send(depth).unwrap();
    }
    assert_eq!(next_iteration_depth(&mut stream).await, 7);
    drop(depth_sender);
    assert_eq!(expect_end(&mut stream).await.report.depth, 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deeper_cached_analysis_is_the_final_answer() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher, options(1, 8));
    cache_depth_6(&service, &depth_sender).await;

    depth_sender.send(4).unwrap();
    drop(depth_sender);
    let mut stream = service.start_analysis(request(start_game(), depth(9))).unwrap();
    assert!(matches!(next_update(&mut stream).await, AnalysisUpdate::Cached(_)));
    let answer = expect_end(&mut stream).await;
    assert_eq!(answer.report.depth, 6);
    assert!(matches!(answer.source, Source::Cache { .. }));
    // A best-move request gets the result of its own search.
    let own = service.best_move(request(start_game(), depth(9))).await.unwrap();
    assert_eq!((own.report.depth, own.source), (0, Source::Search));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_waiting_request_reports_how_many_tasks_are_ahead() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut running = service.start_analysis(unique_request(0)).unwrap();
    depth_sender.send(1).unwrap();
    assert_eq!(next_iteration_depth(&mut running).await, 1);
    let second = service.start_analysis(unique_request(1)).unwrap();
    let mut third = service.start_analysis(unique_request(2)).unwrap();
    assert!(matches!(next_update(&mut third).await, AnalysisUpdate::Queued(1)));
    drop(second);
    assert!(matches!(next_update(&mut third).await, AnalysisUpdate::Queued(0)));
    drop(running);
    wait_until("the third search has started", || searcher.started.load(Ordering::SeqCst) == 2)
        .await;
    depth_sender.send(3).unwrap();
    assert_eq!(next_iteration_depth(&mut third).await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_request_of_the_session_ends_the_older_one_with_its_result_so_far() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut older = service.start_analysis(in_session("board", unique_request(0))).unwrap();
    depth_sender.send(4).unwrap();
    assert_eq!(next_iteration_depth(&mut older).await, 4);
    let mut newer = service.start_analysis(in_session("board", unique_request(1))).unwrap();
    let answer = expect_end(&mut older).await;
    assert_eq!((answer.report.depth, answer.reason), (4, CompletionReason::Replaced));
    depth_sender.send(5).unwrap();
    loop {
        match next_update(&mut newer).await {
            AnalysisUpdate::Queued(_) => {}
            AnalysisUpdate::Iteration(report) => break assert_eq!(report.depth, 5),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(searcher.started.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_search_outlives_the_session_that_started_it() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut older = service.start_analysis(in_session("board", unique_request(0))).unwrap();
    let mut other = service.start_analysis(unique_request(0)).unwrap();
    depth_sender.send(4).unwrap();
    assert_eq!(
        (next_iteration_depth(&mut older).await, next_iteration_depth(&mut other).await),
        (4, 4)
    );
    let _newer = service.start_analysis(in_session("board", unique_request(1))).unwrap();
    assert_eq!(expect_end(&mut older).await.reason, CompletionReason::Replaced);
    depth_sender.send(5).unwrap();
    assert_eq!(next_iteration_depth(&mut other).await, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_replaced_in_the_queue_frees_its_place_and_has_no_result() {
    let (searcher, depth_sender) = IterativeSearcher::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut running = service.start_analysis(unique_request(0)).unwrap();
    depth_sender.send(1).unwrap();
    assert_eq!(next_iteration_depth(&mut running).await, 1);
    let mut older = service.start_analysis(in_session("board", unique_request(1))).unwrap();
    assert!(matches!(next_update(&mut older).await, AnalysisUpdate::Queued(0)));
    let mut newer = service.start_analysis(in_session("board", unique_request(2))).unwrap();
    let answer = expect_end(&mut older).await;
    assert_eq!((answer.reason, answer.report.best_move()), (CompletionReason::Replaced, None));
    assert_eq!(service.status().queue_length, 1);
    assert!(matches!(next_update(&mut newer).await, AnalysisUpdate::Queued(0 | 1)));
}
