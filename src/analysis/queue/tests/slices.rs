//! Tests of time slices and of the order after them.

use super::super::clock::{self, simulation::SimulatedTime};
use super::super::slices::SlicePlan;
use super::super::state::MAX_BATCH_WAIT_SLICES;
use super::*;

#[test]
fn a_prepared_task_that_is_removed_is_forgotten() {
    let queue = new_queue(1, 8, 0);
    let prepare = |control: &Arc<TaskControl>| {
        queue.lock().prepared_task = Some(control.clone());
    };
    let removed = push(&queue, interactive(1));
    prepare(&removed);
    queue.remove(&removed);
    assert!(queue.lock().prepared_task.is_none(), "its control is dropped");
    let prepared = push(&queue, interactive(1));
    prepare(&prepared);
    queue.close();
    assert!(queue.lock().prepared_task.is_none());
}

#[test]
fn a_promoted_task_stays_the_prepared_one() {
    let queue = new_queue(1, 8, 0);
    push(&queue, interactive(1));
    let prepared = push_batch(&queue);
    queue.lock().prepared_task = Some(prepared.clone());
    queue.promote(&prepared, PriorityClass::Interactive, &Client::new("eve"));
    let started = queue.lock().take_task().unwrap();
    assert!(Arc::ptr_eq(&started.control, &prepared), "others have given way for it");
    assert!(queue.lock().prepared_task.is_none());
}

#[test]
fn a_batch_task_for_all_workers_starts_beside_a_stream_of_interactive_ones() {
    let clock = SimulatedTime::start();
    let queue = new_queue(2, 8, 0);
    push(&queue, from_client("bob", PriorityClass::Batch, 2));
    push(&queue, from_client("eve", PriorityClass::Batch, 2));
    push(&queue, interactive(1));
    for client in ["bob", "eve"] {
        let mut waited = Duration::ZERO;
        loop {
            // One of them waits at any time.
            push(&queue, interactive(1));
            let workers = start_next(&queue).unwrap();
            finish(&queue, workers, Duration::ZERO);
            if workers == 2 {
                break;
            }
            clock.pass(SLICE / 4);
            waited += SLICE / 4;
            assert!(waited <= MAX_BATCH_WAIT_SLICES * SLICE, "{client}");
        }
        assert_eq!(waited, MAX_BATCH_WAIT_SLICES * SLICE, "{client}");
    }
}

#[test]
fn a_task_that_waits_for_its_own_client_keeps_nobody_waiting() {
    let clock = SimulatedTime::start();
    for class in [PriorityClass::Interactive, PriorityClass::Batch] {
        let queue = new_queue(4, 8, 0);
        push(&queue, from_client("bob", PriorityClass::Interactive, 1));
        assert_eq!(start_next(&queue), Some(1));
        push(&queue, from_client("bob", class, 4));
        // So long that a batch task for all workers goes before interactive ones.
        clock.pass(2 * MAX_BATCH_WAIT_SLICES * SLICE);
        for _ in 0..3 {
            push(&queue, from_client("ann", PriorityClass::Interactive, 1));
            assert_eq!(start_next(&queue), Some(1), "{class:?}");
        }
        (0..4).for_each(|_| finish(&queue, 1, Duration::ZERO));
        assert_eq!(start_next(&queue), Some(4), "{class:?}");
    }
}

#[test]
fn a_new_client_goes_before_the_backlog_of_others_after_a_pause() {
    let queue = new_queue(1, 64, 0);
    for client in ["bob", "eve"] {
        for _ in 0..7 {
            push(&queue, from_client(client, PriorityClass::Interactive, 1));
        }
    }
    // Several tasks start and pause, so that tasks that have run continue after new ones.
    for _ in 0..12 {
        assert!(start_next(&queue).is_some());
        let running = |running: &RunningTask| running.control.clone();
        let running = queue.lock().running.iter().map(running).collect();
        end_slices(&queue, running);
    }
    push(&queue, from_client("ann", PriorityClass::Interactive, 1));
    let before = (0..3).find(|_| {
        let started = queue.lock().take_task().unwrap();
        let is_ann = started.client() == &Client::new("ann");
        queue.finish_task(&started.control, Duration::ZERO);
        is_ann
    });
    assert!(before.is_some(), "three tasks of others start before");
}

