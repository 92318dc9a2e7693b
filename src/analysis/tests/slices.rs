//! Time slices: searches give way to other clients, and lose nothing by it.

use super::*;
use crate::analysis::{AnalysisStream, AnalysisUpdate, CompletionReason};
use crate::engine::Engine;

/// Positions of the middle game in which a search to a great depth takes hours.
const LONG_SEARCHES: [&str; 8] = [
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "r2q1rk1/ppp2ppp/2npbn2/2b1p3/4P3/2PP1N2/PPB2PPP/RNBQ1RK1 w - - 0 9",
    "rnbq1rk1/pp2ppbp/3p1np1/2p5/2PPP3/2N2N2/PP2BPPP/R1BQK2R w KQ - 0 7",
    "r1bqk2r/pp2bppp/2nppn2/8/2BNP3/2N1B3/PPP2PPP/R2QK2R w KQkq - 0 8",
    "r2qkbnr/pp1nppp1/2p3bp/8/3P3P/5NN1/PPP2PP1/R1BQKB1R w KQkq - 0 8",
    "rnbqk2r/ppp1bppp/4pn2/3p4/2PP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 0 5",
    "r1bqkb1r/1ppp1ppp/p1n2n2/4p3/B3P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 0 5",
    "rnb1kb1r/pp2pppp/2p2n2/q7/3P4/2N2N2/PPP2PPP/R1BQKB1R w KQkq - 0 6",
];

const SLICE: Duration = Duration::from_millis(100);

/// A service on this many workers.
fn service_with_slices(workers: usize, slice: Duration) -> Service {
    service(Arc::new(Engine::new(16)), ServiceOptions { slice, ..options(workers, 64) })
}

/// A service on two workers with short slices.
fn sliced_service() -> Service {
    service_with_slices(2, SLICE)
}

fn long_request(client: &str, position: usize) -> AnalysisRequest {
    let request = request(game_at(LONG_SEARCHES[position]), depth(100));
    AnalysisRequest { client: Client::new(client), ..request }
}

/// A search of 2,000 nodes for another client, which the cache can't answer.
fn short_request(number: usize) -> AnalysisRequest {
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let request = request(game_at(LONG_SEARCHES[number % 8]), limits);
    AnalysisRequest { client: Client::new("visitor"), fresh: true, ..request }
}

/// Asks for short searches while the workers are busy. Each answer may take three slices.
async fn assert_short_searches_are_answered(service: &Service, kind: &str) {
    wait_until("both workers are busy", || service.status().busy_workers == 2).await;
    for number in 0..5 {
        let asked = Instant::now();
        let answer = service.best_move(short_request(number)).await.unwrap();
        let waited = asked.elapsed();
        assert_eq!(answer.report.nodes, 2_000, "{kind}");
        assert!(waited < 3 * SLICE + Duration::from_millis(500), "{kind}, {number}: {waited:?}");
    }
}

