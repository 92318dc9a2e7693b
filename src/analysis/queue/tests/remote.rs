//! Tests of tasks that another node runs, with a body that notes what happens to it.

use super::*;
use crate::analysis::remote_search::RemoteSearch;
use crate::analysis::tests::{movetime, start_game};
use crate::engine::{Report, SearchOptions};

/// A body that notes its starts and its end.
#[derive(Clone)]
struct Noted {
    events: Arc<Mutex<Vec<&'static str>>>,
    search: Option<Arc<RemoteSearch>>,
}

impl Noted {
    fn new() -> Noted {
        let (game, options) = (Arc::new(start_game()), SearchOptions::default());
        let (class, client) = (PriorityClass::Interactive, Client::new("ann"));
        let search = RemoteSearch::new(&game, movetime(1_000), &options, &client, class);
        Noted { events: Arc::default(), search: search.map(Arc::new) }
    }

    fn note(&self, event: &'static str) {
        self.events.lock().unwrap().push(event);
    }

    fn events(&self) -> Vec<&'static str> {
        self.events.lock().unwrap().clone()
    }
}

impl TaskBody for Noted {
    fn run(self: Box<Self>, admission: Admission) -> Option<Box<dyn TaskBody>> {
        self.note(if admission == Admission::Admitted { "run" } else { "reject" });
        None
    }
}

impl LendableBody for Noted {
    fn remote_search(&self) -> Option<&Arc<RemoteSearch>> {
        self.search.as_ref()
    }

    fn start_remote(&mut self, _: Location) {
        self.note("start");
    }

    fn set_location(&self, _: Location) {}

    fn return_here(&mut self) {
        self.note("return");
    }

    fn total_of_remote(&mut self, report: Report) -> Report {
        report
    }

    fn update_remote(&mut self, _: Report) {
        self.note("update");
    }

    fn latest_report(&self) -> Option<Report> {
        None
    }

    fn finish_remote(self: Box<Self>, _: Report) {
        assert!(!self.events().contains(&"panic"), "a body that panics");
        self.note("finish");
    }
}

/// A task of a client that another node runs.
fn push_remote(queue: &Queue, client: &str) -> (RemoteTask, Noted) {
    let (submitter, noted) = (from_client(client, PriorityClass::Interactive, 1), Noted::new());
    let control = Arc::new(TaskControl::new(submitter.client.clone()));
    let pushed = queue.push_remote(submitter, &control, Box::new(noted.clone()));
    (pushed.ok().expect("the queue is open"), noted)
}

#[test]
fn a_task_that_has_come_back_is_not_evicted() {
    let (queue, _places) = full_queue_with_places(1, 3);
    let (remote, noted) = push_remote(&queue, "ann");
    queue.give_back(remote);
    // The newest task of the client with the most tasks makes room, but for the one that is back.
    let bob = from_client("bob", PriorityClass::Interactive, 1);
    try_push(&queue, bob, Task::new(|_| ())).map_err(|refused| refused.error).unwrap();
    assert_eq!(noted.events(), ["return"]);
}

#[test]
fn an_update_starts_a_task_whose_start_was_not_told() {
    let queue = new_queue(1, 2, 0);
    let (mut remote, noted) = push_remote(&queue, "ann");
    remote.update(Report::empty());
    remote.update(Report::empty());
    assert_eq!(noted.events(), ["start", "update", "update"]);
}

#[test]
fn one_free_worker_gets_one_task() {
    let queue = new_queue(1, 4, 0);
    let (first, second) = (push_remote(&queue, "ann"), push_remote(&queue, "bob"));
    assert!(queue.give_to_free_worker(first.0).is_none());
    let second_task = queue.give_to_free_worker(second.0).expect("no worker is free");
    assert_eq!(queue.lock().running.len(), 1, "the second one is still elsewhere");
    drop(second_task);
}

#[test]
fn a_task_ends_even_if_its_result_cannot_be_published() {
    let queue = new_queue(1, 2, 0);
    let (remote, noted) = push_remote(&queue, "ann");
    noted.note("panic");
    let finish = std::panic::AssertUnwindSafe(|| queue.finish_remote_task(remote, Report::empty()));
    assert!(std::panic::catch_unwind(finish).is_err());
    assert!(queue.lock().running.is_empty());
}

#[test]
fn other_nodes_run_no_more_tasks_than_may_wait() {
    let queue = new_queue(1, 2, 0);
    let waiting = try_push(&queue, interactive(1), Task::lendable(Noted::new())).ok().unwrap();
    let elsewhere = [(); 2].map(|()| push_remote(&queue, "ann"));
    assert!(queue.lend(&waiting).is_none());
    assert!(!queue.may_watch(&Client::new("bob")));
    elsewhere.into_iter().for_each(|(remote, _)| queue.give_back(remote));
    assert!(queue.may_watch(&Client::new("bob")) && queue.lend(&waiting).is_some());
}
