//! `POST /v1/judgement`: the judgement of a move by the scores before and after it.

use crate::analysis::review::MoveAssessment;
use crate::engine::Score;
use crate::http::dto::{MoveJudgement, ScoreRequest};
use crate::http::json::{Json, Members, Reply, request};
use crate::http::problem::{BodyProblems, MemberErrorCode};

request! {
    /// The scores before and after a move, both from the point of view of the player who makes it.
    #[derive(Clone, Copy, Debug)]
    #[validate(check_before(before))]
    pub(crate) struct JudgementRequest as "JudgementRequest" {
        /// The score before the move: that of the best move. It can't be a checkmate.
        required before: ScoreRequest,
        /// The score after the move. A mate in 0 is the checkmate that the move gives.
        required after: ScoreRequest,
        /// Whether the move is the first move of the line that gave `before`. The best move loses
        /// nothing, also if the score after it is lower: the search before it was then wrong, and
        /// no better move is known.
        defaulted best: bool,
    }
}

fn check_before(members: &mut Members<'_>, before: Option<&ScoreRequest>) {
    if before.is_some_and(|&before| Score::from(before) == Score::Mate(0)) {
        let detail = "before.value is 0, a checkmate before the move; a mate must be at least 1 \
            or at most -1";
        let code = MemberErrorCode::OutOfRange;
        members.add_nested_error(code, "before", "value", detail.to_owned());
    }
}

/// Judge a move
///
/// Judges a move by the scores before and after it, with the rules and numbers of a review. The
/// server searches nothing, and the request does not wait in the queue.
///
/// Both scores are from the point of view of the player who makes the move, as in a review. The
/// score of a search of the position after the move is from the other player's point of view:
/// negate its `value`.
#[utoipa::path(
    post,
    path = "/v1/judgement",
    tag = "games",
    request_body = JudgementRequest,
    responses((status = 200, description = "The judgement.", body = MoveJudgement), BodyProblems)
)]
pub(crate) async fn judgement(Json(request): Json<JudgementRequest>) -> Reply<MoveJudgement> {
    let JudgementRequest { before, after, best } = request;
    Reply(MoveAssessment::new(before.into(), after.into(), best).into())
}