fn spawn_best_move(service: &Service, request: AnalysisRequest) {
    let service = service.clone();
    tokio::spawn(async move { service.best_move(request).await });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_kind_of_request_keeps_the_workers_from_another_client() {
    let service = sliced_service();
    spawn_best_move(&service, with_threads(2, long_request("hog", 0)));
    assert_short_searches_are_answered(&service, "a search on two threads").await;

    let service = sliced_service();
    (0..2).for_each(|number| spawn_best_move(&service, long_request("hog", number)));
    assert_short_searches_are_answered(&service, "two searches").await;

    let service = sliced_service();
    let infinite =
        |number| AnalysisRequest { limits: Limits::default(), ..long_request("hog", number) };
    let _streams = [0, 1].map(|number| service.start_analysis(infinite(number)).unwrap());
    assert_short_searches_are_answered(&service, "two infinite analyses").await;

    let service = sliced_service();
    for number in 0..4 {
        let service = service.clone();
        tokio::spawn(async move { service.best_move_when_free(long_request("hog", number)).await });
    }
    assert_short_searches_are_answered(&service, "a batch").await;

    let service = sliced_service();
    for depth in [11, 12] {
        let service = service.clone();
        let perft = perft_request(depth, Duration::from_secs(60));
        tokio::spawn(async move { service.perft(perft).await });
    }
    assert_short_searches_are_answered(&service, "two perfts").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_clients_with_long_searches_do_not_keep_out_another_one() {
    let service = sliced_service();
    for number in 0..8 {
        spawn_best_move(&service, long_request(&format!("hog {number}"), number));
    }
    assert_short_searches_are_answered(&service, "eight clients").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_slices_of_eight_clients_take_less_than_two_slices() {
    let slice = Duration::from_secs(2);
    let service = service_with_slices(2, slice);
    for number in 0..8 {
        let request = with_threads(2, long_request(&format!("hog {number}"), number));
        spawn_best_move(&service, request);
    }
    wait_until("seven searches wait", || service.status().queue_length == 7).await;
    let asked = Instant::now();
    service.best_move(short_request(0)).await.unwrap();
    assert!(asked.elapsed() < 2 * slice, "{:?}", asked.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sliced_search_keeps_its_node_limit_and_its_result() {
    let limits = Limits { nodes: Some(1_500_000), ..Limits::default() };
    let long = move |client| AnalysisRequest { limits, ..long_request(client, 0) };
    let service = service_with_slices(1, Duration::from_millis(30));
    let alone = service.best_move(long("hog")).await.unwrap();
    let fresh = service_with_slices(1, Duration::from_millis(30));
    let sliced = tokio::spawn({
        let service = fresh.clone();
        async move { service.best_move(long("hog")).await.unwrap() }
    });
    wait_until("the search runs", || fresh.status().busy_workers == 1).await;
    // Perfts leave the transposition table alone.
    let mut interruptions = 0;
    while !sliced.is_finished() {
        let perft = PerftRequest {
            client: Client::new("visitor"),
            ..perft_request(4, Duration::from_secs(9))
        };
        fresh.perft(perft).await.unwrap();
        interruptions += 1;
    }
    let sliced = sliced.await.unwrap();
    assert!(interruptions > 2, "{interruptions}");
    assert_eq!(sliced.report.nodes, alone.report.nodes);
    assert_eq!(sliced.report.pv, alone.report.pv);
    assert!(sliced.queued > Duration::ZERO, "the pauses count as waits");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_perft_that_restarts_counts_no_move_twice_and_keeps_nobody_waiting() {
    let service = service_with_slices(1, Duration::from_millis(10));
    // Its paused run takes the only place.
    spawn_best_move(&service, long_request("hog", 0));
    wait_until("the search runs", || service.status().busy_workers == 1).await;
    let perft = tokio::spawn({
        let service = service.clone();
        let client = Client::new("eve");
        let perft = PerftRequest { client, ..perft_request(6, Duration::from_secs(60)) };
        async move { service.perft(perft).await.unwrap() }
    });
    let mut answers = 0;
    while !perft.is_finished() {
        service.best_move(short_request(answers)).await.unwrap();
        answers += 1;
    }
    assert_eq!(perft.await.unwrap().nodes, 119_060_324);
    assert!(answers > 10, "{answers}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn new_searches_of_one_client_do_not_keep_a_paused_one_of_another_waiting() {
    let service = service_with_slices(1, SLICE);
    (0..3).for_each(|number| spawn_best_move(&service, long_request("hog", number)));
    wait_until("two searches wait", || service.status().queue_length == 2).await;
    let limits = Limits { nodes: Some(300_000), ..Limits::default() };
    let request = AnalysisRequest { limits, ..long_request("visitor", 4) };
    let answer = tokio::time::timeout(Duration::from_secs(20), service.best_move(request)).await;
    assert_eq!(answer.unwrap().unwrap().report.nodes, 300_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_with_many_endless_searches_leaves_places_for_the_paused_ones_of_others() {
    const CAPACITY: usize = 16;
    let slice = Duration::from_millis(20);
    let service =
        service(Arc::new(Engine::new(16)), ServiceOptions { slice, ..options(1, CAPACITY) });
    let infinite = |number: usize| {
        let game = game_at(LONG_SEARCHES[number % 8]);
        let limits = Limits { depth: Some(90 + (number / 8) as u8), ..Limits::default() };
        AnalysisRequest { client: Client::new("hog"), ..request(game, limits) }
    };
    let mut streams = Vec::new();
    for number in 0..40 {
        streams.extend(service.start_analysis(infinite(number)).ok());
        let answer = service.best_move(short_request(number));
        let answer = tokio::time::timeout(Duration::from_secs(20), answer).await.unwrap();
        assert_eq!(answer.unwrap().report.nodes, 2_000);
    }
    assert!(streams.len() > CAPACITY, "{}", streams.len());
}

/// The depths of a stream's iterations, how often it paused after the first one, and its end.
async fn follow(mut stream: AnalysisStream) -> (Vec<u8>, usize, CompletionReason) {
    let (mut depths, mut pauses) = (Vec::new(), 0);
    while let Some(update) = stream.next().await.unwrap() {
        match update {
            AnalysisUpdate::Iteration(report) => depths.push(report.depth),
            AnalysisUpdate::Queued(_) => pauses += usize::from(!depths.is_empty()),
            AnalysisUpdate::Cached(_) => {}
            AnalysisUpdate::End(answer) => return (depths, pauses, answer.reason),
        }
    }
    panic!("a stream without an end")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restarted_search_never_falls_back_in_depth() {
    let service = sliced_service();
    let limits = Limits { nodes: Some(1_200_000), ..Limits::default() };
    let streams: Vec<_> = (0..6)
        .map(|number| {
            let request =
                AnalysisRequest { limits, ..long_request(&format!("hog {number}"), number) };
            tokio::spawn(follow(service.start_analysis(request).unwrap()))
        })
        .collect();
    let mut all_pauses = 0;
    for stream in streams {
        let (depths, pauses, reason) = stream.await.unwrap();
        assert!(depths.is_sorted_by(|one, other| one < other), "{depths:?}");
        assert_eq!(reason, CompletionReason::Nodes);
        all_pauses += pauses;
    }
    assert!(all_pauses > 6, "each pause is an update: {all_pauses}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paused_search_answers_a_stop_and_a_shutdown_at_once() {
    // The other search holds the worker for this time.
    let slice = 5 * SLICE;
    for with_shutdown in [false, true] {
        let service = service_with_slices(1, slice);
        let mut paused = service.start_analysis(long_request("ann", 0)).unwrap();
        wait_until("the search runs", || service.status().busy_workers == 1).await;
        tokio::time::sleep(slice).await;
        let _other = service.start_analysis(long_request("bob", 1)).unwrap();
        while !matches!(paused.next().await.unwrap(), Some(AnalysisUpdate::Queued(_))) {}
        let asked = Instant::now();
        if with_shutdown {
            service.shut_down();
        } else {
            paused.stop();
        }
        let answer = paused.wait_for_end().await.unwrap();
        assert!(asked.elapsed() < slice / 2, "{:?}", asked.elapsed());
        let expected =
            if with_shutdown { CompletionReason::Shutdown } else { CompletionReason::Stopped };
        assert_eq!(answer.reason, expected);
        assert!(answer.report.best_move().is_some());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lone_client_is_never_interrupted() {
    let service = sliced_service();
    let limits = Limits { nodes: Some(300_000), ..Limits::default() };
    let streams: Vec<_> = (0..5)
        .map(|number| {
            let request = AnalysisRequest { limits, ..long_request("ann", number) };
            tokio::spawn(follow(service.start_analysis(request).unwrap()))
        })
        .collect();
    for stream in streams {
        assert_eq!(stream.await.unwrap().1, 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn searches_that_wait_for_a_restart_report_a_shutdown() {
    let service = service_with_slices(1, SLICE);
    let streams: Vec<_> = (0..4)
        .map(|number| {
            let request = long_request(&format!("hog {number}"), number);
            tokio::spawn(follow(service.start_analysis(request).unwrap()))
        })
        .collect();
    tokio::time::sleep(8 * SLICE).await;
    service.shut_down();
    for stream in streams {
        assert_eq!(stream.await.unwrap().2, CompletionReason::Shutdown);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_search_on_all_workers_ends_beside_a_stream_of_interactive_ones() {
    let service = service_with_slices(2, Duration::from_millis(50));
    // So many at a time that some wait whenever a worker becomes free.
    for number in 0..16 {
        let service = service.clone();
        tokio::spawn(async move {
            for round in 0.. {
                // Each client is new, and so below its share.
                let client = Client::new(&format!("visitor {number}.{round}"));
                // Of equal searches only one would wait.
                let limits = Limits { nodes: Some(30_000 + number as u64), ..Limits::default() };
                let request = AnalysisRequest { client, limits, ..short_request(number) };
                if service.best_move(request).await.is_err() {
                    return;
                }
            }
        });
    }
    wait_until("searches wait", || service.status().queue_length > 8).await;
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let request = with_threads(2, long_request("batch", 7));
    let line = AnalysisRequest { limits, class: PriorityClass::Batch, ..request };
    let answer =
        tokio::time::timeout(Duration::from_secs(10), service.best_move_when_free(line)).await;
    assert!(answer.expect("the line does not starve").is_ok());
    service.shut_down();
}
