//! Tests of the control of a task: its clients, runs and pauses.

use super::*;

fn client(name: &str) -> Client {
    Client::new(name)
}

fn names(control: &TaskControl) -> Vec<String> {
    control.clients().iter().map(ToString::to_string).collect()
}

#[test]
fn a_client_is_known_until_its_last_request_leaves() {
    let control = TaskControl::new(client("ann"));
    control.add_client(&client("bob"));
    control.add_client(&client("bob"));
    control.remove_client(&client("bob"));
    assert_eq!(names(&control), ["ann", "bob"]);
    control.remove_client(&client("bob"));
    assert_eq!(names(&control), ["ann"]);
    control.remove_client(&client("eve"));
    assert_eq!(names(&control), ["ann"], "a client without a request changes nothing");
}

#[test]
fn the_last_known_client_stays_until_another_one_joins() {
    let control = TaskControl::new(client("ann"));
    control.remove_client(&client("ann"));
    assert_eq!(names(&control), ["ann"], "clients beyond the known ones may still wait");
    control.add_client(&client("bob"));
    assert_eq!(names(&control), ["bob"]);
    assert!(!control.has_client_besides(&[client("bob")]));
}

#[test]
fn the_last_known_client_that_returns_has_one_request() {
    let control = TaskControl::new(client("ann"));
    control.remove_client(&client("ann"));
    control.add_client(&client("ann"));
    control.add_client(&client("bob"));
    assert_eq!(names(&control), ["ann", "bob"]);
    control.remove_client(&client("ann"));
    assert_eq!(names(&control), ["bob"]);
}

#[test]
fn a_shared_task_remembers_a_bounded_number_of_clients() {
    let control = TaskControl::new(client("0"));
    for number in 1..100 {
        control.add_client(&client(&number.to_string()));
    }
    let known = names(&control);
    assert_eq!(known, ["0", "1", "2", "3", "4", "5", "6", "7"]);
    for name in &known {
        control.remove_client(&client(name));
    }
    assert_eq!(names(&control).len(), 1, "the clients beyond the known ones still wait");
}

#[test]
fn a_run_that_ends_for_a_restart_is_followed_by_another() {
    let control = TaskControl::new(client("ann"));
    let first = control.flag();
    control.restart();
    assert!(first.is_stopped() && control.end_run(true));
    assert!(!control.flag().is_stopped(), "the next run has a flag of its own");
    assert!(!control.end_run(true), "each restart is reported once");
}

#[test]
fn a_run_that_is_complete_or_stopped_by_its_clients_does_not_restart() {
    let complete = TaskControl::new(client("ann"));
    complete.restart();
    assert!(!complete.end_run(false));
    let stopped = TaskControl::new(client("ann"));
    stopped.restart();
    stopped.stop();
    assert!(stopped.is_stopped() && !stopped.end_run(true));
}

#[test]
fn watchers_see_when_a_task_pauses_and_continues() {
    let control = TaskControl::new(client("ann"));
    let paused = control.watch_paused();
    control.resume();
    assert!(!paused.has_changed().unwrap(), "a task that was never paused just begins");
    control.pause();
    assert!(*paused.borrow());
    control.resume();
    assert!(!*paused.borrow());
}
