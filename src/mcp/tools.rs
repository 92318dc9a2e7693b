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

use rmcp::model::{CallToolResult, Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::answer::{Answer, Description, error_result};
use super::api::Api;
use super::arguments::Arguments;
use super::error::ToolError;

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
