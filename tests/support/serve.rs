//! `kibitzer serve` as a child process that logs JSON to its standard output.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A started server.
pub(crate) struct ServeProcess {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// The events up to `listening`.
    pub(crate) start_log: Vec<Value>,
    /// The log after them.
    pub(crate) log: BufReader<ChildStdout>,
}

impl ServeProcess {
    /// Starts a server and waits until its log says that it is listening.
    pub(crate) fn spawn(command: &mut Command) -> ServeProcess {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut log = BufReader::new(child.stdout.take().expect("a piped stdout"));
        let start_log = read_start(&mut log);
        let address = start_log.last().expect("the line `listening`")["address"].as_str();
        let address = address.expect("a text").parse().expect("an address");
        ServeProcess { child, address, start_log, log }
    }
}

/// Reads the events up to `listening`.
fn read_start(log: &mut BufReader<ChildStdout>) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    while events.last().is_none_or(|event| event["message"] != "listening") {
        let mut line = String::new();
        let length = log.read_line(&mut line).expect("a line of the log");
        assert!(length > 0, "the server ended before it was ready: {events:?}");
        events.push(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")));
    }
    events
}
