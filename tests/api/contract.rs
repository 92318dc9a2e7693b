//! openapi.yaml: it is complete and matches the code.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::Value;

use crate::support::contract::{CONTRACT, operations, position_operations};
use crate::support::{Server, contract};

crate::trials![
    openapi_yaml_matches_the_code,
    every_documented_route_exists,
    every_operation_is_described_and_has_an_example,
    the_first_example_of_an_operation_succeeds_in_the_opening,
    every_query_about_a_position_has_an_example,
    an_example_of_a_parameter_is_one_of_its_values,
    every_field_is_described,
    every_reference_resolves,
];

fn openapi_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.yaml")
}

/// With `KIBITZER_ACCEPT=1` in the environment, the test writes the file.
async fn openapi_yaml_matches_the_code() {
    let code = kibitzer::http::contract().to_yaml().unwrap();
    if std::env::var_os("KIBITZER_ACCEPT").is_some() {
        std::fs::write(openapi_path(), &code).unwrap();
    }
    let file = std::fs::read_to_string(openapi_path()).unwrap_or_default();
    let difference = code.lines().zip(file.lines()).position(|(code, file)| code != file);
    assert!(
        code == file,
        "openapi.yaml differs from the code at line {:?}; KIBITZER_ACCEPT=1 rewrites it",
        difference.map(|line| line + 1)
    );
}

async fn every_documented_route_exists() {
    let server = Server::start().await;
    let job =
        server.post("/v1/games", &serde_json::json!({ "pgn": "1. e4 *", "depth": 1 })).await.json();
    for operation in operations() {
        let path = operation
            .path
            .replace("{code}", "internal")
            .replace("{id}", job["id"].as_str().unwrap());
        let method: Method = operation.method.parse().unwrap();
        let status = server.send(server.request(method, &path)).await.status;
        assert!(!matches!(status, 404 | 405 | 500), "{} {path} returns {status}", operation.method);
    }
}

async fn every_operation_is_described_and_has_an_example() {
    for operation in operations() {
        let id = operation.id();
        assert!(
            operation.document["summary"].as_str().is_some_and(|text| !text.is_empty()),
            "{id}"
        );
        if operation.document["requestBody"]["content"]["application/json"].is_object() {
            assert!(
                !operation.examples(&operation.document["requestBody"]["content"]).is_empty(),
                "{id}"
            );
        }
        for (status, response) in operation.document["responses"].as_object().unwrap() {
            let response = response["$ref"]
                .as_str()
                .map_or_else(|| response.clone(), |reference| resolve(reference).clone());
            assert!(
                response["description"].as_str().is_some_and(|text| !text.is_empty()),
                "{id} {status}"
            );
            let is_page = response["content"].as_object().is_none_or(|kinds| {
                kinds
                    .keys()
                    .any(|kind| kind != "application/json" && !kind.ends_with("problem+json"))
            });
            let is_contract = operation.path == "/openapi.json";
            if !is_page && !is_contract {
                assert!(
                    !operation.examples(&response["content"]).is_empty(),
                    "{id} {status} has no example"
                );
            }
        }
    }
}

async fn the_first_example_of_an_operation_succeeds_in_the_opening() {
    let rules_without_search = ["play", "position", "perft"];
    // Tables know no position of the opening.
    for operation in position_operations().into_iter().filter(|other| other.id() != "look_up") {
        let id = operation.id();
        let (name, request) = operation
            .examples(&operation.document["requestBody"]["content"])
            .into_iter()
            .next()
            .unwrap();
        assert!(name.starts_with("01_"), "{id} {name}");
        assert_eq!(request["fen"], "startpos", "{id} {name}");
        let moves = request["moves"].as_array().map_or(0, Vec::len);
        assert!(moves > 0 || rules_without_search.contains(&id), "{id} {name}");
        let answers = operation.examples(&operation.document["responses"]["200"]["content"]);
        assert!(answers.iter().any(|(other, _)| *other == name), "{id} {name}");
    }
}

async fn every_query_about_a_position_has_an_example() {
    for operation in operations() {
        let parameters = operation.document["parameters"].as_array();
        let fen = parameters.into_iter().flatten().find(|parameter| parameter["name"] == "fen");
        if let Some(fen) = fen {
            let example = fen["example"].as_str().unwrap_or_default();
            let is_endgame =
                ["tablebase", "standard"].iter().any(|part| operation.path.contains(part));
            let starts: &[_] = if is_endgame { &["8/"] } else { &["startpos", "rnbqkbnr"] };
            assert!(starts.iter().any(|start| example.starts_with(start)), "{fen}");
        }
    }
}

async fn an_example_of_a_parameter_is_one_of_its_values() {
    for operation in operations() {
        for parameter in operation.document["parameters"].as_array().into_iter().flatten() {
            if let (Some(example), Some(values)) =
                (parameter.get("example"), parameter["schema"]["enum"].as_array())
            {
                assert!(values.contains(example), "{} {parameter}", operation.id());
            }
        }
    }
}

fn resolve(reference: &str) -> &'static Value {
    CONTRACT
        .pointer(reference.trim_start_matches('#'))
        .unwrap_or_else(|| panic!("{reference} does not resolve"))
}

async fn every_field_is_described() {
    let mut missing = BTreeSet::new();
    for (name, schema) in CONTRACT["components"]["schemas"].as_object().unwrap() {
        walk(name, schema, &mut |path, field| {
            if field["description"].as_str().is_none_or(str::is_empty) {
                missing.insert(path.to_owned());
            }
        });
    }
    assert!(missing.is_empty(), "fields without a description: {missing:#?}");
}

/// Calls `visit` with every property of a schema and of its parts.
fn walk(name: &str, schema: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    for (property, field) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{name}.{property}");
        visit(&path, field);
        walk(&path, field, visit);
    }
    for part in
        ["allOf", "oneOf", "anyOf"].iter().filter_map(|kind| schema[kind].as_array()).flatten()
    {
        walk(name, part, visit);
    }
    if schema["items"].is_object() {
        walk(name, &schema["items"], visit);
    }
}

async fn every_reference_resolves() {
    fn references(value: &Value, found: &mut BTreeSet<String>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|member| references(member, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    references(&contract::CONTRACT, &mut found);
    assert!(found.len() > 10);
    for reference in &found {
        resolve(reference);
    }
}
