//! Tests of the queue's order, bounds and speculative work.

mod counts;
mod remote;
mod shared_tasks;
mod slices;
mod starvation;

use std::pin::{Pin, pin};
use std::task::{Context, Waker};

use super::*;

/// The slice of a queue whose slicer does not run.
const SLICE: Duration = Duration::from_millis(500);

fn from_client(client: &str, class: PriorityClass, workers: usize) -> Submitter {
    Submitter { client: Client::new(client), class, workers, is_unlimited: false }
}

/// A queue with a slice that no test waits for.
fn new_queue(workers: usize, capacity: usize, max_candidates: usize) -> Queue {
    Queue::new(workers, capacity, max_candidates, SLICE)
}

fn try_push(queue: &Queue, submitter: Submitter, task: Task) -> Result<Arc<TaskControl>, Refused> {
    let control = Arc::new(TaskControl::new(submitter.client.clone()));
    queue.push(submitter, &control, task).map(|evicted| {
        evicted.reject();
        control
    })
}

/// Ends a running task that has this many workers.
fn finish(queue: &Queue, workers: usize, elapsed: Duration) {
    let has_workers = |running: &&RunningTask| running.submitter.workers == workers;
    let control = queue.lock().running.iter().find(has_workers).unwrap().control.clone();
    queue.finish_task(&control, elapsed);
}

fn interactive(workers: usize) -> Submitter {
    from_client("ann", PriorityClass::Interactive, workers)
}

fn push(queue: &Queue, submitter: Submitter) -> Arc<TaskControl> {
    try_push(queue, submitter, Task::new(|_| ())).unwrap()
}

/// Pauses tasks, or restarts them.
fn end_slices(queue: &Queue, controls: Vec<Arc<TaskControl>>) {
    queue.lock().end_slices(controls.clone());
    for control in controls {
        if queue.lock().running_mut(&control).is_some() {
            queue.requeue(&control, Task::new(|_| ()));
        }
    }
}

fn rejection_retry_after(queue: &Queue) -> Duration {
    match try_push(queue, interactive(1), Task::new(|_| ())) {
        Err(Refused { error: AnalysisError::QueueFull { retry_after, .. }, .. }) => retry_after,
        other => panic!("{:?}", other.err().map(|refused| refused.error)),
    }
}

fn full_queue(workers: usize, capacity: usize) -> Queue {
    full_queue_with_places(workers, capacity).0
}

fn full_queue_with_places(workers: usize, capacity: usize) -> (Queue, Vec<Arc<TaskControl>>) {
    let queue = new_queue(workers, capacity, 0);
    let places = (0..workers + capacity).map(|_| push(&queue, interactive(1))).collect();
    (queue, places)
}

/// Completes one task that took this long, and fills its place again.
fn complete_one(queue: &Queue, elapsed: Duration) {
    drop(queue.next_work());
    finish(queue, 1, elapsed);
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
    assert_eq!(rejection_retry_after(&queue), Duration::from_secs(1), "the least is a second");
    for _ in 0..100 {
        complete_one(&queue, Duration::from_secs(3_600));
    }
    assert_eq!(rejection_retry_after(&queue), Duration::from_secs(60), "the most is a minute");
}

#[test]
fn a_removed_task_frees_its_place_at_once() {
    let (queue, places) = full_queue_with_places(1, 2);
    rejection_retry_after(&queue);
    let Err(Refused { error: AnalysisError::QueueFull { length: 2, .. }, .. }) =
        try_push(&queue, interactive(1), Task::new(|_| ()))
    else {
        panic!("not full")
    };
    queue.remove(&places[1]);
    assert_eq!(queue.length(), 1);
    push(&queue, interactive(1));
    queue.remove(&places[1]);
    assert_eq!(queue.length(), 2, "a place can be removed only once");
}

