//! Random load of several clients, beside which a new client's search must start soon.

use proptest::prelude::*;

use super::super::clock::{self, simulation::SimulatedTime};
use super::super::slices::SlicePlan;
use super::super::state::State;
use super::*;

/// After this time a task counts as one that never starts.
const NEVER: Duration = Duration::from_secs(10);

/// The number of clients that submit the load.
const HOGS: usize = 5;

/// A change of the load.
#[derive(Clone, Debug)]
enum Step {
    /// A client submits a task.
    Push { hog: usize, kind: Kind, workers: usize },
    /// A client joins one of the tasks, which counts from the oldest.
    Join { hog: usize, task: usize },
    /// The clients of a task leave.
    Leave { task: usize },
    /// Time passes.
    Pass { time: Duration },
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Search,
    Infinite,
    Batch,
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![Just(Kind::Search), Just(Kind::Infinite), Just(Kind::Batch)];
    let push = (0..HOGS, kind, 1_usize..=4);
    prop_oneof![
        6 => push.prop_map(|(hog, kind, workers)| Step::Push { hog, kind, workers }),
        1 => (0..HOGS, 0_usize..40).prop_map(|(hog, task)| Step::Join { hog, task }),
        1 => (0_usize..40).prop_map(|task| Step::Leave { task }),
        3 => (0_u64..1_250).prop_map(|ms| Step::Pass { time: Duration::from_millis(ms) }),
    ]
}

/// A queue whose time is simulated. No task ends by itself.
struct Simulation {
    queue: Queue,
    clock: SimulatedTime,
    tasks: Vec<Arc<TaskControl>>,
    newcomers: usize,
}

impl Simulation {
    fn new(workers: usize, capacity: usize) -> Simulation {
        let clock = SimulatedTime::start();
        let queue = Queue::new(workers, capacity, 0, SLICE);
        Simulation { queue, clock, tasks: Vec::new(), newcomers: 0 }
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Push { hog, kind, workers } => self.push(hog, kind, workers),
            Step::Join { hog, task } => {
                let Some(control) = self.tasks.get(task).cloned() else { return };
                control.add_client(&hog_client(hog));
                self.queue.promote(&control, PriorityClass::Interactive, &hog_client(hog));
            }
            Step::Leave { task } => {
                if task < self.tasks.len() {
                    let control = self.tasks.remove(task);
                    self.end(&control);
                }
            }
            Step::Pass { time } => self.pass(time),
        }
        self.settle();
    }

    fn push(&mut self, hog: usize, kind: Kind, workers: usize) {
        let (class, is_unlimited) = match kind {
            Kind::Search => (PriorityClass::Interactive, false),
            Kind::Infinite => (PriorityClass::Interactive, true),
            Kind::Batch => (PriorityClass::Batch, false),
        };
        let submitter = Submitter { client: hog_client(hog), class, workers, is_unlimited };
        // A full queue refuses the task.
        self.tasks.extend(try_push(&self.queue, submitter, Task::new(|_| ())));
    }

    fn end(&self, control: &Arc<TaskControl>) {
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

    fn pass(&self, time: Duration) {
        let mut rest = time;
        while !rest.is_zero() {
            rest -= self.pass_to_next_event(rest);
        }
    }

    /// Lets time pass until a slice may end, but not more than this. Returns the time.
    fn pass_to_next_event(&self, max: Duration) -> Duration {
        let plan = self.queue.lock().plan_slices(clock::now(), SLICE);
        let time = match plan {
            SlicePlan::CheckAfter(time) => time.min(max),
            _ => max,
        };
        self.clock.pass(time);
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

    /// How long a short search of a client that is new waits; it then ends.
    fn wait_of_newcomer(&mut self) -> Duration {
        self.newcomers += 1;
        let client = format!("newcomer {}", self.newcomers);
        let control = push(&self.queue, from_client(&client, PriorityClass::Interactive, 1));
        self.settle();
        let mut waited = Duration::ZERO;
        while waited < NEVER && self.queue.lock().running_mut(&control).is_none() {
            waited += self.pass_to_next_event(NEVER - waited);
        }
        self.end(&control);
        self.settle();
        waited
    }
}

fn hog_client(number: usize) -> Client {
    Client::new(&format!("hog {number}"))
}

fn restarting_tasks(state: &State) -> Vec<Arc<TaskControl>> {
    let restarting = state.running.iter().filter(|running| running.is_restarting);
    restarting.map(|running| running.control.clone()).collect()
}

/// The slices that a new client waits for its first worker at most: the rest of one that runs, the
/// first slices of all others, which make up one, those of a task that continues and of a batch
/// task, which start after a few new tasks each, and that of a batch task that needs all workers.
const MAX_WAIT_SLICES: u32 = 5;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_new_client_waits_at_most_five_slices_whatever_others_do(
        workers in 1_usize..=4,
        capacity in prop_oneof![Just(8_usize), Just(64)],
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut simulation = Simulation::new(workers, capacity);
        for (number, step) in steps.iter().enumerate() {
            simulation.apply(step);
            if number % 3 == 2 {
                let waited = simulation.wait_of_newcomer();
                prop_assert!(waited <= MAX_WAIT_SLICES * SLICE, "{waited:?} after step {number}");
            }
        }
    }
}
