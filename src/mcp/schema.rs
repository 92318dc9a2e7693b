//! JSON schemas of arguments.

use serde_json::{Map, Value, json};

/// The schema of a tool's arguments: those of the position, then others.
pub(super) fn with_position(others: Value, required: &[&str]) -> Map<String, Value> {
    let mut properties = position();
    if let Value::Object(others) = others {
        properties.extend(others);
    }
    object(properties, required)
}

/// The schema of an object with these properties and no others.
pub(super) fn object(properties: Map<String, Value>, required: &[&str]) -> Map<String, Value> {
    let members = [
        ("type", json!("object")),
        ("properties", Value::Object(properties)),
        ("required", json!(required)),
        ("additionalProperties", json!(false)),
    ];
    members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

fn position() -> Map<String, Value> {
    let properties = [
        (
            "fen",
            json!({ "type": "string", "description": "The position as a FEN, or \"startpos\" for \
                the start position. Give either fen or pgn." }),
        ),
        (
            "pgn",
            json!({ "type": "string", "description": "A game as PGN; its first game counts. The \
                position is the one after `ply` half-moves." }),
        ),
        (
            "ply",
            json!({ "type": "integer", "minimum": 0, "description": "With pgn: the number of \
                half-moves to play, 0 for the position before the first move. By default all." }),
        ),
        (
            "moves",
            json!({ "type": "array", "items": { "type": "string" }, "description": "Moves in SAN \
                (\"Nf3\") or UCI (\"g1f3\"), played from that position in turn." }),
        ),
    ];
    properties.map(|(name, schema)| (name.to_owned(), schema)).into_iter().collect()
}

/// The schema of a search time.
pub(super) fn movetime(default_ms: u64, max_ms: u64) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": max_ms, "default": default_ms,
        "description": "Search time in milliseconds. More time gives a better answer." })
}
