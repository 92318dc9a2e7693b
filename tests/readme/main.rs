//! The tested examples of the README, the quick start, the API tour and the page on migration. Each
//! curl command, in order, against a fresh server, gives the response that the page prints below
//! it.
//! `snippets.py` tests the snippets in JavaScript and Python.
//!
//! An example is a `sh` block with one curl command and a `json` block right after it. A
//! `json part` block prints only some members of the response. Members that depend on the clock or
//! the machine must exist and have the same type. `KIBITZER_ACCEPT=1` writes the new responses into
//! the pages, for a change that is meant to change them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod command;
mod pretty_json;
mod server;

use std::path::Path;

use command::Example;
use serde_json::Value;
use server::Server;

/// Members whose value differs from run to run.
const VARYING_MEMBERS: [&str; 6] = ["age_ms", "nps", "request_id", "simd", "time_ms", "uptime_ms"];

#[test]
fn every_curl_example_of_the_readme_gives_the_response_printed_there() {
    check_page("README.md", 1);
}

#[test]
fn every_curl_example_of_the_api_tour_gives_the_response_printed_there() {
    check_page("docs/api-tour.md", 10);
}

#[test]
fn every_curl_example_of_the_migration_page_gives_the_response_printed_there() {
    check_page("docs/migrate.md", 3);
}

#[test]
fn every_curl_example_of_the_quick_start_gives_the_response_printed_there() {
    check_page("docs/quick-start.md", 2);
}

/// Runs the examples of a page, of which there are at least `minimum`.
fn check_page(name: &str, minimum: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let mut page = std::fs::read_to_string(&path).expect("a page that can be read");
    let examples = Example::parse_markdown(&page);
    assert!(examples.len() >= minimum, "{name} has {} examples", examples.len());
    let accept = std::env::var_os("KIBITZER_ACCEPT").is_some_and(|value| !value.is_empty());
    let server = Server::start();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(server.wait_until_ready());
    for example in examples {
        let Example { command, printed, .. } = &example;
        let response = runtime.block_on(command::send(command, server.address()));
        let response = response.expect("a response");
        let [expected, given] =
            [printed, &response].map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        let given = example.printed_members_of(given, &expected);
        if accept {
            page = page.replacen(printed, &pretty_json::pretty_print(&given.to_string()), 1);
        } else {
            assert_same(&expected, &given, &format!("{command}\nwhich is {response}"), "");
        }
    }
    if accept {
        std::fs::write(path, page).expect("a page that can be written");
    }
}

/// Compares two values; `path` says where the response has them.
fn assert_same(printed: &Value, given: &Value, command: &str, path: &str) {
    match (printed, given) {
        (Value::Object(printed), Value::Object(given)) => {
            let names = |object: &serde_json::Map<String, Value>| {
                object.keys().cloned().collect::<Vec<_>>()
            };
            assert_eq!(
                names(printed),
                names(given),
                "members of {path}/ in the response to {command}"
            );
            for (name, value) in printed {
                let path = format!("{path}/{name}");
                if VARYING_MEMBERS.contains(&name.as_str()) {
                    assert_eq!(
                        value.is_number(),
                        given[name].is_number(),
                        "{path} in the response to {command}"
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
                "length of {path} in the response to {command}: {given:?}"
            );
            for (n, (printed, given)) in printed.iter().zip(given).enumerate() {
                assert_same(printed, given, command, &format!("{path}/{n}"));
            }
        }
        _ => assert_eq!(printed, given, "{path} in the response to {command}"),
    }
}
