//! The OpenAPI contract: its operations and their documented responses.

use std::sync::LazyLock;

use serde_json::Value;

use crate::tablebase;

/// The contract that the code generates.
pub(crate) static CONTRACT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::to_value(kibitzer::http::contract()).expect("the contract is JSON")
});

/// A method of a route.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) document: Value,
}

impl Operation {
    pub(crate) fn id(&self) -> &str {
        self.document["operationId"].as_str().expect("every operation has an id")
    }

    /// The documented statuses.
    pub(crate) fn statuses(&self) -> Vec<u16> {
        let responses = self.document["responses"].as_object().expect("responses");
        responses.keys().map(|status| status.parse().expect("a status is a number")).collect()
    }

    /// The examples of a response or of the request.
    pub(crate) fn examples(&self, content: &Value) -> Vec<(String, Value)> {
        let kinds = content.as_object().into_iter().flat_map(|kinds| kinds.values());
        let examples = kinds.filter_map(|kind| kind["examples"].as_object()).flatten();
        examples.map(|(name, example)| (name.clone(), example["value"].clone())).collect()
    }
}

pub(crate) fn operations() -> Vec<Operation> {
    let paths = CONTRACT["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &Value)| {
        let methods = item.as_object().expect("a path has methods").clone();
        let path = path.clone();
        methods.into_iter().map(move |(method, document)| Operation {
            method: method.to_uppercase(),
            path: path.clone(),
            document,
        })
    };
    paths.iter().flat_map(of_path).collect()
}

/// The operations whose body must be a JSON object with members of the API. A call of a tool is a
/// message of another protocol.
pub(crate) fn json_operations() -> Vec<Operation> {
    let is_json = |operation: &Operation| {
        operation.document["requestBody"]["content"]["application/json"].is_object()
    };
    let takes_more = |operation: &Operation| {
        matches!(operation.id(), "submit_games" | "batch" | "mcp" | "chess_api")
    };
    operations()
        .into_iter()
        .filter(|operation| is_json(operation) && !takes_more(operation))
        .collect()
}

/// The operations that take a position in a JSON body.
pub(crate) fn position_operations() -> Vec<Operation> {
    let takes_position = |operation: &Operation| operation.id() != "judgement";
    json_operations().into_iter().filter(takes_position).collect()
}

/// A body that the operation answers with 200, quickly.
pub(crate) fn valid_body(operation: &Operation) -> Value {
    let mut body = serde_json::json!({ "fen": "startpos" });
    match operation.id() {
        "judgement" => {
            let score = serde_json::json!({ "type": "cp", "value": 0 });
            body = serde_json::json!({ "before": score, "after": score });
        }
        "play" => body["moves"] = serde_json::json!(["e4"]),
        "perft" | "best_move" | "analyse" => body["depth"] = 2.into(),
        "look_up" => body["fen"] = tablebase::WON.into(),
        _ => {}
    }
    body
}

/// Asserts that a value has this schema of the contract.
pub(crate) fn assert_schema(name: &str, value: &Value) {
    let reference = format!("#/components/schemas/{name}");
    let schema = serde_json::json!({ "$ref": reference, "components": CONTRACT["components"] });
    let validator = jsonschema::validator_for(&schema).expect("the contract has valid schemas");
    let errors: Vec<_> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}
