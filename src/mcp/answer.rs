//! The parts that all tools share: their descriptions and their answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use super::error::ToolError;
use super::text::{describe_position, describe_state};

/// The name, title and description of a tool.
pub(super) struct Description {
    /// The name.
    pub(super) name: &'static str,
    /// The title, for people.
    pub(super) title: &'static str,
    /// What the tool is for and when to use it, for a model.
    pub(super) text: &'static str,
    /// The schema of the arguments.
    pub(super) schema: fn() -> Map<String, Value>,
}

/// The result of a call.
pub(super) struct Answer {
    /// The structured content.
    pub(super) structured: Value,
    /// The position that the text shows: its state, as the API returns it.
    pub(super) state: Value,
    /// What the tool found out, in words.
    pub(super) summary: String,
    /// A picture as PNG.
    pub(super) png: Option<Vec<u8>>,
}

impl Answer {
    /// An answer without a picture.
    pub(super) fn new(structured: Value, state: &Value, summary: String) -> Answer {
        Answer { structured, state: state.clone(), summary, png: None }
    }

    /// The result of the protocol: the picture, then the text.
    pub(super) fn into_result(self) -> CallToolResult {
        let Answer { structured, state, summary, png } = self;
        let board = describe_position(state["fen"].as_str().unwrap_or_default());
        let text = format!("{board}\n{}\n\n{summary}", describe_state(&state));
        let picture = png.map(|png| ContentBlock::image(BASE64.encode(png), "image/png"));
        let content = picture.into_iter().chain([ContentBlock::text(text.trim_end())]);
        let mut result = CallToolResult::success(content.collect());
        result.structured_content = Some(structured);
        result
    }
}

/// The result of a call that fails.
pub(super) fn error_result(error: ToolError) -> CallToolResult {
    let text = format!("{}: {}", error.code(), error.detail());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error.into_value());
    result
}

/// The members of a response with these names.
pub(super) fn members(response: &Value, names: &[&str]) -> Map<String, Value> {
    let member = |name: &&str| Some(((*name).to_owned(), response.get(*name)?.clone()));
    names.iter().filter_map(member).collect()
}

/// The members that describe a position.
pub(super) const STATE: [&str; 7] =
    ["fen", "turn", "check", "status", "winner", "draw_reason", "claims"];

/// The state of a position in a response, and further members.
pub(super) fn with_state(response: &Value, further: Value) -> Value {
    let mut members = members(response, &STATE);
    if let Value::Object(further) = further {
        members.extend(further);
    }
    Value::Object(members)
}

/// The items of an array, each with these members only.
pub(super) fn pick(array: &Value, names: &[&str]) -> Vec<Value> {
    let items = array.as_array().into_iter().flatten();
    items.map(|item| Value::Object(members(item, names))).collect()
}