#[test]
fn a_closed_queue_rejects_waiting_and_new_tasks() {
    use std::sync::atomic::{AtomicUsize, Ordering};

    let rejected = Arc::new(AtomicUsize::new(0));
    let queue = new_queue(1, 5, 0);
    for _ in 0..3 {
        let rejected = rejected.clone();
        let task = move |admission| {
            assert_eq!(admission, Admission::Rejected(AnalysisError::shutting_down()));
            rejected.fetch_add(1, Ordering::SeqCst);
        };
        try_push(&queue, interactive(1), Task::new(task)).unwrap();
    }
    queue.close();
    assert_eq!(rejected.load(Ordering::SeqCst), 3);
    assert!(matches!(
        try_push(&queue, interactive(1), Task::new(|_| ())),
        Err(Refused { error: AnalysisError::ShuttingDown { .. }, .. })
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
        _ => panic!("no speculative work"),
    }
}

#[test]
fn a_task_preempts_speculation_and_the_candidate_is_kept() {
    let queue = new_queue(1, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    assert_eq!(
        (queue.busy_workers(), queue.speculative_queue().unwrap().len()),
        (0, 0),
        "speculative work counts neither as busy nor as waiting"
    );
    push(&queue, interactive(1));
    assert!(run.stop.is_stopped());
    assert_eq!(queue.length(), 0, "a task does not wait for the preempted search");
    queue.finish_speculation(candidate, &run);
    assert!(matches!(queue.next_work(), Some(Work::Task(_))), "the task runs first");
    assert_eq!(queue.speculative_queue().unwrap().len(), 1);
}

#[test]
fn speculation_continues_while_another_worker_is_idle() {
    let queue = new_queue(3, 8, 8);
    enqueue_candidate(&queue);
    let (_, run) = start_speculation(&queue);
    push(&queue, interactive(1));
    push(&queue, interactive(1));
    assert!(!run.stop.is_stopped());
    push(&queue, interactive(1));
    assert!(run.stop.is_stopped(), "the third task needs the worker");
}

#[test]
fn speculation_leaves_one_of_several_workers_idle() {
    let queue = new_queue(2, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    enqueue_candidate_with_lines(&queue, 2);
    assert!(queue.take_candidate(&mut queue.lock()).is_none(), "one worker stays idle");
    queue.finish_speculation(candidate, &run);
    assert!(queue.take_candidate(&mut queue.lock()).is_some());
    let single = new_queue(1, 8, 8);
    enqueue_candidate(&single);
    assert!(single.take_candidate(&mut single.lock()).is_some());
}

#[test]
fn a_worker_that_a_large_task_waits_for_starts_no_speculation() {
    let queue = new_queue(2, 8, 8);
    enqueue_candidate(&queue);
    push(&queue, interactive(1));
    start_next(&queue);
    let (_, run) = start_speculation(&queue);
    push(&queue, interactive(2));
    assert!(!run.stop.is_stopped(), "the task's other worker is busy");
    finish(&queue, 1, Duration::ZERO);
    assert!(run.stop.is_stopped());
}

#[test]
fn a_closed_queue_stops_speculation_and_clears_its_candidates() {
    let queue = new_queue(2, 8, 8);
    enqueue_candidate(&queue);
    let (candidate, run) = start_speculation(&queue);
    enqueue_candidate_with_lines(&queue, 2);
    queue.close();
    assert!(run.stop.is_stopped());
    queue.finish_speculation(candidate, &run);
    assert_eq!(queue.speculative_queue().unwrap().len(), 0);
    assert!(queue.next_work().is_none());
}

/// Starts the next task and returns its number of workers.
fn start_next(queue: &Queue) -> Option<usize> {
    queue.lock().take_task().map(|queued| queued.workers())
}

#[test]
fn a_task_for_two_workers_waits_for_both_and_is_not_overtaken() {
    let queue = new_queue(2, 8, 0);
    for workers in [1, 2, 1, 1] {
        push(&queue, interactive(workers));
    }
    assert_eq!(
        (start_next(&queue), start_next(&queue)),
        (Some(1), None),
        "the free worker stays free"
    );
    assert_eq!((queue.busy_workers(), queue.length()), (1, 3));
    finish(&queue, 1, Duration::ZERO);
    assert_eq!((start_next(&queue), start_next(&queue)), (Some(2), None));
    assert_eq!((queue.busy_workers(), queue.length()), (2, 2));
    finish(&queue, 2, Duration::ZERO);
    assert_eq!(
        (start_next(&queue), start_next(&queue), start_next(&queue)),
        (Some(1), Some(1), None)
    );
}

#[test]
fn the_number_of_workers_is_clamped_to_one_and_the_pool_size() {
    let queue = new_queue(3, 8, 0);
    push(&queue, interactive(99));
    push(&queue, interactive(0));
    assert_eq!((start_next(&queue), start_next(&queue)), (Some(3), None));
    finish(&queue, 3, Duration::ZERO);
    assert_eq!(start_next(&queue), Some(1));
}

#[test]
fn a_task_that_needs_more_workers_than_are_free_counts_as_waiting() {
    let queue = new_queue(2, 1, 0);
    push(&queue, interactive(1));
    assert_eq!(start_next(&queue), Some(1));
    let double = push(&queue, interactive(2));
    assert_eq!((queue.busy_workers(), queue.length()), (1, 1));
    rejection_retry_after(&queue);
    queue.remove(&double);
    push(&queue, interactive(1));
    assert_eq!(
        (queue.busy_workers(), queue.length()),
        (2, 0),
        "after its removal a smaller task runs"
    );
}

#[test]
fn a_batch_task_runs_after_four_interactive_ones() {
    let queue = new_queue(1, 100, 0);
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
            let queued = queue.lock().take_task().unwrap();
            finish(&queue, 1, Duration::ZERO);
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
    use std::sync::Mutex;

    let admissions = Arc::new(Mutex::new(Vec::new()));
    let queue = new_queue(1, 3, 0);
    for number in 0..4 {
        let admissions = admissions.clone();
        let record_admission =
            move |admission| admissions.lock().unwrap().push((number, admission));
        try_push(&queue, interactive(1), Task::new(record_admission)).unwrap();
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
    let queue = new_queue(1, 8, 0);
    push(&queue, interactive(1));
    start_next(&queue);
    let places: Vec<_> =
        (0..3).map(|_| push(&queue, from_client("bob", PriorityClass::Batch, 1))).collect();
    assert_eq!(queue.tasks_ahead(&places[2]), Some(2));
    for class in [PriorityClass::Interactive, PriorityClass::Batch] {
        queue.promote(&places[2], class, &Client::new("ann"));
        assert_eq!(
            (queue.tasks_ahead(&places[2]), queue.length_of(PriorityClass::Batch)),
            (Some(0), 2),
            "a task never moves to a less urgent class"
        );
    }
}

fn push_batch(queue: &Queue) -> Arc<TaskControl> {
    push(queue, from_client("bob", PriorityClass::Batch, 1))
}

/// A queue whose worker is busy and whose batch class is full.
fn full_batch_queue() -> (Queue, [Arc<TaskControl>; 2]) {
    let queue = new_queue(1, 2, 0);
    push(&queue, interactive(1));
    start_next(&queue);
    let places = [push_batch(&queue), push_batch(&queue)];
    (queue, places)
}

fn batch_waiter<'a>(queue: &'a Queue, client: &str) -> BatchWaiter<'a> {
    queue.batch_waiter(&Client::new(client))
}

/// `true` once the waiter may try again. The first call also enables it.
fn is_woken(woken: Pin<&mut Notified<'_>>) -> bool {
    woken.poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

#[test]
fn each_free_batch_place_wakes_one_waiter_of_a_client_in_order() {
    let (queue, places) = full_batch_queue();
    let (first_waiter, second_waiter) = (batch_waiter(&queue, "bob"), batch_waiter(&queue, "bob"));
    let mut second = pin!(second_waiter.woken());
    {
        let mut first = pin!(first_waiter.woken());
        assert!(!is_woken(first.as_mut()) && !is_woken(second.as_mut()));
        queue.remove(&places[0]);
        assert!(is_woken(first) && !is_woken(second.as_mut()));
    }
    push_batch(&queue);
    drop(first_waiter);
    assert!(!is_woken(second.as_mut()), "the first waiter has taken the place");
    queue.promote(&places[1], PriorityClass::Interactive, &Client::new("ann"));
    assert!(is_woken(second), "a promoted task frees its batch place");
}

#[test]
fn a_task_that_starts_frees_its_batch_place() {
    let (queue, _) = full_batch_queue();
    let waiter = batch_waiter(&queue, "bob");
    let mut woken = pin!(waiter.woken());
    assert!(!is_woken(woken.as_mut()));
    finish(&queue, 1, Duration::ZERO);
    assert!(is_woken(woken));
}

#[test]
fn a_batch_place_that_frees_before_the_wait_is_not_missed() {
    let (queue, places) = full_batch_queue();
    let waiter = batch_waiter(&queue, "bob");
    let mut woken = pin!(waiter.woken());
    assert!(!woken.as_mut().enable());
    queue.remove(&places[0]);
    assert!(is_woken(woken));
}

#[test]
fn a_waiter_that_is_dropped_or_takes_no_place_passes_its_wake_up_on() {
    let (queue, places) = full_batch_queue();
    let (bob, eve) = (batch_waiter(&queue, "bob"), batch_waiter(&queue, "eve"));
    let mut woken_bob = pin!(bob.woken());
    {
        let mut woken_eve = pin!(eve.woken());
        assert!(!is_woken(woken_bob.as_mut()) && !is_woken(woken_eve.as_mut()));
        queue.remove(&places[0]);
    }
    assert!(!is_woken(woken_bob.as_mut()));
    drop(eve);
    assert!(is_woken(woken_bob));
}

#[test]
fn the_waiter_of_the_client_with_the_fewest_tasks_is_woken_first() {
    let (queue, places) = full_batch_queue();
    let (bob, eve) = (batch_waiter(&queue, "bob"), batch_waiter(&queue, "eve"));
    let (mut woken_bob, mut woken_eve) = (pin!(bob.woken()), pin!(eve.woken()));
    assert!(!is_woken(woken_bob.as_mut()) && !is_woken(woken_eve.as_mut()));
    queue.remove(&places[0]);
    assert!(is_woken(woken_eve) && !is_woken(woken_bob));
}

#[test]
fn a_waiter_is_woken_once_it_may_evict_a_task_of_another_client() {
    let queue = new_queue(1, 2, 0);
    push(&queue, interactive(1));
    start_next(&queue);
    let eve = from_client("eve", PriorityClass::Batch, 1);
    let place = push(&queue, eve.clone());
    push_batch(&queue);
    let waiter = batch_waiter(&queue, "eve");
    let mut woken = pin!(waiter.woken());
    assert!(!is_woken(woken.as_mut()));
    queue.remove(&place);
    assert!(is_woken(woken), "there is a free place");
    let mut woken = pin!(waiter.woken());
    assert!(!is_woken(woken.as_mut()));
    push_batch(&queue);
    assert!(is_woken(woken), "the other client has two tasks more");
    assert!(
        try_push(&queue, eve, Task::new(|_| ())).is_ok(),
        "a task of the other client is evicted"
    );
}

#[test]
fn without_waiting_places_a_free_worker_wakes_a_batch_waiter() {
    let queue = new_queue(1, 0, 0);
    push(&queue, interactive(1));
    start_next(&queue);
    let waiter = batch_waiter(&queue, "bob");
    let mut woken = pin!(waiter.woken());
    assert!(!is_woken(woken.as_mut()));
    finish(&queue, 1, Duration::ZERO);
    assert!(is_woken(woken));
}

#[test]
fn a_closed_queue_wakes_every_batch_waiter() {
    let (queue, _) = full_batch_queue();
    let waiters = ["bob", "bob", "eve"].map(|client| batch_waiter(&queue, client));
    let mut woken = waiters.each_ref().map(|waiter| Box::pin(waiter.woken()));
    assert!(woken.iter_mut().all(|woken| !is_woken(woken.as_mut())));
    queue.close();
    assert!(woken.iter_mut().all(|woken| is_woken(woken.as_mut())));
}
