//! The counts of the queue, compared with a recount after each of many random changes.

use std::collections::HashMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::class_queue::ClassQueue;
use super::super::clock::simulation::SimulatedTime;
use super::*;

const CLASSES: [PriorityClass; 2] = [PriorityClass::Interactive, PriorityClass::Batch];

/// A change of the queue. Tasks count from the newest.
#[derive(Clone, Debug)]
enum Change {
    Push { client: usize, class: usize, workers: usize },
    Join { task: usize, client: usize, class: usize },
    Leave { task: usize, client: usize },
    Start,
    Finish { task: usize },
    EndSlice { task: usize },
    Requeue { task: usize },
    Remove { task: usize },
    Pass { milliseconds: u64 },
}

fn change() -> impl Strategy<Value = Change> {
    let (task, client, class) = (0_usize..20, 0_usize..12, 0_usize..2);
    let of_client = (task.clone(), client.clone(), class.clone());
    prop_oneof![
        4 => (client.clone(), class, 1_usize..=3)
            .prop_map(|(client, class, workers)| Change::Push { client, class, workers }),
        6 => of_client.prop_map(|(task, client, class)| Change::Join { task, client, class }),
        6 => (task.clone(), client).prop_map(|(task, client)| Change::Leave { task, client }),
        3 => Just(Change::Start),
        1 => task.clone().prop_map(|task| Change::Finish { task }),
        3 => task.clone().prop_map(|task| Change::EndSlice { task }),
        2 => task.clone().prop_map(|task| Change::Requeue { task }),
        1 => task.prop_map(|task| Change::Remove { task }),
        2 => (0_u64..700).prop_map(|milliseconds| Change::Pass { milliseconds }),
    ]
}

fn client(number: usize) -> Client {
    Client::new(&format!("client {number}"))
}

/// Changes the queue. `tasks` has the controls of all tasks, the newest first.
fn apply(change: &Change, queue: &Queue, tasks: &mut Vec<Arc<TaskControl>>, clock: &SimulatedTime) {
    let find = |task: usize| tasks.get(task).cloned();
    match *change {
        Change::Push { client: number, class, workers } => {
            let (client, class) = (client(number), CLASSES[class]);
            let submitter = Submitter { client, class, workers, is_unlimited: false };
            tasks.splice(0..0, try_push(queue, submitter, Task::new(|_| ())).ok());
        }
        Change::Join { task, client: number, class } => {
            if let Some(control) = find(task) {
                control.add_client(&client(number));
                queue.promote(&control, CLASSES[class], &client(number));
            }
        }
        Change::Leave { task, client: number } => {
            find(task).inspect(|control| queue.leave(control, &client(number)));
        }
        Change::Start => drop(queue.lock().take_task()),
        Change::Finish { task } => {
            find(task).inspect(|control| queue.finish_task(control, Duration::ZERO));
        }
        Change::EndSlice { task } => queue.lock().end_slices(find(task).into_iter().collect()),
        Change::Requeue { task } => {
            let is_restarting = |control: &Arc<TaskControl>| {
                queue.lock().running_mut(control).is_some_and(|running| running.is_restarting)
            };
            find(task)
                .filter(is_restarting)
                .inspect(|control| queue.requeue(control, Task::new(|_| ())));
        }
        Change::Remove { task } => {
            find(task).inspect(|control| queue.remove(control));
        }
        Change::Pass { milliseconds } => clock.pass(Duration::from_millis(milliseconds)),
    }
}

/// The tasks of a class by client: all, and those that have not run.
fn recount(queue: &ClassQueue) -> HashMap<Client, (usize, usize)> {
    let mut counts = HashMap::new();
    for (_, queued) in queue.tasks() {
        let (waiting, new): &mut (usize, usize) =
            counts.entry(queued.client().clone()).or_default();
        *waiting += 1;
        *new += usize::from(!queued.has_run());
    }
    counts
}

/// `true` if a client waits for the task, or so many do that not all are remembered.
fn may_own(client: &Client, control: &TaskControl) -> bool {
    control.has_client(client) || control.clients().len() >= 8
}

fn check(queue: &Queue, tasks: &[Arc<TaskControl>]) -> Result<(), TestCaseError> {
    let state = queue.lock();
    let mut waiting_clients: HashMap<Client, usize> = HashMap::new();
    for class in CLASSES {
        let class_queue = state.class_queue(class);
        let counts = recount(class_queue);
        let new: usize = counts.values().map(|count| count.1).sum();
        prop_assert_eq!(class_queue.new_tasks(), new);
        for (client, (waiting, _)) in &counts {
            *waiting_clients.entry(client.clone()).or_default() += waiting;
        }
        prop_assert_eq!(class_queue.client_counts(), counts);
        for (tag, queued) in class_queue.tasks() {
            let place = queued.control.place().map(|place| (place.class, place.start_tag));
            prop_assert_eq!(place, Some((class, *tag)));
            prop_assert!(may_own(queued.client(), &queued.control), "{:?}", queued.client());
        }
    }
    prop_assert_eq!(&state.waiting_clients, &waiting_clients);
    let waiting = || CLASSES.into_iter().flat_map(|class| state.class_queue(class).tasks());
    let workers = |is_counted: fn(&QueuedTask) -> bool| -> usize {
        waiting().filter(|(_, queued)| is_counted(queued)).map(|(_, queued)| queued.workers()).sum()
    };
    prop_assert_eq!(state.wanted_workers, workers(|_| true));
    prop_assert_eq!(state.paused_workers, workers(QueuedTask::is_paused));
    let busy: usize = state.running.iter().map(|running| running.submitter.workers).sum();
    prop_assert_eq!(state.free_workers + busy, state.workers);
    for running in &state.running {
        prop_assert!(may_own(&running.submitter.client, &running.control));
    }
    let placed = tasks.iter().filter(|control| control.place().is_some()).count();
    prop_assert_eq!(placed, waiting().count(), "no task is lost");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500,
        failure_persistence: None,
        // Each run tests the same cases.
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_counts_equal_a_recount_whatever_happens(
        workers in 1_usize..=3,
        capacity in 2_usize..8,
        changes in prop::collection::vec(change(), 1..150),
    ) {
        let clock = SimulatedTime::start();
        let (queue, mut tasks) = (new_queue(workers, capacity, 0), Vec::new());
        for change in &changes {
            apply(change, &queue, &mut tasks, &clock);
            check(&queue, &tasks)?;
        }
    }
}
