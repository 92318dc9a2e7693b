//! Examples of the contract, sent to new servers.
//!
//! With `KIBITZER_ACCEPT=1` in the environment, the test writes the responses into
//! `src/http/openapi/examples`. They are compiled into the contract, so a second run then writes
//! openapi.yaml.

use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use reqwest::Method;
use serde_json::Value;

use crate::support::contract::{CONTRACT, Operation, operations};
use crate::support::server::default_settings;
use crate::support::{Server, TestResponse, trial};
use crate::tablebase;

const NDJSON: &str = "application/x-ndjson";

pub(crate) fn trials() -> Vec<Trial> {
    let named = |id: &str| format!("{}::{id}_matches_its_examples", module_path!());
    let with_examples =
        operations().into_iter().filter(|operation| examples_path(operation).exists());
    with_examples
        .map(|operation| trial(&named(operation.id()), move || check(operation.clone())))
        .collect()
}

fn examples_path(operation: &Operation) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http/openapi/examples");
    folder.join(operation.id()).with_extension("json")
}

async fn check(operation: Operation) {
    let path = examples_path(&operation);
    let mut exchanges: Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let is_written = std::env::var_os("KIBITZER_ACCEPT").is_some();
    for (index, exchange) in exchanges.as_array_mut().expect("a list").iter_mut().enumerate() {
        let answer = send_example(&operation, exchange).await;
        let name = format!("{:02}_{}", index + 1, exchange["name"].as_str().unwrap());
        let body = match &exchange["response"] {
            Value::Array(_) => lines_of(&answer.body),
            // A picture.
            Value::Null => Value::Null,
            _ => answer.json(),
        };
        let difference = difference(&name, &exchange["response"], &body);
        if is_written {
            if difference.is_some() {
                exchange["status"] = answer.status.into();
                exchange["response"] = body;
            }
            continue;
        }
        assert_eq!(difference, None, "{body}");
        assert_eq!(answer.status, exchange["status"], "{name}");
        assert_eq!(
            documented_example(&operation, &name, answer.status),
            exchange["response"],
            "{name} in the contract"
        );
    }
    if is_written {
        std::fs::write(&path, serde_json::to_string_pretty(&exchanges).unwrap() + "\n").unwrap();
    }
}

/// Sends an example to a new server with the default settings, after its preparatory request if
/// any.
async fn send_example(operation: &Operation, exchange: &Value) -> TestResponse {
    let request = &exchange["request"];
    let mut settings = default_settings();
    // The example of a count that takes too long ends early.
    settings.perft.max_ms = settings.perft.max_ms.min(2_000);
    // The results of speculative searches depend on the machine.
    settings.idle.positions = 0;
    if operation.path.contains("tablebase") || operation.path.starts_with("/standard") {
        settings.syzygy.paths = vec![tablebase::tables()];
    }
    if operation.path.contains("{id}") || operation.id() == "batch" {
        // The results of several workers with one table depend on their order.
        settings.search.workers = 1;
    }
    let server = if operation.id() == "limits" {
        Server::from_settings(default_settings()).await
    } else {
        Server::from_settings(settings).await
    };
    let mut path = operation.path.clone();
    if let Some(before) = exchange["after"]["path"].as_str() {
        let answer = server.post(before, &exchange["after"]["body"]).await;
        assert!(answer.status < 300, "{}", answer.body);
        if let Some(job) = answer.json()["url"].as_str() {
            server.wait_for_review(job).await;
            path = path.replace("/v1/games/{id}", job);
        }
    }
    if let Some(known) = exchange["path"].as_str() {
        path = known.to_owned();
    }
    let method: Method = operation.method.parse().unwrap();
    if method == Method::GET
        && let Some(parameters) = request.as_object()
    {
        let parameter = |(name, value): (&String, &Value)| {
            format!("{name}={}", value.as_str().unwrap().replace(' ', "+"))
        };
        let query: Vec<_> = parameters.iter().map(parameter).collect();
        path = format!("{path}?{}", query.join("&"));
    }
    let mut builder = server.request(method.clone(), &path);
    if exchange["response"].is_array() {
        builder = builder.header("accept", NDJSON);
    }
    if let Some(lines) = request.as_array() {
        let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
        builder = builder.header("content-type", NDJSON).body(lines.join("\n"));
    } else if method != Method::GET && !request.is_null() {
        builder = builder.json(request);
    }
    let answer = server.send(builder).await;
    let _ = server.stop.send(());
    answer
}

