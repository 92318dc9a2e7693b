//! `play_moves`: the position after moves.

use serde_json::{Value, json};

use crate::mcp::answer::{Answer, Description, pick, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;

pub(super) const DESCRIPTION: Description = Description {
    name: "play_moves",
    title: "Play moves",
    text: "Plays moves from a chess position and returns the position after each of them. Use it \
        to follow a line or a game instead of tracking pieces yourself, and to find out whether a \
        sequence of moves is legal. The first illegal move is an error with its index in `moves`, \
        from 0, and the reason. It searches nothing and does not say whether a move is good.",
    schema: || schema::with_position(json!({}), &["moves"]),
};

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    if !arguments.has("moves") {
        return Err(ToolError::invalid_request("moves is missing"));
    }
    let position = PositionArgument::read(arguments)?;
    let response = post(api, "/v1/play", position.request(json!({})))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let mut plies = pick(&response["plies"], &["san", "uci", "fen"]);
    let played = plies.split_off(position.moves_of_pgn().min(plies.len()));
    let sans: Vec<&str> = played.iter().filter_map(|mv| mv["san"].as_str()).collect();
    let summary = match sans.len() {
        0 => "No move was played.".to_owned(),
        _ => format!("Played: {}", sans.join(" ")),
    };
    let structured = json!({ "played": Value::from(played.clone()) });
    Ok(Answer::new(with_state(&response, structured), &response, summary))
}
