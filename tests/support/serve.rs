//! `kibitzer serve` as a child process that logs JSON to its standard output.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;

/// A started server.
pub(crate) struct ServeProcess {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    /// The log after the line with the address.
    pub(crate) log: BufReader<ChildStdout>,
}

impl ServeProcess {
    /// Starts a server and waits until its log names the address that it listens on.
    pub(crate) fn spawn(command: &mut Command) -> ServeProcess {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program starts");
        let mut log = BufReader::new(child.stdout.take().expect("a piped stdout"));
        let address = listen_address(&mut log);
        ServeProcess { child, address, log }
    }
}

fn listen_address(log: &mut BufReader<ChildStdout>) -> SocketAddr {
    loop {
        let mut line = String::new();
        let length = log.read_line(&mut line).expect("a line of the log");
        assert!(length > 0, "the server ended before it listened");
        let line: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if let Some(address) = line["address"].as_str() {
            return address.parse().expect("an address");
        }
    }
}
