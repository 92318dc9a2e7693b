//! Random load of several clients, beside which a new client's search must start soon.

use std::time::Instant;

use proptest::prelude::*;

use super::super::slices::SlicePlan;
use super::super::state::State;
use super::*;

/// The slice. Time passes in tenths of it.
const SLICE: Duration = Duration::from_millis(100);
const TICKS_PER_SLICE: usize = 10;

/// After this time a task counts as one that never starts.
const MAX_TICKS: usize = 20 * TICKS_PER_SLICE;

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
    Pass { ticks: usize },
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
        3 => (1_usize..25).prop_map(|ticks| Step::Pass { ticks }),
    ]
}

/// A queue whose time is simulated. No task ends by itself.
struct Simulation {
    queue: Queue,
    tasks: Vec<Arc<TaskControl>>,
    newcomers: usize,
}

impl Simulation {
    fn new(workers: usize, capacity: usize) -> Simulation {
        let queue = Queue::new(workers, capacity, 0, SLICE);
        Simulation { queue, tasks: Vec::new(), newcomers: 0 }
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
            Step::Pass { ticks } => (0..ticks).for_each(|_| self.pass_tick()),
        }
        self.settle();
    }

    fn push(&mut self, hog: usize, kind: Kind, workers: usize) {
        let (class, slicing) = match kind {
            Kind::Search => (PriorityClass::Interactive, Slicing::Restartable),
            Kind::Infinite => (PriorityClass::Interactive, Slicing::Unlimited),
            Kind::Batch => (PriorityClass::Batch, Slicing::Restartable),
        };
        let submitter = Submitter { client: hog_client(hog), class, workers, slicing };
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

    fn pass_tick(&self) {
        let tick = SLICE / TICKS_PER_SLICE as u32;
        for running in &mut self.queue.lock().running {
            running.slice_start = running.slice_start.checked_sub(tick).expect("a time since boot");
        }
        self.settle();
    }

    /// Lets workers and slicer do what they can at this moment.
    fn settle(&self) {
        loop {
            let mut state = self.queue.lock();
            while state.take_task().is_some() {}
            let SlicePlan::GiveWay { tasks, next } = state.plan_slices(Instant::now(), SLICE)
            else {
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

    /// How many ticks a short search of a client that is new waits; it then ends.
    fn wait_of_newcomer(&mut self) -> usize {
        self.newcomers += 1;
        let client = format!("newcomer {}", self.newcomers);
        let control = push(&self.queue, from_client(&client, PriorityClass::Interactive, 1));
        self.settle();
        let ticks = (0..MAX_TICKS).find(|_| {
            let has_started = self.queue.lock().running_mut(&control).is_some();
            if !has_started {
                self.pass_tick();
            }
            has_started
        });
        self.end(&control);
        self.settle();
        ticks.unwrap_or(MAX_TICKS)
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
/// first slices of all others, which make up one, and those of a task that continues and of a batch
/// task, which start after a few new tasks each.
const MAX_WAIT_SLICES: usize = 4;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_new_client_waits_at_most_four_slices_whatever_others_do(
        workers in 1_usize..=4,
        capacity in prop_oneof![Just(8_usize), Just(64)],
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut simulation = Simulation::new(workers, capacity);
        for (number, step) in steps.iter().enumerate() {
            simulation.apply(step);
            if number % 3 == 2 {
                let ticks = simulation.wait_of_newcomer();
                let max = MAX_WAIT_SLICES * TICKS_PER_SLICE;
                prop_assert!(ticks <= max, "{ticks} ticks after step {number}");
            }
        }
    }
}
