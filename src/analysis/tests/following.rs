//! What the asker of a long question hears on its way, and what becomes of an older question of his
//! session.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};

use super::*;
use crate::analysis::{Answer, Client, Following, News, Reason, Session, Source};

/// A searcher that finishes the iterations that it is given, until it is stopped or given no more.
struct Deepening {
    depths: Mutex<Receiver<u8>>,
    begun: AtomicUsize,
}

impl Deepening {
    fn new() -> (Arc<Deepening>, SyncSender<u8>) {
        let (give, depths) = sync_channel(100);
        (Arc::new(Deepening { depths: Mutex::new(depths), begun: AtomicUsize::new(0) }), give)
    }
}

impl Searcher for Deepening {
    fn analyse(
        &self,
        _: &Game,
        _: &Limits,
        _: &Scope,
        stop: &StopFlag,
        on_update: &mut dyn FnMut(&Report),
    ) -> Report {
        self.begun.fetch_add(1, Ordering::SeqCst);
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

    fn identity(&self) -> String {
        "deepening 1".to_owned()
    }
}

async fn next(following: &mut Following) -> News {
    following.next().await.unwrap().expect("more to hear")
}

async fn deeper(following: &mut Following) -> u8 {
    match next(following).await {
        News::Deeper(report) => report.depth,
        other => panic!("{other:?}"),
    }
}

async fn end(following: &mut Following) -> Answer {
    match next(following).await {
        News::End(answer) => answer,
        other => panic!("{other:?}"),
    }
}

/// Has the start position searched and remembered to depth 6.
async fn learn_depth_6(service: &Service, give: &SyncSender<u8>) {
    give.send(6).unwrap();
    let mut first = service.follow(question(start_game(), depth(6))).unwrap();
    assert_eq!(deeper(&mut first).await, 6);
    drop(first);
    until("the search has ended", || service.status().dictionary_entries == 1).await;
}

fn in_session(name: &str, question: AnalysisRequest) -> AnalysisRequest {
    AnalysisRequest { session: Some(Session::new(Client::new("ann"), name)), ..question }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_deeper_iteration_is_heard_of_and_then_the_end() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher, options(1, 8));
    let mut following = service.follow(question(start_game(), depth(9))).unwrap();
    for depth in [1, 2, 5] {
        give.send(depth).unwrap();
        assert_eq!(deeper(&mut following).await, depth);
    }
    drop(give);
    let answer = end(&mut following).await;
    assert_eq!(
        (answer.report.depth, answer.reason, answer.source),
        (5, Reason::Depth, Source::Search)
    );
    assert!(following.next().await.unwrap().is_none(), "nothing comes after the end");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_memory_knows_is_heard_at_once_and_then_only_what_is_deeper() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher, options(1, 8));
    learn_depth_6(&service, &give).await;

    let mut following = service.follow(question(start_game(), depth(9))).unwrap();
    let News::Known(known) = next(&mut following).await else { panic!("memory comes first") };
    assert_eq!(known.report.depth, 6);
    for depth in [3, 6, 7] {
        give.send(depth).unwrap();
    }
    assert_eq!(deeper(&mut following).await, 7);
    drop(give);
    assert_eq!(end(&mut following).await.report.depth, 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_end_memory_has_the_word_where_it_knows_more() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher, options(1, 8));
    learn_depth_6(&service, &give).await;

    give.send(4).unwrap();
    drop(give);
    let mut following = service.follow(question(start_game(), depth(9))).unwrap();
    assert!(matches!(next(&mut following).await, News::Known(_)));
    let answer = end(&mut following).await;
    assert_eq!(answer.report.depth, 6);
    assert!(matches!(answer.source, Source::Memory { .. }));
    // The plain question asks what a search of its own finds.
    let own = service.best_move(question(start_game(), depth(9))).await.unwrap();
    assert_eq!((own.report.depth, own.source), (0, Source::Search));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_hears_how_many_stand_before_him() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut running = service.follow(own_question(0)).unwrap();
    give.send(1).unwrap();
    assert_eq!(deeper(&mut running).await, 1);
    let second = service.follow(own_question(1)).unwrap();
    let mut third = service.follow(own_question(2)).unwrap();
    assert!(matches!(next(&mut third).await, News::Queued(1)));
    drop(second);
    assert!(matches!(next(&mut third).await, News::Queued(0)));
    drop(running);
    until("his turn has come", || searcher.begun.load(Ordering::SeqCst) == 2).await;
    give.send(3).unwrap();
    assert_eq!(deeper(&mut third).await, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_newer_question_of_the_session_ends_the_older_one_with_what_it_had() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut older = service.follow(in_session("board", own_question(0))).unwrap();
    give.send(4).unwrap();
    assert_eq!(deeper(&mut older).await, 4);
    let mut newer = service.follow(in_session("board", own_question(1))).unwrap();
    let answer = end(&mut older).await;
    assert_eq!((answer.report.depth, answer.reason), (4, Reason::Replaced));
    give.send(5).unwrap();
    loop {
        match next(&mut newer).await {
            News::Queued(_) => {}
            News::Deeper(report) => break assert_eq!(report.depth, 5),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(searcher.begun.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_others_listen_to_outlives_the_session_that_began_it() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut older = service.follow(in_session("board", own_question(0))).unwrap();
    let mut other = service.follow(own_question(0)).unwrap();
    give.send(4).unwrap();
    assert_eq!((deeper(&mut older).await, deeper(&mut other).await), (4, 4));
    let _newer = service.follow(in_session("board", own_question(1))).unwrap();
    assert_eq!(end(&mut older).await.reason, Reason::Replaced);
    give.send(5).unwrap();
    assert_eq!(deeper(&mut other).await, 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_replaced_while_he_waits_frees_his_place_and_has_nothing() {
    let (searcher, give) = Deepening::new();
    let service = service(searcher.clone(), options(1, 8));
    let mut running = service.follow(own_question(0)).unwrap();
    give.send(1).unwrap();
    assert_eq!(deeper(&mut running).await, 1);
    let mut older = service.follow(in_session("board", own_question(1))).unwrap();
    assert!(matches!(next(&mut older).await, News::Queued(0)));
    let mut newer = service.follow(in_session("board", own_question(2))).unwrap();
    let answer = end(&mut older).await;
    assert_eq!((answer.reason, answer.report.best_move()), (Reason::Replaced, None));
    assert_eq!(service.status().queue_length, 1);
    assert!(matches!(next(&mut newer).await, News::Queued(0 | 1)));
}
