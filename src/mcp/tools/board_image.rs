//! `board_image`: a picture of a position.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::mcp::answer::{Answer, Description, with_state};
use crate::mcp::api::{Api, ApiRequest, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;
use crate::mcp::text::position_of;

const MIN_SIZE: u64 = 16;
const MAX_SIZE: u64 = 1_024;

/// One mark for each square. A mark is at most a colour and two squares.
const MAX_MARKS: usize = 64;
const MAX_MARK_BYTES: usize = 5;

pub(super) const DESCRIPTION: Description = Description {
    name: "board_image",
    title: "Draw a board",
    text: "Draws a chess position as a PNG picture for the user. Use it when the user should see \
        the board. The last move, if it is known, and a king in check are marked. To read a \
        position yourself, use the board in the text of any tool instead.",
    schema,
};

fn schema() -> Map<String, Value> {
    let others = json!({
        "orientation": { "type": "string", "enum": ["white", "black"], "default": "white",
            "description": "The player at the bottom." },
        "size": { "type": "integer", "minimum": MIN_SIZE, "maximum": MAX_SIZE, "default": 360,
            "description": "Width and height in pixels." },
        "arrows": { "type": "array", "maxItems": MAX_MARKS,
            "items": { "type": "string", "maxLength": MAX_MARK_BYTES },
            "description": "Arrows such as \"e2e4\", and circles such as \"e4\". A letter before \
                it is the colour: G green, R red, Y yellow, B blue, as in \"Re2e4\"." },
        "squares": { "type": "array", "maxItems": MAX_MARKS,
            "items": { "type": "string", "maxLength": MAX_MARK_BYTES },
            "description": "Squares to mark with a cross, such as \"d5\"." },
        "coordinates": { "type": "boolean", "default": false,
            "description": "Show the names of files and ranks." },
    });
    schema::with_position(others, &[])
}

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let size = arguments.number("size", MIN_SIZE..=MAX_SIZE)?;
    let orientation = arguments.word("orientation", &["white", "black"])?;
    let coordinates = arguments.flag("coordinates")?;
    let response = post(api, "/v1/play", position.request(json!({})))
        .await
        .map_err(|error| error.with_moves_after(position.moves_of_pgn()))?;
    let fen = response["fen"].as_str().unwrap_or_default();
    let plies = response["plies"].as_array();
    let last = plies.and_then(|plies| plies.last()).and_then(|ply| ply["uci"].as_str());
    let mut query = Query::default();
    // The position, not the game: the moves of a long game do not fit into an address.
    query.add("fen", fen);
    query.add("lastMove", last.unwrap_or_default());
    query.add("check", &checked_king(fen).unwrap_or_default());
    query.add("orientation", orientation.unwrap_or("white"));
    if let Some(size) = size {
        query.add("size", &size.to_string());
    }
    if coordinates {
        query.add("coordinates", "true");
    }
    for name in ["arrows", "squares"] {
        let marks = arguments.short_texts(name, MAX_MARKS, MAX_MARK_BYTES)?;
        if !marks.is_empty() {
            query.add(name, &marks.join(","));
        }
    }
    let path = format!("/board.png?{}", query.0);
    let png = api.send(ApiRequest { path, body: None }).await?;
    let structured = json!({ "media_type": "image/png", "bytes": png.bytes.len() });
    let mut answer = Answer::new(with_state(&response, structured), &response, String::new());
    answer.png = Some(png.bytes);
    Ok(answer)
}

/// The square of the king in check, if there is one.
fn checked_king(fen: &str) -> Option<String> {
    Some(position_of(fen)?.checked_king()?.to_string())
}

#[derive(Default)]
struct Query(String);

impl Query {
    fn add(&mut self, name: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        self.0.push_str(name);
        self.0.push('=');
        self.0.extend(utf8_percent_encode(value, NON_ALPHANUMERIC));
    }
}
