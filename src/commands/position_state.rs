//! The state of a position, as `POST /v1/position` answers it, in words.

use std::time::Duration;

use kibitzer::chess::parse_fen;
use kibitzer::client::{ApiClient, ApiError};
use kibitzer::terminal::Screen;
use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

/// The members of `POST /v1/position` that are shown.
#[derive(Deserialize)]
pub(super) struct PositionState {
    /// The position as a normalised FEN.
    pub(super) fen: String,
    turn: String,
    check: bool,
    status: String,
    winner: Option<String>,
    draw_reason: Option<String>,
    warnings: Vec<Warning>,
    opening: Option<Opening>,
}

#[derive(Deserialize)]
struct Warning {
    detail: String,
}

const PATH: &str = "/v1/position";

#[derive(Deserialize)]
struct Opening {
    eco: String,
    name: String,
}

impl PositionState {
    /// Requests the state, and waits up to `patience` for a busy server.
    pub(super) async fn request(
        api: &ApiClient,
        fen: &str,
        patience: Duration,
    ) -> Result<PositionState, ApiError> {
        let body = json!({ "fen": fen, "views": [] });
        let request = |api: &ApiClient| api.request(Method::POST, PATH).json(&body);
        let response = api.fetch_patiently(patience, PATH, request).await?;
        serde_json::from_slice(&response)
            .map_err(|error| ApiError::Interrupted(PATH.to_owned(), error.to_string()))
    }

    /// `true` if there is no move to search.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "checkmate" | "stalemate")
    }

    /// The square of the king in check.
    pub(super) fn checked_king(&self) -> Option<String> {
        Some(parse_fen(&self.fen).ok()?.position.checked_king()?.to_string())
    }

    /// Lines below a board: whose turn it is, the opening, and the FEN.
    pub(super) fn describe(&self, screen: &Screen) -> String {
        let mut text = format!("{}\n", screen.bold(&self.turn_or_end()));
        if let Some(Opening { eco, name }) = &self.opening {
            text.push_str(&format!("{eco} {name}\n"));
        }
        text.push_str(&format!("{}\n", screen.dim(&self.fen)));
        for Warning { detail } in &self.warnings {
            text.push_str(&format!("{detail}\n"));
        }
        text
    }

    fn turn_or_end(&self) -> String {
        let turn = side(&self.turn);
        match self.status.as_str() {
            "checkmate" => {
                format!("Checkmate: {} has won", side(self.winner.as_deref().unwrap_or("")))
            }
            "stalemate" => "Stalemate: the game is drawn".to_owned(),
            "draw" => {
                let reason = self.draw_reason.as_deref().unwrap_or_default().replace('_', " ");
                format!("Drawn: {reason}")
            }
            _ if self.check => format!("{turn} to move, in check"),
            _ => format!("{turn} to move"),
        }
    }
}

fn side(name: &str) -> &'static str {
    if name == "black" { "Black" } else { "White" }
}
