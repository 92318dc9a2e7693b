//! The README's promises: every curl example, in order, against a fresh server, gives the answer
//! that is printed below it.
//!
//! An example is a `sh` block with one curl command and a `json` block right after it. What depends
//! on clock or machine must be there and of the same type. `KIBITZER_ACCEPT=1` writes the answers
//! of the day into the README, for a change that means to change them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod command;
mod pretty_json;
mod server;

use command::Example;
use serde_json::Value;
use server::Server;

/// Members that are another number or text each time.
const VARYING_MEMBERS: [&str; 6] = ["age_ms", "nps", "request_id", "simd", "time_ms", "uptime_ms"];

#[test]
fn every_curl_example_of_the_readme_gives_the_answer_printed_there() {
    let mut readme = include_str!("../../README.md").to_owned();
    let examples = Example::parse_markdown(&readme);
    assert!(examples.len() >= 4, "the README has {} examples", examples.len());
    let accept = std::env::var_os("KIBITZER_ACCEPT").is_some_and(|value| !value.is_empty());
    let server = Server::start();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(server.wait_until_ready());
    for Example { command, printed } in examples {
        let answer =
            runtime.block_on(command::send(&command, server.address())).expect("an answer");
        if accept {
            readme = readme.replacen(&printed, &pretty_json::pretty_print(&answer), 1);
        } else {
            let [printed, given] =
                [&printed, &answer].map(|text| serde_json::from_str(text).expect("JSON"));
            assert_same(&printed, &given, &format!("{command}\nwhich is {answer}"), "");
        }
    }
    if accept {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"), readme)
            .expect("a README that can be written");
    }
}

/// Compares two values; `path` says where they stand in the answer.
fn assert_same(printed: &Value, given: &Value, command: &str, path: &str) {
    match (printed, given) {
        (Value::Object(printed), Value::Object(given)) => {
            let names = |object: &serde_json::Map<String, Value>| {
                object.keys().cloned().collect::<Vec<_>>()
            };
            assert_eq!(
                names(printed),
                names(given),
                "members of {path}/ in the answer to {command}"
            );
            for (name, value) in printed {
                let path = format!("{path}/{name}");
                if VARYING_MEMBERS.contains(&name.as_str()) {
                    assert_eq!(
                        value.is_number(),
                        given[name].is_number(),
                        "{path} in the answer to {command}"
                    );
                } else {
                    assert_same(value, &given[name], command, &path);
                }
            }
        }
        (Value::Array(printed), Value::Array(given)) => {
            assert_eq!(
                printed.len(),
                given.len(),
                "length of {path} in the answer to {command}: {given:?}"
            );
            for (n, (printed, given)) in printed.iter().zip(given).enumerate() {
                assert_same(printed, given, command, &format!("{path}/{n}"));
            }
        }
        _ => assert_eq!(printed, given, "{path} in the answer to {command}"),
    }
}
