//! `kibitzer analyse`, `review` and `board`: what they print, in a pipe and on a terminal.

pub(crate) mod pipes;
pub(crate) mod reviews;
#[cfg(unix)]
mod screens;

use std::io::Write;
use std::process::{Output, Stdio};

use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::server_process::{kibitzer_command, set_environment};

/// The tests on a terminal.
pub(crate) fn screen_trials() -> Vec<Trial> {
    #[cfg(unix)]
    return screens::trials();
    #[cfg(not(unix))]
    return Vec::new();
}

const TWO_GAMES: &str =
    "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n1. e4 e5 2. Bc4 *\n";

/// Runs the program with this standard input to its end, with a small table.
async fn run(arguments: &[&str], input: &str) -> Output {
    let mut command = kibitzer_command(arguments);
    set_environment(&mut command, &[]);
    let input = input.to_owned();
    let output = tokio::task::spawn_blocking(move || {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().expect("an input").write_all(input.as_bytes());
        child.wait_with_output().expect("the program ends")
    });
    output.await.expect("no panic")
}

/// The exit code, standard output and standard error.
fn parts(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Removes the members that differ between two runs.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for name in ["time_ms", "nps", "age_ms", "memory", "source", "shared"] {
                members.remove(name);
            }
            members.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}
