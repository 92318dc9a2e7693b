//! What the server says of a position without a search.

use std::time::Duration;

use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use super::line::ProblemText;
use super::stream::with_cause;
use crate::chess::{Position, Square};
use crate::engine::StaticEvaluation;
use crate::uci::judgement::judgement;

/// A judgement takes no time to speak of, and no command is heard meanwhile; a server that takes
/// longer is not there.
const PATIENCE: Duration = Duration::from_secs(1);

/// The body of `POST /v1/evaluate`.
#[derive(Serialize)]
struct Question {
    fen: String,
}

/// Of its answer what people are shown.
#[derive(Deserialize)]
struct Answer {
    white_score: Centipawns,
    network: String,
    bucket: usize,
    pieces: Vec<PieceWorth>,
}

#[derive(Deserialize)]
struct Centipawns {
    value: i32,
}

#[derive(Deserialize)]
struct PieceWorth {
    square: String,
    value: i32,
}

/// Asks for the static evaluation: lines for people.
///
/// # Errors
///
/// With what went wrong, when there is no answer or not one of this kind.
pub(super) async fn judge(
    client: &reqwest::Client,
    address: &str,
    position: &Position,
) -> Result<String, String> {
    let question = Question { fen: position.fen() };
    let request = client.post(format!("{address}/v1/evaluate")).timeout(PATIENCE).json(&question);
    let response = request
        .send()
        .await
        .map_err(|error| format!("the server can't be asked: {}", with_cause(&error)))?;
    if response.status() != StatusCode::OK {
        return Err(ProblemText::of(response).await.to_string());
    }
    let answer: Answer = response
        .json()
        .await
        .map_err(|error| format!("the server's answer can't be read: {}", with_cause(&error)))?;
    Ok(judgement(position, &answer.evaluation()?, &answer.network))
}

impl Answer {
    fn evaluation(&self) -> Result<StaticEvaluation, String> {
        let mut pieces = [None; 64];
        for PieceWorth { square, value } in &self.pieces {
            let place: Square = square.parse().map_err(|_| {
                format!("the server's answer can't be read: {square:?} is no square")
            })?;
            pieces[place.index()] = Some(*value);
        }
        Ok(StaticEvaluation { white_value: self.white_score.value, bucket: self.bucket, pieces })
    }
}
