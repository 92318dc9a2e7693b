//! Claims about who waits, in which order, and who is refused.

use super::*;

fn of(client: &str, class: Class, workers: usize) -> Comer {
    Comer { client: Client::new(client), class, workers }
}

fn one(workers: usize) -> Comer {
    of("ann", Class::Interactive, workers)
}

fn push(queue: &Queue, comer: Comer) -> Place {
    let (place, crowded_out) = queue.push(comer, || Job::new(|_| ())).unwrap();
    crowded_out.dismiss();
    place
}

fn refusal(queue: &Queue) -> Duration {
    match queue.push(one(1), || Job::new(|_| ())) {
        Err(AnalysisError::QueueFull { retry_after, .. }) => retry_after,
        other => panic!("{:?}", other.err()),
    }
}

fn full_queue(workers: usize, capacity: usize) -> Queue {
    full_queue_with_places(workers, capacity).0
}

fn full_queue_with_places(workers: usize, capacity: usize) -> (Queue, Vec<Place>) {
    let queue = Queue::new(workers, capacity, 0);
    let places = (0..workers + capacity).map(|_| push(&queue, one(1))).collect();
    (queue, places)
}

/// Works one job off that took so long, and fills its place again.
fn work_off(queue: &Queue, took: Duration) {
    drop(queue.next());
    queue.finished(1, took);
    push(queue, one(1));
}

#[test]
fn who_is_refused_is_told_to_wait_about_as_long_as_the_queue_takes() {
    let queue = full_queue(2, 8);
    for _ in 0..100 {
        work_off(&queue, Duration::from_secs(3));
    }
    let told = refusal(&queue);
    assert!((Duration::from_millis(11_900)..=Duration::from_secs(12)).contains(&told), "{told:?}");
    for _ in 0..100 {
        work_off(&queue, Duration::from_millis(1));
    }
    assert_eq!(refusal(&queue), Duration::from_secs(1), "but never less than a second");
    for _ in 0..100 {
        work_off(&queue, Duration::from_secs(3_600));
    }
    assert_eq!(refusal(&queue), Duration::from_secs(60), "and never more than a minute");
}

#[test]
fn a_place_that_was_left_is_free_at_once() {
    let (queue, places) = full_queue_with_places(1, 2);
    refusal(&queue);
    let Err(AnalysisError::QueueFull { length: 2, .. }) = queue.push(one(1), || Job::new(|_| ()))
    else {
        panic!("not full")
    };
    queue.leave(places[1]);
    assert_eq!(queue.length(), 1);
    push(&queue, one(1));
    queue.leave(places[1]);
    assert_eq!(queue.length(), 2, "who has no place has none to leave");
}

#[test]
fn a_closed_queue_refuses_those_who_wait_and_those_who_come() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let refused = Arc::new(AtomicUsize::new(0));
    let queue = Queue::new(1, 5, 0);
    for _ in 0..3 {
        let refused = refused.clone();
        let job = move |turn| {
            assert_eq!(turn, Turn::Never(AnalysisError::shutting_down()));
            refused.fetch_add(1, Ordering::SeqCst);
        };
        queue.push(one(1), || Job::new(job)).unwrap().1.dismiss();
    }
    queue.close();
    assert_eq!(refused.load(Ordering::SeqCst), 3);
    assert!(matches!(
        queue.push(one(1), || Job::new(|_| ())),
        Err(AnalysisError::ShuttingDown { .. })
    ));
    assert!(queue.next().is_none());
}

fn wish(queue: &Queue) {
    wish_for_lines(queue, 1);
}

fn wish_for_lines(queue: &Queue, lines: usize) {
    let game = crate::analysis::tests::start_game();
    let report = crate::analysis::tests::report(5, 500);
    queue.idle().unwrap().wish_for_best(&game, &Default::default(), lines, &report);
}

fn begin_idle(queue: &Queue) -> (Wish, IdleRun) {
    match queue.next() {
        Some(Work::Idle(wish, run)) => (wish, run),
        _ => panic!("there is something else to do"),
    }
}

#[test]
fn a_worker_at_idle_work_is_called_back_at_once_and_the_wish_is_kept() {
    let queue = Queue::new(1, 8, 8);
    wish(&queue);
    let (wish, run) = begin_idle(&queue);
    assert_eq!((queue.running(), queue.idle().unwrap().len()), (0, 0), "nobody counts on it");
    push(&queue, one(1));
    assert!(run.stop.is_stopped());
    assert_eq!(queue.length(), 0, "who comes does not wait for it");
    queue.rested(wish, &run);
    assert!(matches!(queue.next(), Some(Work::Order(_))), "the request goes first");
    assert_eq!(queue.idle().unwrap().len(), 1);
}

#[test]
fn idle_work_goes_on_where_another_worker_rests() {
    let queue = Queue::new(3, 8, 8);
    wish(&queue);
    let (_, run) = begin_idle(&queue);
    push(&queue, one(1));
    push(&queue, one(1));
    assert!(!run.stop.is_stopped());
    push(&queue, one(1));
    assert!(run.stop.is_stopped(), "the third one wants its worker");
}

