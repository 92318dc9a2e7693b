//! `analyse_position`: the best moves of a position.

use serde_json::{Map, Value, json};

use crate::mcp::answer::{Answer, Description, members, pick, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;
use crate::mcp::text::{describe_white_score, joined};

const MAX_LINES: u64 = 5;
const MAX_DEPTH: u64 = 100;
const DEFAULT_MOVETIME_MS: u64 = 1_000;
pub(super) const MAX_MOVETIME_MS: u64 = 10_000;

/// The moves of a line. Longer ones only cost the model's attention.
const LINE_MOVES: u64 = 12;

pub(super) const DESCRIPTION: Description = Description {
    name: "analyse_position",
    title: "Analyse a position",
    text: "Searches a chess position with the engine and returns the best moves with their lines. \
        Use it whenever you say who is better, what the best move is or what a plan leads to; do \
        not guess. Scores are from White's point of view: cp are centipawns, where 100 means that \
        White wins half of such games, 0 is equal and below 0 Black is better; mate counts moves, \
        and below 0 Black gives mate. `win_chance` is White's expected score in percent: a draw \
        counts half, so 50 is equal. `wdl` is win, draw and loss for White in thousandths. \
        `pv_san` is the expected line. `clamped` names limits that the server has lowered.",
    schema,
};

fn schema() -> Map<String, Value> {
    let others = json!({
        "lines": { "type": "integer", "minimum": 1, "maximum": MAX_LINES, "default": 1,
            "description": "The number of best moves to compare. Each costs search time." },
        "movetime_ms": schema::movetime(DEFAULT_MOVETIME_MS, MAX_MOVETIME_MS),
        "depth": { "type": "integer", "minimum": 1, "maximum": MAX_DEPTH,
            "description": "Stop at this depth in half-moves, or after movetime_ms (then by \
                default 10 s), whichever comes first." },
    });
    schema::with_position(others, &[])
}

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let lines = arguments.number("lines", 1..=MAX_LINES)?.unwrap_or(1);
    let depth = arguments.number("depth", 1..=MAX_DEPTH)?;
    let movetime = arguments.number("movetime_ms", 1..=MAX_MOVETIME_MS)?;
    let default = if depth.is_some() { MAX_MOVETIME_MS } else { DEFAULT_MOVETIME_MS };
    let mut request = json!({
        "multipv": lines,
        "movetime_ms": movetime.unwrap_or(default),
        "pov": "white",
        "pv_length": LINE_MOVES,
    });
    if let Some(depth) = depth {
        request["depth"] = json!(depth);
    }
    let response = post(api, "/v1/analysis", position.request(request))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let lines =
        pick(&response["lines"], &["rank", "score", "wdl", "win_chance", "depth", "pv_san", "pv"]);
    let texts: Vec<String> = lines.iter().map(describe_line).collect();
    let summary = match texts.is_empty() {
        true => "There is nothing to search.".to_owned(),
        false => format!("Scores from White's point of view:\n{}", texts.join("\n")),
    };
    let mut found = members(
        &response,
        &[
            "best_move",
            "best_move_san",
            "score",
            "depth",
            "nodes",
            "time_ms",
            "reason",
            "tablebase",
            "clamped",
        ],
    );
    found.insert("lines".to_owned(), Value::from(lines));
    Ok(Answer::new(with_state(&response, Value::Object(found)), &response, summary))
}

fn describe_line(line: &Value) -> String {
    format!(
        "{}. {} (White scores {}%), depth {}: {}",
        line["rank"],
        describe_white_score(&line["score"]),
        line["win_chance"],
        line["depth"],
        joined(&line["pv_san"])
    )
}
