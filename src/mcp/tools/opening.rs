//! `opening`: the name of an opening.

use serde_json::json;

use crate::mcp::answer::{Answer, Description, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;

pub(super) const DESCRIPTION: Description = Description {
    name: "opening",
    title: "Name the opening",
    text: "Returns the name and the ECO code of a chess opening. Use it before you name an \
        opening. With pgn or moves, it is the last position of the game that has a name; with a \
        fen alone, that position's name. Null means that the opening has no name.",
    schema: || schema::with_position(json!({}), &[]),
};

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let response = post(api, "/v1/position", position.request(json!({ "views": [] })))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let opening = &response["opening"];
    let summary = match (opening["eco"].as_str(), opening["name"].as_str()) {
        (Some(eco), Some(name)) => format!("Opening: {name} ({eco})"),
        _ => "The opening has no name.".to_owned(),
    };
    Ok(Answer::new(with_state(&response, json!({ "opening": opening })), &response, summary))
}
