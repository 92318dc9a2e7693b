//! Tests of the order of a class.

use std::sync::Arc;

use super::super::control::TaskControl;
use super::super::task::{QueuedWork, Submitter, Task};
use super::*;
use crate::analysis::request::PriorityClass;

fn queued_work(client: &str, workers: usize, work: QueuedWork) -> QueuedTask {
    let client = Client::new(client);
    let control = Arc::new(TaskControl::new(client.clone()));
    let class = PriorityClass::Interactive;
    let submitter = Submitter { client, class, workers, is_unlimited: false };
    QueuedTask::new(submitter, control, work)
}

fn queued_task(client: &str, workers: usize) -> QueuedTask {
    queued_work(client, workers, QueuedWork::Start(Task::new(|_| ())))
}

fn class_queue() -> ClassQueue {
    ClassQueue::new(Duration::from_millis(500))
}

fn pop_next(queue: &mut ClassQueue) -> Option<QueuedTask> {
    let (tag, _) = queue.next(|_, _| true)?;
    queue.pop(tag)
}

fn drain_order(queue: &mut ClassQueue) -> String {
    std::iter::from_fn(|| pop_next(queue)).map(|queued| queued.client().to_string()).collect()
}

#[test]
fn clients_take_turns_however_much_one_of_them_submits() {
    let mut queue = class_queue();
    for client in "aaaaabbc".chars() {
        queue.push(queued_task(&client.to_string(), 1));
    }
    assert_eq!(drain_order(&mut queue), "abcabaaa");
}

#[test]
fn a_late_client_does_not_wait_behind_the_backlog_of_another() {
    let mut queue = class_queue();
    for _ in 0..5 {
        queue.push(queued_task("a", 1));
    }
    pop_next(&mut queue);
    pop_next(&mut queue);
    queue.push(queued_task("b", 1));
    queue.push(queued_task("b", 1));
    assert_eq!(drain_order(&mut queue), "babaa");
}

#[test]
fn a_task_for_several_workers_counts_as_several() {
    let mut queue = class_queue();
    for (client, workers) in [("a", 3), ("a", 1), ("b", 1), ("b", 1), ("b", 1), ("b", 1)] {
        queue.push(queued_task(client, workers));
    }
    assert_eq!(drain_order(&mut queue), "abbbab");
}

#[test]
fn the_newest_task_of_the_busiest_client_is_evicted() {
    let mut queue = class_queue();
    let tags: Vec<_> =
        ["a", "a", "a", "b"].map(|client| queue.push(queued_task(client, 1))).to_vec();
    let evicted = queue.evict_newest(&Client::new("c")).unwrap();
    assert_eq!(evicted.client().to_string(), "a");
    assert_eq!(
        tags.iter().map(|&tag| queue.tasks_before(tag)).collect::<Vec<_>>(),
        [Some(0), Some(2), None, Some(1)]
    );
    assert!(
        queue.evict_newest(&Client::new("a")).is_none(),
        "its own new task would be the newest"
    );
    assert!(
        queue.evict_newest(&Client::new("b")).is_none(),
        "with two tasks each, the new one is the third"
    );
}

#[test]
fn a_new_task_comes_before_paused_ones() {
    let mut queue = class_queue();
    for client in ["a", "b", "c"] {
        queue.push(queued_task(client, 1));
    }
    for client in ["a", "b", "c"] {
        assert_eq!(pop_next(&mut queue).unwrap().client().to_string(), client);
        queue.charge(&Client::new(client), 1, Duration::from_millis(500), true);
        queue.push(queued_work(client, 1, QueuedWork::Continue));
    }
    for _ in 0..6 {
        queue.push(queued_task("d", 1));
    }
    assert_eq!(drain_order(&mut queue), "ddaddddbc", "one of the others continues in between");
}

#[test]
fn the_time_of_a_task_moves_the_next_one_of_its_client_by_a_bounded_amount() {
    let mut queue = class_queue();
    queue.push(queued_task("a", 1));
    queue.push(queued_task("b", 1));
    pop_next(&mut queue);
    queue.charge(&Client::new("a"), 2, Duration::from_secs(3_600), true);
    let tag = queue.push(queued_task("a", 1));
    assert_eq!(tag.start, 1 + 2 * MAX_CHARGE);
}

#[test]
fn a_client_with_many_paused_tasks_gets_no_more_turns_than_others() {
    let mut queue = class_queue();
    for client in ["a", "a", "a", "a", "a", "b", "c"] {
        queue.push(queued_work(client, 1, QueuedWork::Continue));
    }
    let mut turns = String::new();
    for _ in 0..60 {
        let client = pop_next(&mut queue).unwrap().client().to_string();
        queue.charge(&Client::new(&client), 1, Duration::from_millis(500), false);
        queue.push(queued_work(&client, 1, QueuedWork::Continue));
        turns += &client;
    }
    for client in ["a", "b", "c"] {
        let turns = turns.matches(client).count();
        assert!((17..=24).contains(&turns), "{client} has {turns} of 60 turns");
    }
}

