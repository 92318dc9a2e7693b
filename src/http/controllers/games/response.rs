//! The responses about a review job: submission, progress, games and moves.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::{ObjectBuilder, Type};

use crate::analysis::jobs::{GamePage, JobReader, JobStatus, Progress, ReviewedMove};
use crate::analysis::review::PlayerReview;
use crate::chess::pgn::Headers;
use crate::chess::{CastlingNotation, Color, SanWriter, to_uci_inline};
use crate::http::dto::{
    Clamped, MoveJudgement, MoveText, OpeningDto, Pov, ScoreDto, line_texts, opening_or_null,
    round_to_hundredths,
};
use crate::http::problem::InvalidPgn;
use crate::http::schema::{string_enum, varying_text};

/// A stored review job.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SubmittedJob {
    /// The id of the job: 32 hex digits. It can't be guessed.
    #[schema(schema_with = id)]
    id: String,
    /// The path of the job on this server.
    #[schema(schema_with = url)]
    pub(super) url: String,
    /// The number of games in the text, with those that can't be read.
    games: usize,
    /// The number of half-moves to review.
    moves: u64,
    /// The state of the job.
    #[schema(schema_with = statuses)]
    status: &'static str,
    /// The members that exceeded a cap and were clamped; empty if there were none.
    clamped: Vec<Clamped>,
}

/// A review job and its results so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct JobReview {
    /// The state of the job.
    #[schema(schema_with = statuses)]
    status: &'static str,
    /// The progress of the job.
    progress: JobProgress,
    /// The games, in the order of the text.
    games: Vec<ReviewedGame>,
}

/// The progress of a review.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct JobProgress {
    /// The number of reviewed half-moves.
    moves_done: u64,
    /// The number of all half-moves to review.
    moves: u64,
}

/// A game and its reviewed moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedGame {
    #[serde(flatten)]
    head: GameHead,
    /// The reviewed moves, in game order.
    moves: Vec<MoveReviewDto>,
}

/// A game without its moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct GameHead {
    /// The PGN headers, as submitted.
    #[schema(schema_with = headers)]
    headers: HeadersDto,
    /// The opening: the name of the last position that has one.
    #[schema(required, schema_with = opening_or_null)]
    opening: Option<OpeningDto>,
    /// The result of the game in the PGN.
    #[schema(schema_with = results)]
    result: &'static str,
    /// The accuracy of each player, in percent: the mean of the volatility-weighted mean and the
    /// harmonic mean of the accuracies of the moves. It is Lichess's formula.
    accuracy: PerPlayer,
    /// The average loss per move of each player, in centipawns. Scores are limited to 1000.
    average_centipawn_loss: PerPlayer,
    /// The error that prevents the review of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<InvalidPgn>,
}

/// A number for each player. Null until the whole game is reviewed, and for a player without moves.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct PerPlayer {
    /// White's value.
    #[schema(required)]
    white: Option<f64>,
    /// Black's value.
    #[schema(required)]
    black: Option<f64>,
}

/// The review of a move.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MoveReview)]
pub(crate) struct MoveReviewDto {
    /// The number of the half-move in the game, from 1.
    #[schema(minimum = 1)]
    ply: usize,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The move in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The FEN after the move.
    fen: String,
    /// The score before the move, from the point of view of the player who makes it, or of White
    /// with `pov=white`.
    before: ScoreDto,
    /// The score after the move, from the same point of view as `before`.
    after: ScoreDto,
    /// The best move in the position before the move, in UCI. Null if the game was already over by
    /// the rules.
    #[schema(required, value_type = Option<String>)]
    best: Option<MoveText>,
    /// The best move in SAN.
    #[schema(required, value_type = Option<String>)]
    best_san: Option<MoveText>,
    /// The best line in UCI, at most 20 half-moves. It starts with the best move.
    #[schema(value_type = Vec<String>)]
    line: Vec<MoveText>,
    /// The win chances at `before` and `after`.
    win_chance: WinChances,
    #[serde(flatten)]
    judgement: MoveJudgement,
}

/// The win chances at the scores before and after a move, in percent, from the point of view of the
/// scores. A draw counts as half a win. A win chance is 100 / (1 + e^(−0.00368208 · centipawns)),
/// with centipawns limited to ±1000; a mate counts as ±1000. It is Lichess's formula.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct WinChances {
    /// The win chance before the move.
    #[schema(minimum = 0, maximum = 100)]
    before: f64,
    /// The win chance after the move.
    #[schema(minimum = 0, maximum = 100)]
    after: f64,
}

