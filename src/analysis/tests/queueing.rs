//! The queue: bounded, first in, first out, and never stuck.

use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use super::*;
use crate::analysis::AnalysisError;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_queue_refuses_with_retry_after() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(2, 3));
    let pending: Vec<_> = (0..5)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move { service.best_move(unique_request(number)).await })
        })
        .collect();
    wait_until("all places are taken", || service.status().queue_length == 3).await;
    assert_eq!(service.status().busy_workers, 2);
    match service.best_move(unique_request(9)).await {
        Err(AnalysisError::QueueFull { length: 3, retry_after }) => {
            assert!(retry_after >= Duration::from_secs(1))
        }
        other => panic!("{other:?}"),
    }
    match service.perft(perft_request(1, Duration::from_secs(1))).await {
        Err(AnalysisError::QueueFull { length: 3, .. }) => (),
        other => panic!("{other:?}"),
    }
    assert_eq!(service.searches_in_flight(), 5, "a refused request leaves nothing behind");
    drop(pending);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_within_workers_and_capacity_are_never_refused() {
    let searcher = Scripted::new(until_stopped);
    for _ in 0..50 {
        let service = service(searcher.clone(), options(2, 1));
        let pending: Vec<_> = (0..3)
            .map(|number| {
                let service = service.clone();
                tokio::spawn(async move { service.best_move(unique_request(number)).await })
            })
            .collect();
        wait_until("all requests have a place", || service.status().queue_length == 1).await;
        for pending in pending {
            pending.abort();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_of_one_client_run_first_in_first_out() {
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = order.clone();
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        seen.lock().unwrap().push(limits.nodes.unwrap());
        thread::sleep(Duration::from_millis(if seen.lock().unwrap().len() == 1 { 100 } else { 0 }));
        at_once(game, limits, stop)
    });
    let service = service(searcher, options(1, 100));
    let mut pending = Vec::new();
    for number in 0..40 {
        let before = service.searches_in_flight();
        let caller = service.clone();
        pending.push(tokio::spawn(async move { caller.best_move(unique_request(number)).await }));
        wait_until("the request has its place", || service.searches_in_flight() > before).await;
    }
    for pending in pending {
        pending.await.unwrap().unwrap();
    }
    let expected: Vec<u64> = (0..40).map(|number| 1_000_000 + number).collect();
    assert_eq!(*order.lock().unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_that_panics_is_an_error_and_its_worker_survives() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        assert_ne!(limits.depth, Some(13), "a scripted panic");
        at_once(game, limits, stop)
    });
    let service = service(searcher, options(1, 8));
    for _ in 0..3 {
        let refused = service.best_move(request(start_game(), depth(13))).await;
        assert!(matches!(refused, Err(AnalysisError::Internal(_))), "{refused:?}");
        assert_eq!(
            service.best_move(request(start_game(), depth(12))).await.unwrap().report.depth,
            12
        );
    }
    wait_until("all workers are idle", || service.status().busy_workers == 0).await;
    assert_eq!(service.searches_in_flight(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queue_time_and_search_time_are_reported_separately() {
    let searcher = Scripted::new(|game: &Game, limits: &Limits, stop: &StopFlag| {
        thread::sleep(Duration::from_millis(300));
        at_once(game, limits, stop)
    });
    let service = service(searcher, options(1, 8));
    let other = service.clone();
    let first = tokio::spawn(async move { other.best_move(unique_request(1)).await.unwrap() });
    wait_until("the first search runs", || service.status().busy_workers == 1).await;
    let second = service.best_move(unique_request(2)).await.unwrap();
    let first = first.await.unwrap();
    assert!(
        first.queued < Duration::from_millis(150) && first.searched >= Duration::from_millis(300),
        "{first:?}"
    );
    assert!(
        second.queued >= Duration::from_millis(150)
            && second.searched >= Duration::from_millis(300),
        "{second:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perft_counts_on_the_pool() {
    let service = service(Scripted::new(at_once), options(1, 8));
    let second = Duration::from_secs(60);
    let counted =
        service.perft(PerftRequest { divide: true, ..perft_request(4, second) }).await.unwrap();
    assert_eq!(counted.nodes, 197_281);
    let divide = counted.divide.unwrap();
    assert_eq!((divide.len(), divide.iter().map(|(_, nodes)| nodes).sum()), (20, 197_281_u64));
    let root = service.perft(perft_request(0, second)).await.unwrap();
    assert_eq!((root.nodes, root.divide), (1, None));
    let bare =
        service.perft(PerftRequest { divide: true, ..perft_request(0, second) }).await.unwrap();
    assert_eq!((bare.nodes, bare.divide), (1, Some(Vec::new())));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn perft_beyond_its_time_is_refused() {
    let service = service(Scripted::new(at_once), options(1, 8));
    let max = Duration::from_millis(30);
    let refused = service.perft(perft_request(13, max)).await;
    assert_eq!(refused, Err(AnalysisError::PerftTooLarge { max }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_waits_too_long_times_out_and_frees_its_place() {
    let searcher = Scripted::new(until_stopped);
    let max_wait = Duration::from_millis(200);
    let service = service(searcher.clone(), ServiceOptions { max_wait, ..options(1, 8) });
    let other = service.clone();
    let running = tokio::spawn(async move { other.best_move(unique_request(0)).await });
    wait_until("the worker is busy", || searcher.searches() == 1).await;
    let late = service.best_move(unique_request(1)).await;
    assert!(
        matches!(late, Err(AnalysisError::Deadline { waited, .. }) if waited == max_wait),
        "{late:?}"
    );
    let late = service.perft(perft_request(1, Duration::from_secs(1))).await;
    assert!(matches!(late, Err(AnalysisError::Deadline { .. })), "{late:?}");
    assert_eq!(
        (service.status().queue_length, service.status().busy_workers),
        (0, 1),
        "a running search does not time out"
    );
    running.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_modest_client_does_not_wait_behind_a_greedy_one() {
    let (gate, order) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
    let (open, started) = (gate.clone(), order.clone());
    let searcher = Scripted::new(move |game: &Game, limits: &Limits, stop: &StopFlag| {
        started.lock().unwrap().push(limits.nodes);
        while !open.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        at_once(game, limits, stop)
    });
    let service = service(searcher, options(1, 100));
    let ask = |request| {
        let service = service.clone();
        tokio::spawn(async move { service.best_move(request).await.unwrap() })
    };
    let greedy: Vec<_> = (0..50).map(|number| ask(unique_request(number))).collect();
    wait_until("the greedy client waits", || service.status().queue_length == 49).await;
    let modest = AnalysisRequest { client: Client::new("bob"), ..unique_request(99) };
    let nodes = modest.limits.nodes;
    let modest = ask(modest);
    wait_until("the modest client waits", || service.status().queue_length == 50).await;
    gate.store(true, Ordering::Relaxed);
    modest.await.unwrap();
    let place = order.lock().unwrap().iter().position(|search| *search == nodes);
    assert!(place.is_some_and(|place| place <= 3), "{place:?} searches came first");
    for greedy in greedy {
        greedy.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_search_joined_by_an_interactive_request_is_promoted() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 8));
    let ask = |class, number| {
        let service = service.clone();
        tokio::spawn(async move {
            service.best_move(AnalysisRequest { class, ..unique_request(number) }).await
        })
    };
    let running = ask(PriorityClass::Interactive, 0);
    wait_until("the worker is busy", || searcher.searches() == 1).await;
    let of_batch = ask(PriorityClass::Batch, 1);
    wait_until("the batch request waits", || service.status().batch_length == 1).await;
    let interactive = ask(PriorityClass::Interactive, 1);
    wait_until("the search is promoted", || {
        (service.status().batch_length, service.status().queue_length) == (0, 1)
    })
    .await;
    for pending in [running, of_batch, interactive] {
        pending.abort();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_evicted_request_gets_an_error() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 60));
    let ask = |client: String, number| {
        let service = service.clone();
        let request = AnalysisRequest { client: Client::new(&client), ..unique_request(number) };
        tokio::spawn(async move { service.best_move(request).await })
    };
    let greedy: Vec<_> = (0..61).map(|number| ask("greedy".to_owned(), number)).collect();
    wait_until("the queue is full", || service.status().queue_length == 60).await;
    // Many, so that searches of both clients share shards of the map.
    let modest: Vec<_> =
        (0..50).map(|number| ask(format!("modest {number}"), 1_000 + number)).collect();
    wait_until("most requests of the greedy client are evicted", || {
        greedy.iter().filter(|pending| pending.is_finished()).count() == 50
    })
    .await;
    assert_eq!(service.status().queue_length, 60);
    for pending in greedy {
        if pending.is_finished() {
            assert!(matches!(
                pending.await.unwrap(),
                Err(AnalysisError::QueueFull { length: 60, .. })
            ));
        } else {
            pending.abort();
        }
    }
    modest.into_iter().for_each(|pending| pending.abort());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batch_requests_beyond_the_queue_wait_for_a_place() {
    let searcher = Scripted::new(at_once);
    // With equal requests, so that some take no place because they join a search.
    for capacity in [0, 1, 3] {
        let options = ServiceOptions { cache_max_entries: 0, ..options(2, capacity) };
        let service = service(searcher.clone(), options);
        let pending: Vec<_> = (0..200)
            .map(|number| {
                let service = service.clone();
                let request = AnalysisRequest {
                    client: Client::new(&format!("client {}", number % 3)),
                    ..unique_request(number / 2)
                };
                tokio::spawn(async move { service.best_move_when_free(request).await })
            })
            .collect();
        for pending in pending {
            let answer = tokio::time::timeout(Duration::from_secs(10), pending).await;
            answer.expect("no request is stuck").unwrap().unwrap();
        }
        assert_eq!(service.searches_in_flight(), 0);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batch_requests_that_wait_for_a_place_end_with_the_service() {
    let searcher = Scripted::new(until_stopped);
    let service = service(searcher.clone(), options(1, 1));
    let pending: Vec<_> = (0..8)
        .map(|number| {
            let service = service.clone();
            tokio::spawn(async move { service.best_move_when_free(unique_request(number)).await })
        })
        .collect();
    wait_until("the worker is busy", || searcher.searches() == 1).await;
    wait_until("the queue is full", || service.status().batch_length == 1).await;
    service.shut_down();
    let mut rejected = 0;
    for pending in pending {
        let answer = tokio::time::timeout(Duration::from_secs(10), pending).await;
        match answer.expect("no request is stuck").unwrap() {
            Ok(answer) => assert_eq!(answer.report.depth, 6),
            Err(error) => {
                assert!(matches!(error, AnalysisError::ShuttingDown { .. }), "{error:?}");
                rejected += 1;
            }
        }
    }
    assert_eq!(rejected, 7);
}
