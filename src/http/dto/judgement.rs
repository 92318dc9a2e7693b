//! The judgement of a move.

use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;

use super::round_to_hundredths;
use crate::analysis::review::{Judgement, MoveAssessment};
use crate::http::schema::{named_enum, ref_or_null};

/// The judgement of a move by the win chance that it loses. The rules are Lichess's.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct MoveJudgement {
    /// The win chance that the move loses, in percent: how far it falls for the player who makes
    /// the move. 0 if it rises, and for the best move.
    #[schema(minimum = 0, maximum = 100)]
    win_chance_loss: f64,
    /// `inaccuracy`, `mistake` or `blunder`: the move loses at least 5, 10 or 15 percent of win
    /// chance. A move that loses a mate or allows one is judged by how decisive the score remains.
    #[schema(required, schema_with = judgement_or_null)]
    judgement: Option<&'static str>,
    /// The accuracy of the move, in percent: 103.1668 · e^(−0.04354 · `win_chance_loss`) − 2.1669,
    /// limited to 0 to 100.
    #[schema(minimum = 0, maximum = 100)]
    accuracy: f64,
}

impl From<MoveAssessment> for MoveJudgement {
    fn from(assessment: MoveAssessment) -> MoveJudgement {
        MoveJudgement {
            win_chance_loss: round_to_hundredths(assessment.win_chance_loss),
            judgement: assessment.judgement.map(Judgement::name),
            accuracy: round_to_hundredths(assessment.accuracy),
        }
    }
}

named_enum! {
    /// The judgement of a move.
    pub(crate) struct JudgementName as "Judgement" =
        [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder].map(Judgement::name)
}

fn judgement_or_null() -> Schema {
    let description = "`inaccuracy`, `mistake` or `blunder`: the move loses at least 5, 10 or 15 \
        percent of win chance. A move that loses a mate or allows one is judged by how decisive \
        the score remains (Lichess's rules). Null for a move that loses less.";
    ref_or_null::<JudgementName>(description)
}