/// The example of that name in the contract's response.
fn documented_example(operation: &Operation, name: &str, status: u16) -> Value {
    let content = &operation.document["responses"][status.to_string()]["content"];
    let examples = operation.examples(content);
    let example = examples.into_iter().find(|(other, _)| other == name);
    match example.map(|(_, value)| value) {
        Some(Value::String(lines)) => lines_of(&lines),
        example => example.unwrap_or_default(),
    }
}

/// The lines of NDJSON, or the data of events. The answers of a batch are in the order of their
/// requests.
fn lines_of(text: &str) -> Value {
    let data = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let data = data.filter(|line| line.starts_with('{'));
    let mut lines: Vec<Value> = data.map(|line| serde_json::from_str(line).unwrap()).collect();
    lines.sort_by_key(|line| line["index"].as_u64().unwrap_or(u64::MAX));
    Value::from(lines)
}

/// The first difference of two responses. Fields that the contract marks as varying need only have
/// the documented type and range.
fn difference(place: &str, expected: &Value, found: &Value) -> Option<String> {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            let names = |members: &serde_json::Map<String, Value>| {
                members.keys().cloned().collect::<Vec<_>>()
            };
            if names(expected) != names(found) {
                return Some(format!(
                    "{place} has {:?}, expected {:?}",
                    names(found),
                    names(expected)
                ));
            }
            expected.iter().find_map(|(name, value)| {
                let place = format!("{place}.{name}");
                match varying_field_schema(name) {
                    // The id of a message is the client's own.
                    Some(schema) if !found.contains_key("jsonrpc") => {
                        schema_violation(&place, schema, &found[name])
                    }
                    _ => difference(&place, value, &found[name]),
                }
            })
        }
        (Value::Array(expected), Value::Array(found)) if expected.len() == found.len() => {
            let mut pairs = expected.iter().zip(found).enumerate();
            pairs.find_map(|(index, (expected, found))| {
                difference(&format!("{place}[{index}]"), expected, found)
            })
        }
        _ => (expected != found).then(|| format!("{place} is {found}, expected {expected}")),
    }
}

/// The schema of a field of this name with the mark `x-varies`.
fn varying_field_schema(name: &str) -> Option<&'static Value> {
    fn find(schema: &'static Value, name: &str) -> Option<&'static Value> {
        let own = schema["properties"].get(name).filter(|field| field["x-varies"] == true);
        own.or_else(|| schema["allOf"].as_array()?.iter().find_map(|part| find(part, name)))
    }
    CONTRACT["components"]["schemas"].as_object()?.values().find_map(|schema| find(schema, name))
}

/// The violation of a schema by a value, if any.
fn schema_violation(place: &str, schema: &Value, value: &Value) -> Option<String> {
    let fits = match schema["type"].as_str() {
        Some("integer") => value
            .as_i64()
            .is_some_and(|number| schema["minimum"].as_i64().is_none_or(|least| number >= least)),
        Some("object") => {
            let members = schema["properties"].as_object().into_iter().flatten();
            return members
                .filter_map(|(name, schema)| {
                    schema_violation(&format!("{place}.{name}"), schema, &value[name])
                })
                .next();
        }
        Some("string") => value.as_str().is_some_and(|text| !text.is_empty()),
        _ => false,
    };
    (!fits).then(|| format!("{place} is {value}, but documented as {schema}"))
}
