//! Tests of tasks for which several clients wait.

use std::sync::mpsc;
use std::thread;

use super::super::clock::{self, simulation::SimulatedTime};
use super::super::slices::SlicePlan;
use super::*;

fn join(queue: &Queue, control: &TaskControl, client: &str) {
    let client = Client::new(client);
    control.add_client(&client);
    queue.promote(control, PriorityClass::Interactive, &client);
}

fn leave(queue: &Queue, control: &TaskControl, client: &str) {
    queue.leave(control, &Client::new(client));
}

/// A queue whose worker is busy, with five waiting tasks of one client, new or paused.
fn queue_with_five_tasks(has_run: bool, clock: &SimulatedTime) -> (Queue, Vec<Arc<TaskControl>>) {
    let queue = new_queue(5, 64, 0);
    let tasks: Vec<_> = (0..5).map(|_| push(&queue, interactive(1))).collect();
    if has_run {
        while start_next(&queue).is_some() {}
        clock.pass(SLICE);
        end_slices(&queue, tasks.clone());
    }
    (queue, tasks)
}

/// Where the next tasks of these clients start.
fn next_starts(queue: &Queue, clients: &[Client], has_run: bool) -> Vec<u64> {
    let state = queue.lock();
    clients.iter().map(|client| state.interactive.start_of(client, has_run)).collect()
}

#[test]
fn joining_and_leaving_a_task_delays_no_task_of_its_client() {
    let clock = SimulatedTime::start();
    for has_run in [false, true] {
        let (queue, tasks) = queue_with_five_tasks(has_run, &clock);
        let places = || tasks.iter().map(|task| task.place().unwrap().start_tag);
        let clients = ["ann", "eve 0", "eve 1", "eve 2"].map(Client::new);
        let starts = || next_starts(&queue, &clients, has_run);
        let (places_before, starts_before) = (places().collect::<Vec<_>>(), starts());
        for number in 0..100 {
            let eve = format!("eve {}", number % 3);
            for task in &tasks {
                join(&queue, task, &eve);
                leave(&queue, task, &eve);
            }
        }
        for (place, before) in places().zip(places_before) {
            assert!(place <= before, "{place:?} after, {before:?} before");
        }
        assert!(starts()[0] <= starts_before[0], "has run: {has_run}");
        assert_eq!(
            starts().iter().sum::<u64>(),
            starts_before.iter().sum::<u64>(),
            "each task is paid for once, has run: {has_run}"
        );
    }
}

#[test]
fn joining_and_leaving_a_backlog_does_not_put_it_before_others() {
    let _clock = SimulatedTime::start();
    let queue = new_queue(1, 64, 0);
    push(&queue, from_client("cid", PriorityClass::Interactive, 1));
    assert!(start_next(&queue).is_some());
    for _ in 0..30 {
        let task = push(&queue, from_client("bob", PriorityClass::Interactive, 1));
        join(&queue, &task, "eve");
        leave(&queue, &task, "eve");
    }
    let of_ann = push(&queue, interactive(1));
    assert!(queue.tasks_ahead(&of_ann) <= Some(2), "{:?}", queue.tasks_ahead(&of_ann));
}

#[test]
fn a_batch_task_is_not_delayed_by_an_interactive_client_with_a_backlog() {
    let _clock = SimulatedTime::start();
    for leaves in [false, true] {
        let queue = new_queue(1, 64, 0);
        push(&queue, from_client("cid", PriorityClass::Interactive, 1));
        assert!(start_next(&queue).is_some());
        for _ in 0..30 {
            push(&queue, from_client("eve", PriorityClass::Interactive, 1));
        }
        let of_ann = push(&queue, from_client("ann", PriorityClass::Batch, 1));
        join(&queue, &of_ann, "eve");
        if leaves {
            leave(&queue, &of_ann, "eve");
        }
        assert!(queue.tasks_ahead(&of_ann) <= Some(1), "{:?}", queue.tasks_ahead(&of_ann));
    }
}

#[test]
fn nobody_pays_for_an_evicted_task() {
    let _clock = SimulatedTime::start();
    let queue = new_queue(1, 4, 0);
    push(&queue, from_client("bob", PriorityClass::Interactive, 1));
    assert!(start_next(&queue).is_some());
    for _ in 0..3 {
        let task = push(&queue, interactive(1));
        join(&queue, &task, "eve");
        leave(&queue, &task, "ann");
    }
    push(&queue, from_client("cid", PriorityClass::Interactive, 1));
    let clients = ["ann", "eve"].map(Client::new);
    let paid = || next_starts(&queue, &clients, false).iter().sum::<u64>();
    assert_eq!(paid(), 3);
    push(&queue, from_client("dan", PriorityClass::Interactive, 1));
    assert_eq!(paid(), 2, "one of the three was evicted");
}

#[test]
fn a_task_belongs_to_a_client_that_waits_for_it() {
    let _clock = SimulatedTime::start();
    for is_running in [false, true] {
        let queue = new_queue(1, 64, 0);
        if !is_running {
            push(&queue, from_client("cid", PriorityClass::Interactive, 1));
            assert!(start_next(&queue).is_some());
        }
        let task = push(&queue, interactive(1));
        assert_eq!(start_next(&queue).is_some(), is_running);
        let owner = || {
            let state = queue.lock();
            match task.place() {
                Some(place) => state.interactive.get(place.start_tag).unwrap().client().clone(),
                None => state.running[0].submitter.client.clone(),
            }
        };
        // More clients than are remembered.
        let others: Vec<String> = (1..=8).map(|number| number.to_string()).collect();
        others.iter().for_each(|client| join(&queue, &task, client));
        others.iter().take(7).for_each(|client| leave(&queue, &task, client));
        leave(&queue, &task, "ann");
        join(&queue, &task, "new");
        assert_eq!(owner(), Client::new("new"), "running: {is_running}");
    }
}

