//! `tablebase`: the result of an endgame with best play.

use serde_json::{Value, json};

use crate::mcp::answer::{Answer, Description, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;

pub(super) const DESCRIPTION: Description = Description {
    name: "tablebase",
    title: "Look an endgame up",
    text: "Looks a chess position with few pieces up in the endgame tablebases: the exact result \
        with best play, not an estimate. Use it for positions with at most seven pieces, kings \
        and pawns included, before you analyse them. `category` is the result for the side to \
        move: win, loss, draw, cursed-win or blessed-loss (a win or loss that the 50-move rule \
        makes a draw), syzygy-win or syzygy-loss (the tables are a move too coarse to say whether \
        the 50-move rule makes it a draw), or unknown. `result` of a move is for the same side, if \
        it plays that move; the best moves come first. `dtz` counts half-moves to the next capture \
        or pawn move with best play, not to mate; that of a move counts after it, and below 0 the \
        side loses. \
        The error no_tablebase means that the server has no tables, and tablebase_unavailable \
        that they lack this position.",
    schema: || schema::with_position(json!({}), &[]),
};

/// The moves in the text; the structured content has all.
const MOVES_IN_TEXT: usize = 8;

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let response = post(api, "/v1/tablebase", position.request(json!({})))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let moves = response["moves"].as_array().into_iter().flatten();
    let moves: Vec<Value> = moves.map(describe_move).collect();
    let category = response["category"].as_str().unwrap_or_default();
    let text = |mv: &Value, name: &str| mv[name].as_str().unwrap_or_default().to_owned();
    let listed = moves.iter().take(MOVES_IN_TEXT);
    let listed: Vec<String> =
        listed.map(|mv| format!("{} ({})", text(mv, "san"), text(mv, "result"))).collect();
    let summary = format!(
        "Result for the side to move: {category}; dtz {}.\nMoves, best first, with the result for \
         the player who moves: {}",
        response["dtz"],
        listed.join(", ")
    );
    let structured = json!({
        "men": response["men"],
        "category": category,
        "dtz": response["dtz"],
        "moves": moves,
    });
    Ok(Answer::new(with_state(&response, structured), &response, summary))
}

/// A move with its result and distance for the player who makes it. The API has the opponent's.
fn describe_move(mv: &Value) -> Value {
    let category = mv["category"].as_str().unwrap_or_default();
    let result = match category {
        "win" => "loss",
        "syzygy-win" => "syzygy-loss",
        "cursed-win" => "blessed-loss",
        "blessed-loss" => "cursed-win",
        "syzygy-loss" => "syzygy-win",
        "loss" => "win",
        other => other,
    };
    let dtz = mv["dtz"].as_i64().map(|dtz| -dtz);
    json!({ "san": mv["san"], "uci": mv["uci"], "result": result, "dtz": dtz })
}
