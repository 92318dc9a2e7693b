//! The tools: their names, their descriptions for a language model, and the calls.

mod analyse_position;
mod board_image;
mod check_move;
mod legal_moves;
mod opening;
mod play_moves;
mod review_game;
mod tablebase;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::api::Api;
use super::arguments::Arguments;
use super::error::ToolError;
use super::text::{describe_position, describe_state};

/// The name, title and description of a tool.
struct Description {
    name: &'static str,
    title: &'static str,
    text: &'static str,
    schema: fn() -> Map<String, Value>,
}

const DESCRIPTIONS: [Description; 8] = [
    legal_moves::DESCRIPTION,
    check_move::DESCRIPTION,
    analyse_position::DESCRIPTION,
    play_moves::DESCRIPTION,
    review_game::DESCRIPTION,
    tablebase::DESCRIPTION,
    opening::DESCRIPTION,
    board_image::DESCRIPTION,
];

/// All tools.
pub(super) static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let tool = |description: Description| {
        let Description { name, title, text, schema } = description;
        let annotations =
            ToolAnnotations::with_title(title).read_only(true).destructive(false).open_world(false);
        Tool::new(name, text, schema()).with_title(title).with_annotations(annotations)
    };
    DESCRIPTIONS.map(tool).into()
});

/// The tool with this name.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The result of a call.
struct Answer {
    /// The structured content.
    structured: Value,
    /// The position that the text shows: its state, as the API returns it.
    state: Value,
    /// What the tool found out, in words.
    summary: String,
    /// A picture as PNG.
    png: Option<Vec<u8>>,
}

impl Answer {
    fn new(structured: Value, state: &Value, summary: String) -> Answer {
        Answer { structured, state: state.clone(), summary, png: None }
    }

    fn into_result(self) -> CallToolResult {
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

/// Calls a tool.
pub(super) async fn call(
    api: &impl Api,
    tool: &Tool,
    arguments: Map<String, Value>,
) -> CallToolResult {
    let answer = match Arguments::new(arguments, &tool.input_schema) {
        Ok(arguments) => dispatch(api, &tool.name, &arguments).await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(answer) => answer.into_result(),
        Err(error) => error_result(error),
    }
}

async fn dispatch(api: &impl Api, name: &str, arguments: &Arguments) -> Result<Answer, ToolError> {
    match name {
        "legal_moves" => legal_moves::call(api, arguments).await,
        "check_move" => check_move::call(api, arguments).await,
        "analyse_position" => analyse_position::call(api, arguments).await,
        "play_moves" => play_moves::call(api, arguments).await,
        "review_game" => review_game::call(api, arguments).await,
        "tablebase" => tablebase::call(api, arguments).await,
        "opening" => opening::call(api, arguments).await,
        "board_image" => board_image::call(api, arguments).await,
        _ => Err(ToolError::invalid_request(format!("there is no tool {name:?}"))),
    }
}

fn error_result(error: ToolError) -> CallToolResult {
    let text = format!("{}: {}", error.code(), error.detail());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error.into_value());
    result
}

/// The members of a response with these names.
fn members(response: &Value, names: &[&str]) -> Map<String, Value> {
    let member = |name: &&str| Some(((*name).to_owned(), response.get(*name)?.clone()));
    names.iter().filter_map(member).collect()
}

/// The members that describe a position.
const STATE: [&str; 7] = ["fen", "turn", "check", "status", "winner", "draw_reason", "claims"];

/// The state of a position in a response, and further members.
fn with_state(response: &Value, further: Value) -> Value {
    let mut members = members(response, &STATE);
    if let Value::Object(further) = further {
        members.extend(further);
    }
    Value::Object(members)
}

/// The items of an array, each with these members only.
fn pick(array: &Value, names: &[&str]) -> Vec<Value> {
    let items = array.as_array().into_iter().flatten();
    items.map(|item| Value::Object(members(item, names))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_for_a_model() {
        assert_eq!(TOOLS.len(), DESCRIPTIONS.len());
        for tool in TOOLS.iter() {
            let description = tool.description.as_deref().unwrap_or_default();
            assert!(description.len() > 100, "{}: {description}", tool.name);
            assert!(description.contains("Use it"), "{}: says when to use it", tool.name);
            let properties = tool.input_schema["properties"].as_object().unwrap();
            for (name, schema) in properties {
                assert!(schema["description"].is_string(), "{} of {}", name, tool.name);
            }
        }
    }
}