#[test]
fn a_task_passes_on_when_a_client_beyond_the_remembered_ones_leaves_it() {
    let _clock = SimulatedTime::start();
    let queue = new_queue(1, 64, 0);
    push(&queue, from_client("cid", PriorityClass::Interactive, 1));
    assert!(start_next(&queue).is_some());
    push(&queue, interactive(1));
    let task = push(&queue, interactive(1));
    (1..=7).for_each(|number| join(&queue, &task, &number.to_string()));
    // Its start is earlier than those of all others.
    for number in 1..=7 {
        push(&queue, from_client(&number.to_string(), PriorityClass::Interactive, 1));
    }
    join(&queue, &task, "zed");
    leave(&queue, &task, "zed");
    let state = queue.lock();
    let owner = state.interactive.get(task.place().unwrap().start_tag).unwrap().client();
    assert!(task.has_client(owner), "{owner:?} has left");
    assert!(!state.waiting_clients.contains_key(&Client::new("zed")));
}

/// Two workers and a thread that ends slices serve the queue.
fn serve(queue: &Arc<Queue>) {
    let slicer = queue.clone();
    thread::spawn(move || slicer.run_slicer());
    for _ in 0..2 {
        let queue = queue.clone();
        thread::spawn(move || {
            while let Some(Work::Task(StartedTask { control, task })) = queue.next_work() {
                task.run(Admission::Admitted);
                queue.finish_task(&control, Duration::ZERO);
            }
        });
    }
}

/// Queues a task that runs until it is stopped.
fn push_endless(queue: &Queue, submitter: Submitter) -> Arc<TaskControl> {
    let control = Arc::new(TaskControl::new(submitter.client.clone()));
    let stopped = control.clone();
    let task = Task::new(move |admission: Admission| {
        while admission == Admission::Admitted && !stopped.is_stopped() {
            thread::sleep(Duration::from_millis(1));
        }
    });
    queue.push(submitter, &control, task).unwrap().reject();
    control
}

#[test]
fn joining_and_leaving_a_running_task_wakes_the_worker_of_the_next_task() {
    for joins in [false, true] {
        // No slice ends, however slow the machine is: the endless tasks do not pause.
        let queue = Arc::new(Queue::new(2, 64, 0, Duration::from_secs(3_600)));
        serve(&queue);
        let running = push_endless(&queue, interactive(1));
        while queue.length() > 0 || queue.busy_workers() == 0 {
            thread::sleep(Duration::from_millis(1));
        }
        // One worker stays free for a task that needs two, until the shares of the clients change.
        let (sender, started) = mpsc::channel();
        let waiting_client = if joins { "eve" } else { "ann" };
        if !joins {
            join(&queue, &running, "bob");
        }
        let class = if joins { PriorityClass::Interactive } else { PriorityClass::Batch };
        push_endless(&queue, from_client(if joins { "bob" } else { "cid" }, class, 2));
        let submitter = from_client(waiting_client, PriorityClass::Interactive, 1);
        let send = Task::new(move |_: Admission| sender.send(()).unwrap());
        try_push(&queue, submitter, send).unwrap();
        assert!(started.recv_timeout(Duration::from_millis(50)).is_err(), "it waits, {joins}");
        if joins {
            join(&queue, &running, "bob");
        } else {
            leave(&queue, &running, "ann");
        }
        let result = started.recv_timeout(Duration::from_secs(20));
        running.stop();
        queue.close();
        assert!(result.is_ok(), "a free worker sleeps, joins: {joins}");
    }
}

#[test]
fn a_task_that_its_first_client_has_left_keeps_nobody_waiting() {
    let clock = SimulatedTime::start();
    let queue = new_queue(1, 8, 0);
    push(&queue, from_client("eve", PriorityClass::Interactive, 1));
    assert!(start_next(&queue).is_some());
    let left = push(&queue, from_client("bob", PriorityClass::Interactive, 1));
    join(&queue, &left, "eve");
    queue.leave(&left, &Client::new("bob"));
    let of_ann = push(&queue, interactive(1));
    clock.pass(SLICE);
    let plan = queue.lock().plan_slices(clock::now(), SLICE);
    let SlicePlan::GiveWay { next, .. } = plan else { panic!("nothing gives way") };
    assert!(Arc::ptr_eq(&next, &of_ann));
}

#[test]
fn a_client_that_has_left_a_shared_search_may_start_others() {
    let clock = SimulatedTime::start();
    for leaves_late in [false, true] {
        let queue = new_queue(1, 8, 0);
        let (bob, eve) = (Client::new("bob"), Client::new("eve"));
        let shared = push(&queue, from_client("bob", PriorityClass::Interactive, 1));
        assert!(start_next(&queue).is_some());
        let pause_for_ann = || {
            push(&queue, interactive(1));
            clock.pass(SLICE);
            end_slices(&queue, vec![shared.clone()]);
            let of_ann = queue.lock().take_task().unwrap();
            queue.finish_task(&of_ann.control, Duration::ZERO);
        };
        join(&queue, &shared, "eve");
        if leaves_late {
            pause_for_ann();
            queue.leave(&shared, &bob);
        } else {
            queue.leave(&shared, &bob);
            pause_for_ann();
        }
        push(&queue, from_client("bob", PriorityClass::Interactive, 1));
        let next = queue.lock().take_task().unwrap();
        assert_eq!(*next.client(), bob, "a paused task of eve does not delay bob");
        queue.finish_task(&next.control, Duration::ZERO);
        assert_eq!(*queue.lock().take_task().unwrap().client(), eve);
    }
}