#[test]
fn new_tasks_of_others_take_no_turns_from_a_paused_task() {
    let mut queue = class_queue();
    for client in ["a", "a", "a", "a", "a", "b"] {
        queue.push(queued_work(client, 1, QueuedWork::Continue));
    }
    let mut turns = String::new();
    for _ in 0..100 {
        queue.push(queued_task("a", 1));
        let queued = pop_next(&mut queue).unwrap();
        let client = queued.client().clone();
        let time = Duration::from_millis(if queued.has_run() { 500 } else { 50 });
        queue.charge(&client, 1, time, !queued.has_run());
        if queued.has_run() {
            queue.push(queued_work(&client.to_string(), 1, QueuedWork::Continue));
            turns += &client.to_string();
        }
    }
    let of_b = turns.matches('b').count();
    assert!(turns.len() >= 20 && 2 * of_b >= turns.len(), "{turns}");
}

#[test]
fn tasks_with_short_first_slices_take_no_turns_from_a_paused_task() {
    let mut queue = class_queue();
    for client in ["a", "a", "a", "a", "a", "b"] {
        queue.push(queued_task(client, 1));
    }
    for _ in 0..6 {
        let client = pop_next(&mut queue).unwrap().client().clone();
        queue.charge(&client, 1, Duration::from_millis(50), true);
        queue.push(queued_work(&client.to_string(), 1, QueuedWork::Continue));
    }
    let order = drain_order(&mut queue);
    assert!(order.find('b') <= Some(1), "{order}");
}

#[test]
fn a_paused_task_that_is_removed_does_not_delay_the_next_of_its_client() {
    let mut queue = class_queue();
    queue.push(queued_work("a", 1, QueuedWork::Continue));
    let tag = queue.push(queued_work("b", 1, QueuedWork::Continue));
    queue.remove(tag);
    assert_eq!(queue.push(queued_work("b", 1, QueuedWork::Continue)).start, tag.start);
}

#[test]
fn a_late_client_does_not_wait_for_backlogs_after_a_task_that_ran_out_of_turn() {
    let mut queue = class_queue();
    for _ in 0..10 {
        queue.push(queued_task("a", 1));
        queue.push(queued_task("b", 1));
    }
    queue.charge(&Client::new("c"), 1, Duration::from_millis(500), true);
    let out_of_turn = queue.push(queued_task("c", 1));
    queue.pop(out_of_turn);
    queue.push(queued_task("d", 1));
    let order = drain_order(&mut queue);
    assert!(order.find('d') <= Some(2), "{order}");
}

#[test]
fn slices_of_a_long_task_do_not_delay_new_tasks_of_its_client() {
    let mut queue = class_queue();
    queue.push(queued_task("b", 1));
    for _ in 0..100 {
        queue.charge(&Client::new("a"), 1, Duration::from_millis(500), false);
        queue.push(queued_task("b", 1));
        pop_next(&mut queue);
    }
    for _ in 0..3 {
        queue.push(queued_task("b", 1));
    }
    queue.push(queued_task("a", 1));
    let order = drain_order(&mut queue);
    assert!(order.find('a') <= Some(2), "{order}");
}

#[test]
fn a_paused_task_is_not_evicted() {
    let mut queue = class_queue();
    for _ in 0..3 {
        queue.push(queued_work("a", 1, QueuedWork::Continue));
    }
    assert_eq!((queue.len(), queue.new_tasks()), (3, 0));
    assert!(queue.evict_newest(&Client::new("b")).is_none());
}

#[test]
fn an_eviction_refunds_the_evicted_task_but_not_the_time_of_another() {
    let mut queue = class_queue();
    for client in ["a", "a", "a", "a", "b"] {
        queue.push(queued_task(client, 2));
    }
    assert_eq!(queue.evict_newest(&Client::new("b")).unwrap().client().to_string(), "a");
    assert_eq!(queue.start_of(&Client::new("a"), false), 6, "it pays for three tasks");
    pop_next(&mut queue);
    queue.charge(&Client::new("a"), 2, Duration::from_millis(500), true);
    assert_eq!(queue.evict_newest(&Client::new("c")).unwrap().client().to_string(), "a");
    assert_eq!(queue.start_of(&Client::new("a"), false), 4 + 2 * 50);
}

#[test]
fn inactive_clients_are_forgotten_beyond_a_bound() {
    let mut queue = class_queue();
    queue.push(queued_task("heavy", 1));
    queue.push(queued_task("heavy", 1));
    for number in 0..3 * MAX_INACTIVE_CLIENTS {
        let tag = queue.push(queued_task(&number.to_string(), 1));
        queue.remove(tag);
    }
    assert!(queue.clients.len() <= MAX_INACTIVE_CLIENTS + 1, "{}", queue.clients.len());
    drain_order(&mut queue);
    assert!(queue.clients.is_empty());
}