/// PGN headers, serialized as an object.
#[derive(Clone, Debug)]
pub(crate) struct HeadersDto(Headers);

impl Serialize for HeadersDto {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0.iter() {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl SubmittedJob {
    pub(super) fn new(job: &JobReader, progress: Progress, clamped: Vec<Clamped>) -> SubmittedJob {
        let id = job.id();
        SubmittedJob {
            id: id.to_string(),
            url: format!("/v1/games/{id}"),
            games: job.schedule().games(),
            moves: job.schedule().moves(),
            status: progress.status.name(),
            clamped,
        }
    }
}

impl JobReview {
    /// The review without its games.
    pub(super) fn head(job: &JobReader, progress: Progress) -> JobReview {
        JobReview {
            status: progress.status.name(),
            progress: JobProgress::new(job, progress),
            games: Vec::new(),
        }
    }
}

impl JobProgress {
    pub(super) fn new(job: &JobReader, progress: Progress) -> JobProgress {
        JobProgress {
            moves_done: job.schedule().moves_done(progress.positions_done),
            moves: job.schedule().moves(),
        }
    }
}

impl ReviewedGame {
    /// The game with the scores of its moves from this point of view.
    pub(super) fn new(page: GamePage, pov: Pov) -> ReviewedGame {
        let moves = page.moves.iter().map(|mv| MoveReviewDto::new(mv, pov)).collect();
        ReviewedGame { head: GameHead::from(page), moves }
    }
}

impl From<GamePage> for GameHead {
    fn from(page: GamePage) -> GameHead {
        let per_player = |number: fn(&PlayerReview) -> Option<f64>| {
            let value_of = |color| page.player(color).and_then(number).map(round_to_hundredths);
            PerPlayer { white: value_of(Color::White), black: value_of(Color::Black) }
        };
        GameHead {
            accuracy: per_player(|player| player.accuracy),
            average_centipawn_loss: per_player(|player| player.average_centipawn_loss),
            opening: page.opening.map(OpeningDto::from),
            result: page.record.result.as_str(),
            headers: HeadersDto(page.record.headers),
            error: page.record.parsed.err().map(InvalidPgn::from),
        }
    }
}

impl MoveReviewDto {
    /// The review with both scores from this point of view.
    pub(super) fn new(reviewed_move: &ReviewedMove, pov: Pov) -> MoveReviewDto {
        let ReviewedMove { position, review } = reviewed_move;
        let mover = position.turn();
        let line: Vec<_> =
            line_texts(position, &review.best_line, CastlingNotation::Standard).collect();
        let best = line.first().copied();
        MoveReviewDto {
            ply: review.ply,
            san: MoveText(SanWriter::new(position).write(review.mv).text),
            uci: MoveText(to_uci_inline(position, review.mv, CastlingNotation::Standard)),
            fen: position.after(review.mv).fen(),
            before: pov.score(review.score_before, mover),
            after: pov.score(review.score_after.flip(), mover),
            best: best.map(|(uci, _)| uci),
            best_san: best.map(|(_, san)| san),
            line: line.into_iter().map(|(uci, _)| uci).collect(),
            win_chance: WinChances {
                before: pov.win_chance(review.win_chance_before(), mover),
                after: pov.win_chance(review.win_chance_after(), mover),
            },
            judgement: review.assessment.into(),
        }
    }
}

fn id() -> ObjectBuilder {
    varying_text("The id of the job: 32 hex digits. It can't be guessed.")
        .pattern(Some("^[0-9a-f]{32}$"))
}

fn url() -> ObjectBuilder {
    varying_text("The path of the job on this server.")
}

fn statuses() -> ObjectBuilder {
    let description = "The state of the job: `queued`, it waits for its turn; `running`; `done`; \
        `failed`, a server error ended it.";
    string_enum(description, JobStatus::ALL.map(JobStatus::name))
}

fn results() -> ObjectBuilder {
    string_enum(
        "The result of the game in the PGN; `*` if it is unknown.",
        ["1-0", "0-1", "1/2-1/2", "*"],
    )
}

fn headers() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some("The PGN headers, as submitted."))
}
