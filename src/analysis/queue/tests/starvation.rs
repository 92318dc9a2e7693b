//! Random load of several clients, beside which the search of a new client must start soon.

use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::clock::{self, simulation::SimulatedTime};
use super::super::slices::SlicePlan;
use super::super::state::State;
use super::*;

/// After this time a task counts as one that never starts.
const NEVER: Duration = Duration::from_secs(60);

/// The number of clients that submit the load.
const BUSY_CLIENTS: usize = 5;

/// The number of clients that come back with a short search from time to time.
const RETURNING_CLIENTS: usize = 2;

/// A change of the load.
#[derive(Clone, Debug)]
enum Step {
    /// A client submits tasks.
    Push { busy: usize, load: Load, tasks: usize },
    /// A client joins one of the tasks, which counts from the oldest.
    Join { busy: usize, task: usize },
    /// One of the clients of a task leaves.
    Leave { task: usize, client: usize },
    /// A client leaves all its tasks, and comes back with a short search.
    Return { client: Client, time: Duration },
    /// Time passes.
    Pass { time: Duration },
}

/// Tasks that a client submits.
#[derive(Clone, Copy, Debug)]
struct Load {
    kind: Kind,
    workers: usize,
    /// The time for which a task runs; `None` for one that does not end by itself.
    time: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Search,
    Unlimited,
    Batch,
}

