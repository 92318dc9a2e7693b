//! `check_move`: whether a move is legal, and how good it is.

use serde_json::{Map, Value, json};

use super::analyse_position::MAX_MOVETIME_MS;
use crate::mcp::answer::{Answer, Description, with_state};
use crate::mcp::api::{Api, post};
use crate::mcp::arguments::Arguments;
use crate::mcp::error::ToolError;
use crate::mcp::position::PositionArgument;
use crate::mcp::schema;
use crate::mcp::text::{describe_own_score, joined};

const DEFAULT_MOVETIME_MS: u64 = 1_000;
/// On a server with one worker, two searches take as long as the longest of another tool.
const MAX_SEARCH_MS: u64 = MAX_MOVETIME_MS / 2;
const LINE_MOVES: u64 = 8;

pub(super) const DESCRIPTION: Description = Description {
    name: "check_move",
    title: "Check a move",
    text: "Says whether a move is legal in a chess position and, if so, how good it is. Use it \
        before you recommend a move or criticise one. An illegal move is not an error: `legal` is \
        false and `reason` says why. `win_chance_loss` is what the move costs the player who \
        makes it, in percentage points of the chance to win; 0 is a best move. `judgement` is \
        null, inaccuracy, mistake or blunder. `score` before and after the move is from that \
        player's point of view, in moves to mate or in centipawns, where 100 means that the \
        player wins half of such games. `better` is the engine's line if it prefers another move.",
    schema,
};

fn schema() -> Map<String, Value> {
    let others = json!({
        "move": { "type": "string",
            "description": "The move to check, in SAN (\"Nf3\") or UCI (\"g1f3\")." },
        "movetime_ms": schema::movetime(DEFAULT_MOVETIME_MS, MAX_SEARCH_MS),
    });
    schema::with_position(others, &["move"])
}

pub(super) async fn call(api: &impl Api, arguments: &Arguments) -> Result<Answer, ToolError> {
    let position = PositionArgument::read(arguments)?;
    let mv = arguments.required_text("move")?;
    let movetime = arguments.number("movetime_ms", 1..=MAX_SEARCH_MS)?;
    let after = position.after(mv);
    let state = match post(api, "/v1/play", after.request(json!({}))).await {
        Ok(state) => state,
        Err(error) if error.move_index() == Some(position.move_count() as u64) => {
            return illegal(api, &position, mv, &error).await;
        }
        Err(error) => return Err(error.with_moves_after(position.moves_of_pgn())),
    };
    let request = json!({
        "movetime_ms": movetime.unwrap_or(DEFAULT_MOVETIME_MS),
        "pv_length": LINE_MOVES,
    });
    let (before, after) = tokio::try_join!(
        post(api, "/v1/analysis", position.request(request.clone())),
        post(api, "/v1/analysis", after.request(request)),
    )?;
    let played = state["plies"].as_array().and_then(|plies| plies.last());
    let played = played.ok_or_else(|| ToolError::unexpected_response("/v1/play"))?;
    let is_best = before["best_move"] == played["uci"];
    let scores = json!({ "before": before["score"], "after": own_score(&after) });
    let judged = json!({ "before": scores["before"], "after": scores["after"], "best": is_best });
    let judgement = post(api, "/v1/judgement", judged).await?;
    let found = Found { played, before: &before, scores, judgement: &judgement, is_best };
    Ok(Answer::new(found.structured(&after), &before, found.summary()))
}

/// The answer for an illegal move.
async fn illegal(
    api: &impl Api,
    position: &PositionArgument,
    mv: &str,
    error: &ToolError,
) -> Result<Answer, ToolError> {
    let response = post(api, "/v1/position", position.request(json!({ "views": [] }))).await?;
    let place = format!("moves[{}]", position.move_count());
    let reason = error.detail().replace(&place, "the move");
    let structured = json!({ "legal": false, "move": mv, "reason": reason });
    let summary = format!("Illegal: {reason}");
    Ok(Answer::new(with_state(&response, structured), &response, summary))
}

/// The score after a move, for the player who has made it.
fn own_score(after: &Value) -> Value {
    match after["status"].as_str() {
        Some("checkmate") => json!({ "type": "mate", "value": 0 }),
        Some("stalemate" | "draw") => json!({ "type": "cp", "value": 0 }),
        _ => {
            let value = after["score"]["value"].as_i64().unwrap_or_default();
            json!({ "type": after["score"]["type"], "value": -value })
        }
    }
}

struct Found<'a> {
    played: &'a Value,
    before: &'a Value,
    scores: Value,
    judgement: &'a Value,
    is_best: bool,
}

impl Found<'_> {
    fn better(&self) -> Value {
        if self.is_best {
            return Value::Null;
        }
        let line = &self.before["lines"][0];
        json!({
            "san": self.before["best_move_san"],
            "uci": self.before["best_move"],
            "line_san": line["pv_san"],
            "score": self.before["score"],
        })
    }

    fn structured(&self, after: &Value) -> Value {
        let further = json!({
            "legal": true,
            "san": self.played["san"],
            "uci": self.played["uci"],
            "fen_after": after["fen"],
            "status_after": after["status"],
            "best": self.is_best,
            "score": self.scores,
            "win_chance_loss": self.judgement["win_chance_loss"],
            "judgement": self.judgement["judgement"],
            "accuracy": self.judgement["accuracy"],
            "better": self.better(),
        });
        with_state(self.before, further)
    }

    fn summary(&self) -> String {
        let san = self.played["san"].as_str().unwrap_or_default();
        let loss = &self.judgement["win_chance_loss"];
        let judgement = match self.judgement["judgement"].as_str() {
            Some(judgement) => format!(" ({judgement})"),
            None => String::new(),
        };
        let (before, after) = (&self.scores["before"], &self.scores["after"]);
        let mut text = format!(
            "{san} is legal. It costs the player {loss} percentage points of win chance\
             {judgement}. Score for the player: {} before, {} after the move.",
            describe_own_score(before),
            describe_own_score(after)
        );
        if self.is_best {
            text.push_str("\nIt is the engine's first choice.");
        } else {
            let line = joined(&self.before["lines"][0]["pv_san"]);
            text.push_str(&format!("\nThe engine prefers: {line}"));
        }
        text
    }
}
