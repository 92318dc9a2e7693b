//! Claims about who waits, in which order, and who is refused.

use super::*;

fn from_client(client: &str, class: PriorityClass, workers: usize) -> Submitter {
    Submitter { client: Client::new(client), class, workers }
}

fn interactive(workers: usize) -> Submitter {
    from_client("ann", PriorityClass::Interactive, workers)
}

fn push(queue: &Queue, submitter: Submitter) -> QueuePlace {
    let (place, evicted) = queue.push(submitter, || Task::new(|_| ())).unwrap();
    evicted.reject();
    place
}

fn rejection_retry_after(queue: &Queue) -> Duration {
    match queue.push(interactive(1), || Task::new(|_| ())) {
        Err(AnalysisError::QueueFull { retry_after, .. }) => retry_after,
        other => panic!("{:?}", other.err()),
    }
}

fn full_queue(workers: usize, capacity: usize) -> Queue {
    full_queue_with_places(workers, capacity).0
}

fn full_queue_with_places(workers: usize, capacity: usize) -> (Queue, Vec<QueuePlace>) {
    let queue = Queue::new(workers, capacity, 0);
    let places = (0..workers + capacity).map(|_| push(&queue, interactive(1))).collect();
    (queue, places)
}

/// Works one job off that took so long, and fills its place again.
fn complete_one(queue: &Queue, elapsed: Duration) {
    drop(queue.next_work());
    queue.finish_task(1, elapsed);
    push(queue, interactive(1));
}

#[test]
fn retry_after_matches_the_delay_of_the_queue() {
    let queue = full_queue(2, 8);
    for _ in 0..100 {
        complete_one(&queue, Duration::from_secs(3));
    }
    let retry_after = rejection_retry_after(&queue);
    assert!(
        (Duration::from_millis(11_900)..=Duration::from_secs(12)).contains(&retry_after),
        "{retry_after:?}"
    );
    for _ in 0..100 {
        complete_one(&queue, Duration::from_millis(1));
    }
    assert_eq!(
        rejection_retry_after(&queue),
        Duration::from_secs(1),
        "but never less than a second"
    );
    for _ in 0..100 {
        complete_one(&queue, Duration::from_secs(3_600));
    }
    assert_eq!(
        rejection_retry_after(&queue),
        Duration::from_secs(60),
        "and never more than a minute"
    );
}

#[test]
fn a_removed_task_frees_its_place_at_once() {
    let (queue, places) = full_queue_with_places(1, 2);
    rejection_retry_after(&queue);
    let Err(AnalysisError::QueueFull { length: 2, .. }) =
        queue.push(interactive(1), || Task::new(|_| ()))
    else {
        panic!("not full")
    };
    queue.remove(places[1]);
    assert_eq!(queue.length(), 1);
    push(&queue, interactive(1));
    queue.remove(places[1]);
    assert_eq!(queue.length(), 2, "who has no place has none to leave");
}

#[test]
fn a_closed_queue_rejects_waiting_and_new_tasks() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let rejected = Arc::new(AtomicUsize::new(0));
    let queue = Queue::new(1, 5, 0);
    for _ in 0..3 {
        let rejected = rejected.clone();
        let task = move |admission| {
            assert_eq!(admission, Admission::Rejected(AnalysisError::shutting_down()));
            rejected.fetch_add(1, Ordering::SeqCst);
        };
        queue.push(interactive(1), || Task::new(task)).unwrap().1.reject();
    }
    queue.close();
    assert_eq!(rejected.load(Ordering::SeqCst), 3);
    assert!(matches!(
        queue.push(interactive(1), || Task::new(|_| ())),
        Err(AnalysisError::ShuttingDown { .. })
    ));
    assert!(queue.next_work().is_none());
}

fn enqueue_candidate(queue: &Queue) {
    enqueue_candidate_with_lines(queue, 1);
}