fn milliseconds(range: Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

fn load() -> impl Strategy<Value = Load> {
    let kind = prop_oneof![Just(Kind::Search), Just(Kind::Unlimited), Just(Kind::Batch)];
    let time = prop_oneof![
        2 => Just(None),
        1 => milliseconds(1..100).prop_map(Some),
        1 => milliseconds(100..3_000).prop_map(Some),
    ];
    (kind, 1_usize..=4, time).prop_map(|(kind, workers, time)| Load { kind, workers, time })
}

fn step() -> impl Strategy<Value = Step> {
    let push = |tasks: Range<usize>| {
        (0..BUSY_CLIENTS, load(), tasks).prop_map(|(busy, load, tasks)| Step::Push {
            busy,
            load,
            tasks,
        })
    };
    let task = 0_usize..40;
    let client = prop_oneof![
        (0..BUSY_CLIENTS).prop_map(busy_client),
        (0..RETURNING_CLIENTS).prop_map(|number| Client::new(&format!("returning {number}"))),
    ];
    prop_oneof![
        6 => push(1..2),
        1 => push(2..24),
        3 => (0..BUSY_CLIENTS, task.clone()).prop_map(|(busy, task)| Step::Join { busy, task }),
        3 => (task, 0..BUSY_CLIENTS).prop_map(|(task, client)| Step::Leave { task, client }),
        1 => (client, milliseconds(1..500))
            .prop_map(|(client, time)| Step::Return { client, time }),
        3 => milliseconds(0..1_250).prop_map(|time| Step::Pass { time }),
    ]
}

/// A task of the load.
struct SimulatedTask {
    control: Arc<TaskControl>,
    /// Its clients, one for each request.
    clients: Vec<Client>,
    /// The time for which it still runs; `None` for a task that does not end by itself.
    left: Option<Duration>,
}

/// A queue whose time is simulated.
struct Simulation {
    queue: Queue,
    clock: SimulatedTime,
    tasks: Vec<SimulatedTask>,
    newcomers: usize,
}

impl Simulation {
    fn new(workers: usize, capacity: usize) -> Simulation {
        let clock = SimulatedTime::start();
        let queue = Queue::new(workers, capacity, 0, SLICE);
        Simulation { queue, clock, tasks: Vec::new(), newcomers: 0 }
    }

    /// Changes the load. Returns how long the search of a client that returns waits, if a place is
    /// left for it.
    fn apply(&mut self, step: &Step) -> Option<Duration> {
        match *step {
            Step::Push { busy, load, tasks } => {
                // A full queue refuses some of them.
                (0..tasks).for_each(|_| drop(self.push(busy_client(busy), load)));
            }
            Step::Join { busy, task } => self.join(&busy_client(busy), task),
            Step::Leave { task, client } => self.leave(task, client),
            Step::Return { ref client, time } => {
                self.leave_all(client);
                return self.wait_of_search(client.clone(), time);
            }
            Step::Pass { time } => self.pass(time),
        }
        self.settle();
        None
    }

    fn push(&mut self, client: Client, load: Load) -> Option<Arc<TaskControl>> {
        let class = match load.kind {
            Kind::Search | Kind::Unlimited => PriorityClass::Interactive,
            Kind::Batch => PriorityClass::Batch,
        };
        let is_unlimited = matches!(load.kind, Kind::Unlimited);
        let submitter =
            Submitter { client: client.clone(), class, workers: load.workers, is_unlimited };
        let control = try_push(&self.queue, submitter, Task::new(|_| ())).ok()?;
        let clients = vec![client];
        self.tasks.push(SimulatedTask { control: control.clone(), clients, left: load.time });
        Some(control)
    }

    fn join(&mut self, client: &Client, task: usize) {
        let Some(task) = self.tasks.get_mut(task) else { return };
        task.clients.push(client.clone());
        task.control.add_client(client);
        self.queue.promote(&task.control, PriorityClass::Interactive, client);
    }

    fn leave(&mut self, task: usize, client: usize) {
        let Some(task) = self.tasks.get_mut(task) else { return };
        let client = task.clients.swap_remove(client % task.clients.len());
        self.queue.leave(&task.control, &client);
        self.end_abandoned();
    }

    fn leave_all(&mut self, client: &Client) {
        for task in &mut self.tasks {
            for client in task.clients.extract_if(.., |other| other == client) {
                self.queue.leave(&task.control, &client);
            }
        }
        self.end_abandoned();
    }

    /// Ends the tasks that all clients have left.
    fn end_abandoned(&mut self) {
        let is_abandoned = |task: &mut SimulatedTask| task.clients.is_empty();
        let abandoned: Vec<_> = self.tasks.extract_if(.., is_abandoned).collect();
        abandoned.iter().for_each(|task| self.end(&task.control));
        self.settle();
    }

    fn end(&self, control: &TaskControl) {
        control.stop();
        let waits_for_start = control.place().is_some() && !self.is_paused(control);
        if waits_for_start {
            self.queue.remove(control);
        } else {
            self.queue.finish_task(control, Duration::ZERO);
        }
    }

    fn is_paused(&self, control: &TaskControl) -> bool {
        let state = self.queue.lock();
        control.place().is_some_and(|place| {
            state.class_queue(place.class).get(place.start_tag).is_some_and(QueuedTask::is_paused)
        })
    }

    fn is_running(&self, control: &TaskControl) -> bool {
        self.queue.lock().running_mut(control).is_some()
    }

    fn pass(&mut self, time: Duration) {
        let mut rest = time;
        while !rest.is_zero() {
            rest -= self.pass_to_next_event(rest);
        }
    }

    /// Lets time pass until a slice or a task may end, but not more than this. Returns the time.
    fn pass_to_next_event(&mut self, max: Duration) -> Duration {
        let plan = self.queue.lock().plan_slices(clock::now(), SLICE);
        let mut time = match plan {
            SlicePlan::CheckAfter(time) => time.min(max),
            _ => max,
        };
        let mut running: Vec<_> = {
            let mut state = self.queue.lock();
            let is_running = |task: &&mut SimulatedTask| state.running_mut(&task.control).is_some();
            self.tasks.iter_mut().filter(is_running).filter_map(|task| task.left.as_mut()).collect()
        };
        time = running.iter().fold(time, |time, left| time.min(**left));
        self.clock.pass(time);
        running.iter_mut().for_each(|left| **left -= time);
        let is_complete = |task: &mut SimulatedTask| task.left.is_some_and(|left| left.is_zero());
        for task in self.tasks.extract_if(.., is_complete) {
            self.queue.finish_task(&task.control, time);
        }
        self.settle();
        time
    }

    /// Lets workers and slicer do what they can at this moment.
    fn settle(&self) {
        loop {
            let mut state = self.queue.lock();
            while state.take_task().is_some() {}
            let SlicePlan::GiveWay { tasks, next } = state.plan_slices(clock::now(), SLICE) else {
                return;
            };
            state.end_slices(tasks);
            state.prepared_task = Some(next);
            let restarting = restarting_tasks(&state);
            drop(state);
            for control in restarting {
                self.queue.requeue(&control, Task::new(|_| ()));
            }
        }
    }

    /// How long a short search of a client that was never here waits; it then runs.
    fn wait_of_newcomer(&mut self, time: Duration) -> Option<Duration> {
        self.newcomers += 1;
        self.wait_of_search(Client::new(&format!("newcomer {}", self.newcomers)), time)
    }

    /// How long a short search of this client waits; it then runs. `None` if the queue is full.
    fn wait_of_search(&mut self, client: Client, time: Duration) -> Option<Duration> {
        let load = Load { kind: Kind::Search, workers: 1, time: Some(time) };
        let control = self.push(client, load)?;
        self.settle();
        let mut waited = Duration::ZERO;
        while waited < NEVER && !self.is_running(&control) {
            waited += self.pass_to_next_event(NEVER - waited);
        }
        Some(waited)
    }
}

fn busy_client(number: usize) -> Client {
    Client::new(&format!("busy {number}"))
}

fn restarting_tasks(state: &State) -> Vec<Arc<TaskControl>> {
    let restarting = state.running.iter().filter(|running| running.is_restarting);
    restarting.map(|running| running.control.clone()).collect()
}

/// The slices that a new client waits for its first worker at most: the rest of one that runs, the
/// first slices of all others, which make up one, those of a task that continues and of a batch
/// task, which start after a few new tasks each, and that of a batch task that needs all workers.
///
/// The bound does not hold for a client that returns. The time of its earlier tasks counts: its
/// search may wait for as many queued tasks of each other client as that time has units. It must
/// only start at all.
const MAX_WAIT_SLICES: u32 = 5;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        // Each run tests the same cases.
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_new_client_waits_at_most_five_slices_whatever_others_do(
        workers in 1_usize..=4,
        capacity in prop_oneof![Just(8_usize), Just(64)],
        steps in prop::collection::vec((step(), milliseconds(1..100)), 1..80),
    ) {
        let mut simulation = Simulation::new(workers, capacity);
        for (number, (step, time)) in steps.iter().enumerate() {
            let returned = simulation.apply(step);
            prop_assert!(returned < Some(NEVER), "a client that returns at step {number} waits");
            if number % 3 == 2 {
                let waited = simulation.wait_of_newcomer(*time);
                prop_assert!(waited.is_some(), "the queue is full after step {number}");
                prop_assert!(
                    waited <= Some(MAX_WAIT_SLICES * SLICE),
                    "{waited:?} after step {number}"
                );
            }
        }
    }
}