#[test]
fn one_of_several_workers_rests() {
    let queue = Queue::new(2, 8, 8);
    wish(&queue);
    let (wished, run) = begin_idle(&queue);
    wish_for_lines(&queue, 2);
    assert!(queue.take_idle(&mut queue.lock()).is_none(), "the other one has something to do");
    queue.rested(wished, &run);
    assert!(queue.take_idle(&mut queue.lock()).is_some());
    let single = Queue::new(1, 8, 8);
    wish(&single);
    assert!(single.take_idle(&mut single.lock()).is_some());
}

#[test]
fn a_worker_that_a_large_job_waits_for_begins_no_idle_work() {
    let queue = Queue::new(2, 8, 8);
    wish(&queue);
    push(&queue, one(1));
    due(&queue);
    let (_, run) = begin_idle(&queue);
    push(&queue, one(2));
    assert!(!run.stop.is_stopped(), "the job's other worker is busy");
    queue.finished(1, Duration::ZERO);
    assert!(run.stop.is_stopped());
}

#[test]
fn a_closed_queue_ends_idle_work_and_forgets_its_wishes() {
    let queue = Queue::new(2, 8, 8);
    wish(&queue);
    let (wished, run) = begin_idle(&queue);
    wish_for_lines(&queue, 2);
    queue.close();
    assert!(run.stop.is_stopped());
    queue.rested(wished, &run);
    assert_eq!(queue.idle().unwrap().len(), 0);
    assert!(queue.next().is_none());
}

/// How many workers the next job wants that has its turn now.
fn due(queue: &Queue) -> Option<usize> {
    queue.lock().take().map(|(_, order)| order.places())
}

#[test]
fn a_job_for_two_waits_for_both_and_nobody_overtakes_it() {
    let queue = Queue::new(2, 8, 0);
    for workers in [1, 2, 1, 1] {
        push(&queue, one(workers));
    }
    assert_eq!((due(&queue), due(&queue)), (Some(1), None), "one worker is free, and kept free");
    assert_eq!((queue.running(), queue.length()), (1, 3));
    queue.finished(1, Duration::ZERO);
    assert_eq!((due(&queue), due(&queue)), (Some(2), None));
    assert_eq!((queue.running(), queue.length()), (2, 2));
    queue.finished(2, Duration::ZERO);
    assert_eq!((due(&queue), due(&queue), due(&queue)), (Some(1), Some(1), None));
}

#[test]
fn a_job_for_more_workers_than_there_are_gets_all_and_one_for_none_gets_one() {
    let queue = Queue::new(3, 8, 0);
    push(&queue, one(99));
    push(&queue, one(0));
    assert_eq!((due(&queue), due(&queue)), (Some(3), None));
    queue.finished(3, Duration::ZERO);
    assert_eq!(due(&queue), Some(1));
}

#[test]
fn who_wants_more_workers_than_are_free_counts_among_those_who_wait() {
    let queue = Queue::new(2, 1, 0);
    push(&queue, one(1));
    assert_eq!(due(&queue), Some(1));
    let double = push(&queue, one(2));
    assert_eq!((queue.running(), queue.length()), (1, 1));
    refusal(&queue);
    queue.leave(double);
    push(&queue, one(1));
    assert_eq!(
        (queue.running(), queue.length()),
        (2, 0),
        "once it has left, one that is small enough has its turn"
    );
}

#[test]
fn a_batch_job_has_its_turn_after_four_of_those_that_somebody_waits_for() {
    let queue = Queue::new(1, 100, 0);
    for class in [Class::Batch, Class::Interactive] {
        for _ in 0..10 {
            push(&queue, of(if class == Class::Batch { "b" } else { "i" }, class, 1));
        }
    }
    let turns: String = (0..12)
        .map(|_| {
            let (_, order) = queue.lock().take().unwrap();
            queue.finished(1, Duration::ZERO);
            order.client().to_string()
        })
        .collect();
    assert_eq!(turns, "iiiibiiiibii");
    assert_eq!((queue.length_of(Class::Interactive), queue.length_of(Class::Batch)), (0, 7));
}

#[test]
fn a_full_lane_of_one_client_makes_way_for_another() {
    use std::sync::Arc;
    use std::sync::Mutex;

    let told = Arc::new(Mutex::new(Vec::new()));
    let queue = Queue::new(1, 3, 0);
    for number in 0..4 {
        let told = told.clone();
        let tell = move |turn| told.lock().unwrap().push((number, turn));
        queue.push(one(1), || Job::new(tell)).unwrap().1.dismiss();
    }
    refusal(&queue);
    push(&queue, of("bob", Class::Interactive, 1));
    let told = told.lock().unwrap();
    let [(3, Turn::Never(AnalysisError::QueueFull { length: 3, .. }))] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(queue.length(), 3);
    push(&queue, of("bob", Class::Batch, 1));
}

#[test]
fn a_batch_job_that_somebody_waits_for_changes_over() {
    let queue = Queue::new(1, 8, 0);
    push(&queue, one(1));
    due(&queue);
    let places: Vec<_> = (0..3).map(|_| push(&queue, of("bob", Class::Batch, 1))).collect();
    assert_eq!(queue.position(places[2]), Some(2));
    let hastened = queue.hasten(places[2], Class::Interactive, &Client::new("ann"));
    assert_eq!((queue.position(hastened), queue.length_of(Class::Batch)), (Some(0), 2));
    assert_eq!(
        queue.hasten(hastened, Class::Batch, &Client::new("ann")),
        hastened,
        "nobody is slowed down"
    );
}