fn enqueue_candidate_with_lines(queue: &Queue, lines: usize) {
    let game = crate::analysis::tests::start_game();
    let report = crate::analysis::tests::report(5, 500);
    queue.speculative_queue().unwrap().enqueue_best_child(
        &game,
        &Default::default(),
        lines,
        &report,
    );
}

fn start_speculation(queue: &Queue) -> (Candidate, SpeculativeRun) {
    match queue.next_work() {
        Some(Work::Speculative(candidate, run)) => (candidate, run),
        _ => panic!("there is something else to do"),
    }
}

#[test]
fn a_task_preempts_speculation_and_the_candidate_is_kept() {
    let queue = Queue::new(1, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    assert_eq!(
        (queue.busy_workers(), queue.speculative_queue().unwrap().len()),
        (0, 0),
        "nobody counts on it"
    );
    push(&queue, interactive(1));
    assert!(run.stop.is_stopped());
    assert_eq!(queue.length(), 0, "who comes does not wait for it");
    queue.finish_speculation(candidate, &run);
    assert!(matches!(queue.next_work(), Some(Work::Task(_))), "the request goes first");
    assert_eq!(queue.speculative_queue().unwrap().len(), 1);
}

#[test]
fn speculation_continues_while_another_worker_is_idle() {
    let queue = Queue::new(3, 8, 8);
    enqueue_candidate(&queue);
    let (_, run) = start_speculation(&queue);
    push(&queue, interactive(1));
    push(&queue, interactive(1));
    assert!(!run.stop.is_stopped());
    push(&queue, interactive(1));
    assert!(run.stop.is_stopped(), "the third one wants its worker");
}

#[test]
fn speculation_leaves_one_of_several_workers_idle() {
    let queue = Queue::new(2, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    enqueue_candidate_with_lines(&queue, 2);
    assert!(queue.take_candidate(&mut queue.lock()).is_none(), "the other one has something to do");
    queue.finish_speculation(candidate, &run);
    assert!(queue.take_candidate(&mut queue.lock()).is_some());
    let single = Queue::new(1, 8, 8);
    enqueue_candidate(&single);
    assert!(single.take_candidate(&mut single.lock()).is_some());
}

#[test]
fn a_worker_that_a_large_task_waits_for_starts_no_speculation() {
    let queue = Queue::new(2, 8, 8);
    enqueue_candidate(&queue);
    push(&queue, interactive(1));
    start_next(&queue);
    let (_, run) = start_speculation(&queue);
    push(&queue, interactive(2));
    assert!(!run.stop.is_stopped(), "the job's other worker is busy");
    queue.finish_task(1, Duration::ZERO);
    assert!(run.stop.is_stopped());
}

#[test]
fn a_closed_queue_stops_speculation_and_clears_its_candidates() {
    let queue = Queue::new(2, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    enqueue_candidate_with_lines(&queue, 2);
    queue.close();
    assert!(run.stop.is_stopped());
    queue.finish_speculation(candidate, &run);
    assert_eq!(queue.speculative_queue().unwrap().len(), 0);
    assert!(queue.next_work().is_none());
}

/// How many workers the next job wants that has its turn now.
fn start_next(queue: &Queue) -> Option<usize> {
    queue.lock().take_task().map(|(_, queued)| queued.workers())
}

#[test]
fn a_task_for_two_workers_waits_for_both_and_is_not_overtaken() {
    let queue = Queue::new(2, 8, 0);
    for workers in [1, 2, 1, 1] {
        push(&queue, interactive(workers));
    }
    assert_eq!(
        (start_next(&queue), start_next(&queue)),
        (Some(1), None),
        "one worker is free, and kept free"
    );
    assert_eq!((queue.busy_workers(), queue.length()), (1, 3));
    queue.finish_task(1, Duration::ZERO);
    assert_eq!((start_next(&queue), start_next(&queue)), (Some(2), None));
    assert_eq!((queue.busy_workers(), queue.length()), (2, 2));
    queue.finish_task(2, Duration::ZERO);
    assert_eq!(
        (start_next(&queue), start_next(&queue), start_next(&queue)),
        (Some(1), Some(1), None)
    );
}

#[test]
fn the_number_of_workers_is_clamped_to_one_and_the_pool_size() {
    let queue = Queue::new(3, 8, 0);
    push(&queue, interactive(99));
    push(&queue, interactive(0));
    assert_eq!((start_next(&queue), start_next(&queue)), (Some(3), None));
    queue.finish_task(3, Duration::ZERO);
    assert_eq!(start_next(&queue), Some(1));
}

#[test]
fn a_task_that_needs_more_workers_than_are_free_counts_as_waiting() {
    let queue = Queue::new(2, 1, 0);
    push(&queue, interactive(1));
    assert_eq!(start_next(&queue), Some(1));
    let double = push(&queue, interactive(2));
    assert_eq!((queue.busy_workers(), queue.length()), (1, 1));
    rejection_retry_after(&queue);
    queue.remove(double);
    push(&queue, interactive(1));
    assert_eq!(
        (queue.busy_workers(), queue.length()),
        (2, 0),
        "once it has left, one that is small enough has its turn"
    );
}

#[test]
fn a_batch_task_runs_after_four_interactive_ones() {
    let queue = Queue::new(1, 100, 0);
    for class in [PriorityClass::Batch, PriorityClass::Interactive] {
        for _ in 0..10 {
            push(
                &queue,
                from_client(if class == PriorityClass::Batch { "b" } else { "i" }, class, 1),
            );
        }
    }
    let start_order: String = (0..12)
        .map(|_| {
            let (_, queued) = queue.lock().take_task().unwrap();
            queue.finish_task(1, Duration::ZERO);
            queued.client().to_string()
        })
        .collect();
    assert_eq!(start_order, "iiiibiiiibii");
    assert_eq!(
        (queue.length_of(PriorityClass::Interactive), queue.length_of(PriorityClass::Batch)),
        (0, 7)
    );
}

#[test]
fn a_full_class_queue_of_one_client_evicts_for_another() {
    use std::sync::Arc;
    use std::sync::Mutex;

    let admissions = Arc::new(Mutex::new(Vec::new()));
    let queue = Queue::new(1, 3, 0);
    for number in 0..4 {
        let admissions = admissions.clone();
        let record_admission =
            move |admission| admissions.lock().unwrap().push((number, admission));
        queue.push(interactive(1), || Task::new(record_admission)).unwrap().1.reject();
    }
    rejection_retry_after(&queue);
    push(&queue, from_client("bob", PriorityClass::Interactive, 1));
    let admissions = admissions.lock().unwrap();
    let [(3, Admission::Rejected(AnalysisError::QueueFull { length: 3, .. }))] =
        admissions.as_slice()
    else {
        panic!("{admissions:?}")
    };
    assert_eq!(queue.length(), 3);
    push(&queue, from_client("bob", PriorityClass::Batch, 1));
}

#[test]
fn a_batch_task_is_promoted_for_an_interactive_client() {
    let queue = Queue::new(1, 8, 0);
    push(&queue, interactive(1));
    start_next(&queue);
    let places: Vec<_> =
        (0..3).map(|_| push(&queue, from_client("bob", PriorityClass::Batch, 1))).collect();
    assert_eq!(queue.tasks_ahead(places[2]), Some(2));
    let promoted = queue.promote(places[2], PriorityClass::Interactive, &Client::new("ann"));
    assert_eq!((queue.tasks_ahead(promoted), queue.length_of(PriorityClass::Batch)), (Some(0), 2));
    assert_eq!(
        queue.promote(promoted, PriorityClass::Batch, &Client::new("ann")),
        promoted,
        "nobody is slowed down"
    );
}
