//! `legal_moves`: the legal moves of a position.

use serde_json::{Value, json};

use crate::mcp::answer::{Answer, Description, pick, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;

pub(super) const DESCRIPTION: Description = Description {
    name: "legal_moves",
    title: "List the legal moves",
    text: "Lists all legal moves of a chess position in SAN and UCI, and says whose turn it is, \
        whether there is check and whether the game is over. Use it to set up a position, and \
        before you suggest a move, so that you never name an illegal one. It searches nothing and \
        does not say which move is good.",
    schema: || schema::with_position(json!({}), &[]),
};

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let response = post(api, "/v1/legal-moves", position.request(json!({})))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let moves = pick(&response["moves"], &["san", "uci"]);
    let sans: Vec<&str> = moves.iter().filter_map(|mv| mv["san"].as_str()).collect();
    let summary = match sans.len() {
        0 => "There is no legal move.".to_owned(),
        count => format!("{count} legal moves: {}", sans.join(", ")),
    };
    let structured = json!({ "count": sans.len(), "moves": Value::from(moves.clone()) });
    Ok(Answer::new(with_state(&response, structured), &response, summary))
}