#[test]
fn a_client_that_joins_a_waiting_task_is_not_held_to_the_share_of_another() {
    let clock = SimulatedTime::start();
    let queue = new_queue(2, 8, 0);
    for _ in 0..2 {
        push(&queue, from_client("bob", PriorityClass::Interactive, 1));
    }
    while start_next(&queue).is_some() {}
    let joined = push(&queue, from_client("bob", PriorityClass::Interactive, 1));
    clock.pass(SLICE);
    let gives_way = || {
        let state = queue.lock();
        matches!(state.plan_slices(clock::now(), SLICE), SlicePlan::GiveWay { .. })
    };
    assert!(!gives_way(), "a client's tasks don't give way to its own");
    joined.add_client(&Client::new("ann"));
    queue.promote(&joined, PriorityClass::Interactive, &Client::new("ann"));
    assert!(gives_way());
}

#[test]
fn a_small_capacity_does_not_keep_out_a_new_client() {
    let clock = SimulatedTime::start();
    let queue = new_queue(1, 2, 0);
    for number in 0..6 {
        push(&queue, from_client(&format!("hog {number}"), PriorityClass::Interactive, 1));
        if queue.lock().free_workers == 0 {
            clock.pass(SLICE);
            let plan = queue.lock().plan_slices(clock::now(), SLICE);
            let SlicePlan::GiveWay { tasks, .. } = plan else { panic!("client {number} waits") };
            end_slices(&queue, tasks);
        }
        assert!(start_next(&queue).is_some(), "client {number}");
    }
}

#[test]
fn the_number_of_tasks_that_wait_to_continue_is_bounded() {
    let clock = SimulatedTime::start();
    let (capacity, clients) = (4, 20);
    let queue = new_queue(1, capacity, 0);
    let classes = [PriorityClass::Interactive, PriorityClass::Batch];
    let numbers = (0..clients).flat_map(|number| classes.map(|class| (number, class)));
    // Each client has one task of each class, none of which ends.
    let mut missing: Vec<_> = numbers.collect();
    let mut most = 0;
    for _ in 0..1_000 {
        missing.retain(|&(number, class)| {
            let submitter = from_client(&format!("client {number}"), class, 1);
            try_push(&queue, submitter, Task::new(|_| ())).is_err()
        });
        while start_next(&queue).is_some() {}
        clock.pass(SLICE);
        let plan = queue.lock().plan_slices(clock::now(), SLICE);
        if let SlicePlan::GiveWay { tasks, next } = plan {
            end_slices(&queue, tasks);
            queue.lock().prepared_task = Some(next);
        }
        most = most.max(queue.lock().tasks_to_continue());
    }
    assert!((clients - 1..=capacity + clients).contains(&most), "{most} tasks wait to continue");
}

#[test]
fn a_client_with_started_tasks_starts_no_more_than_its_part_of_the_places() {
    let clock = SimulatedTime::start();
    let capacity = 21;
    let queue = new_queue(1, capacity, 0);
    push(&queue, interactive(1));
    for _ in 0..capacity {
        push(&queue, from_client("eve", PriorityClass::Interactive, 1));
    }
    for _ in 0..100 {
        while start_next(&queue).is_some() {}
        clock.pass(SLICE);
        let plan = queue.lock().plan_slices(clock::now(), SLICE);
        if let SlicePlan::GiveWay { tasks, .. } = plan {
            end_slices(&queue, tasks);
        }
    }
    let state = queue.lock();
    let started = capacity + 1 - state.interactive.new_tasks();
    assert!((3..=1 + capacity / 7 + 1).contains(&started), "{started} tasks have started");
}
