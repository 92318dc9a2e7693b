//! What is said of a job.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{ObjectBuilder, Type};

use crate::analysis::jobs::{GamePage, JobReader, JobStatus, Progress, ReviewedMove};
use crate::analysis::review::{Judgement, PlayerReview};
use crate::chess::pgn::Headers;
use crate::chess::{CastlingNotation, Color, SanWriter, to_uci_inline};
use crate::http::dto::{Clamped, MoveText, ScoreDto, line_texts};
use crate::http::problem::InvalidPgn;
use crate::http::schema::{nullable_string_enum, ref_or_null, string_enum, varying_text};

/// A job that is kept.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct SubmittedJob {
    /// Its id: 32 hex digits, which nobody can guess.
    #[schema(schema_with = id)]
    id: String,
    /// Where it is: its path on this server.
    #[schema(schema_with = url)]
    pub(super) url: String,
    /// Games of the text, those that cannot be read among them.
    games: usize,
    /// Half-moves that are reviewed.
    moves: u64,
    /// Whether anything is done about it.
    #[schema(schema_with = statuses)]
    status: &'static str,
    /// What was asked beyond a cap; empty when nothing was.
    clamped: Vec<Clamped>,
}

/// A review, as far as it is.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct JobReview {
    /// Whether anything is done about it.
    #[schema(schema_with = statuses)]
    status: &'static str,
    /// How far it is.
    progress: JobProgress,
    /// The games, in the order of the text.
    games: Vec<ReviewedGame>,
}

/// How far a review is.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct JobProgress {
    /// Half-moves that are reviewed.
    moves_done: u64,
    /// All of them.
    moves: u64,
}

/// A game.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ReviewedGame {
    #[serde(flatten)]
    head: GameHead,
    /// The moves that are reviewed, in their order.
    moves: Vec<MoveReviewDto>,
}

/// A game without its moves.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct GameHead {
    /// The headers, as they were given.
    #[schema(schema_with = headers)]
    headers: HeadersDto,
    /// The opening, where it has a name.
    #[schema(required, schema_with = opening_or_null)]
    opening: Option<OpeningDto>,
    /// How the game ended, as it was written down.
    #[schema(schema_with = results)]
    result: &'static str,
    /// How accurate each player was, in percent: the mean of the volatility-weighted mean and the
    /// harmonic mean of the moves' accuracies, Lichess's formula.
    accuracy: PerPlayer,
    /// The mean of the centipawns that the moves lost, with scores up to 1000.
    average_centipawn_loss: PerPlayer,
    /// Why the game cannot be reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<InvalidPgn>,
}

/// A number of each player. Null until all of the game is reviewed, and of a player who has not
/// moved.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub(crate) struct PerPlayer {
    /// White's.
    #[schema(required)]
    white: Option<f64>,
    /// Black's.
    #[schema(required)]
    black: Option<f64>,
}

/// An opening.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Opening)]
pub(crate) struct OpeningDto {
    /// Its code in the Encyclopaedia of Chess Openings.
    eco: &'static str,
    /// Its name.
    name: &'static str,
}

/// What is said of a move.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MoveReview)]
pub(crate) struct MoveReviewDto {
    /// Which half-move of the game, from 1.
    #[schema(minimum = 1)]
    ply: usize,
    /// The move in SAN.
    #[schema(value_type = String)]
    san: MoveText,
    /// The same in UCI.
    #[schema(value_type = String)]
    uci: MoveText,
    /// The position after it.
    fen: String,
    /// The score before it, from the view of the player who makes it.
    before: ScoreDto,
    /// The score after it, from the view of the side to move then: the other player.
    after: ScoreDto,
    /// The best move in its place, in UCI; null where the rules had ended the game before.
    #[schema(required, value_type = Option<String>)]
    best: Option<MoveText>,
    /// The same in SAN.
    #[schema(required, value_type = Option<String>)]
    best_san: Option<MoveText>,
    /// The best line in UCI, at most 20 half-moves of it. It begins with the best move.
    #[schema(value_type = Vec<String>)]
    line: Vec<MoveText>,
    /// The chance to win that the player lost by it, in percent; 0 for the best move.
    #[schema(minimum = 0, maximum = 100)]
    win_chance_loss: f64,
    /// `inaccuracy`, `mistake` or `blunder`: at least 5, 10 or 15 percent of win chance lost. Where
    /// a mate is lost or walked into, by how clear the game is all the same. Lichess's rules.
    #[schema(schema_with = judgements)]
    judgement: Option<&'static str>,
    /// How good it is, in percent: 103.1668 · e^(−0.04354 · `win_chance_loss`) − 2.1669, from 0 to
    /// 100. Lichess's formula.
    #[schema(minimum = 0, maximum = 100)]
    accuracy: f64,
}

/// Headers as an object.
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
    /// A job without its games.
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

impl From<GamePage> for ReviewedGame {
    fn from(page: GamePage) -> ReviewedGame {
        let moves = page.moves.iter().map(MoveReviewDto::from).collect();
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
            opening: page
                .opening
                .map(|opening| OpeningDto { eco: opening.eco, name: opening.name }),
            result: page.record.result.as_str(),
            headers: HeadersDto(page.record.headers),
            error: page.record.parsed.err().map(InvalidPgn::from),
        }
    }
}

impl From<&ReviewedMove> for MoveReviewDto {
    fn from(ReviewedMove { position, review }: &ReviewedMove) -> MoveReviewDto {
        let line: Vec<_> =
            line_texts(position, &review.best_line, CastlingNotation::Standard).collect();
        let best = line.first().copied();
        MoveReviewDto {
            ply: review.ply,
            san: MoveText(SanWriter::new(position).write(review.mv).text),
            uci: MoveText(to_uci_inline(position, review.mv, CastlingNotation::Standard)),
            fen: position.after(review.mv).fen(),
            before: review.score_before.into(),
            after: review.score_after.into(),
            best: best.map(|(uci, _)| uci),
            best_san: best.map(|(_, san)| san),
            line: line.into_iter().map(|(uci, _)| uci).collect(),
            win_chance_loss: round_to_hundredths(review.win_chance_loss),
            judgement: review.judgement.map(Judgement::name),
            accuracy: round_to_hundredths(review.accuracy),
        }
    }
}

/// To two places behind the point: more would say more than is known.
fn round_to_hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn id() -> ObjectBuilder {
    varying_text("Its id: 32 hex digits, which nobody can guess.").pattern(Some("^[0-9a-f]{32}$"))
}

fn url() -> ObjectBuilder {
    varying_text("Where it is: its path on this server.")
}

fn statuses() -> ObjectBuilder {
    let description = "Whether anything is done about it: `queued`, it waits for its turn; `running`; `done`; `failed`, a fault of the server \
                       has ended it.";
    string_enum(description, JobStatus::ALL.map(JobStatus::name))
}

fn results() -> ObjectBuilder {
    string_enum(
        "How the game ended, as it was written down; `*` when nobody knows.",
        ["1-0", "0-1", "1/2-1/2", "*"],
    )
}

fn judgements() -> ObjectBuilder {
    let names =
        [Judgement::Inaccuracy, Judgement::Mistake, Judgement::Blunder].map(Judgement::name);
    let description = "At least 5, 10 or 15 percent of win chance lost; where a mate is lost or walked into, by how clear the game is all the same \
                       (Lichess's rules). Null for a move that lost less.";
    nullable_string_enum(description, names)
}

fn opening_or_null() -> Schema {
    ref_or_null::<OpeningDto>("The opening, where it has a name.")
}

fn headers() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .additional_properties(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some("The headers, as they were given."))
}
