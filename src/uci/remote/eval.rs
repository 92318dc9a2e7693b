//! The static evaluation from the server.

use std::time::Duration;

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use crate::chess::{Position, Square};
use crate::client::{ProblemText, with_cause};
use crate::engine::StaticEvaluation;
use crate::uci::display::format_evaluation;

/// Timeout of the request. An evaluation is fast, and no command is read meanwhile.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);

/// The body of `POST /v1/evaluate`.
#[derive(Serialize)]
struct EvaluateRequestBody {
    fen: String,
}

/// The members of its answer that are displayed.
#[derive(Deserialize)]
struct EvaluateResponseBody {
    white_score: Centipawns,
    network: String,
    bucket: usize,
    pieces: Vec<PieceValue>,
}

#[derive(Deserialize)]
struct Centipawns {
    value: i32,
}

#[derive(Deserialize)]
struct PieceValue {
    square: String,
    value: i32,
}

/// Requests the static evaluation, as lines for people.
///
/// # Errors
///
/// There is no valid answer; the text is the reason.
pub(super) async fn request_evaluation(
    client: &reqwest::Client,
    base_url: &str,
    position: &Position,
) -> Result<String, String> {
    let body = EvaluateRequestBody { fen: position.fen() };
    let request =
        client.post(format!("{base_url}/v1/evaluate")).timeout(REQUEST_TIMEOUT).json(&body);
    let response = request
        .send()
        .await
        .map_err(|error| format!("the request to the server failed: {}", with_cause(&error)))?;
    if response.status() != StatusCode::OK {
        return Err(ProblemText::from_response(response).await.to_string());
    }
    let evaluation: EvaluateResponseBody = response
        .json()
        .await
        .map_err(|error| format!("the server's answer is invalid: {}", with_cause(&error)))?;
    Ok(format_evaluation(position, &evaluation.to_static_evaluation()?, &evaluation.network))
}

impl EvaluateResponseBody {
    fn to_static_evaluation(&self) -> Result<StaticEvaluation, String> {
        let mut pieces = [None; 64];
        for PieceValue { square, value } in &self.pieces {
            let parsed: Square = square.parse().map_err(|_| {
                format!("the server's answer is invalid: {square:?} is not a square")
            })?;
            pieces[parsed.index()] = Some(*value);
        }
        Ok(StaticEvaluation { white_value: self.white_score.value, bucket: self.bucket, pieces })
    }
}
