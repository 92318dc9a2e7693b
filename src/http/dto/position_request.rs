//! A position in a request: one of `fen` and `packed`, then `moves` played from it.

use crate::chess::encodings::parse_packed;
use crate::chess::{FenWarning, Game, ParsedFen, Position, parse_fen, parse_move};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::{IllegalMoveReason, MemberErrorCode, Problem};

/// The FEN of a new game, by name.
const STARTPOS: &str = "startpos";

/// A position as a client names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PositionRequest {
    source: PositionSource,
    moves: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PositionSource {
    Fen(String),
    Packed(String),
}

/// A position proved legal, and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedPosition {
    /// The game: its start and the moves from there.
    pub(crate) game: Game,
    /// What was mended in the FEN.
    pub(crate) warnings: Vec<FenWarning>,
}

impl FromMembers for PositionRequest {
    fn read(members: &mut Members<'_>) -> Option<PositionRequest> {
        if members.has("fen") && members.has("packed") {
            members.add_error(
                MemberErrorCode::Conflict,
                "packed",
                "fen and packed can't both be given".to_owned(),
            );
        }
        if !members.has("fen") && !members.has("packed") && members.is_object() {
            members.add_error(
                MemberErrorCode::Missing,
                "fen",
                "one of fen and packed is needed".to_owned(),
            );
        }
        let packed = members.optional("packed").map(PositionSource::Packed);
        let fen = members.optional("fen").map(PositionSource::Fen);
        let moves: Option<Vec<String>> =
            if members.has("moves") { members.optional("moves") } else { Some(Vec::new()) };
        if let Some(moves) = &moves
            && moves.len() > members.max_moves()
        {
            let detail = format!(
                "moves has {} entries, but may have {} at most",
                moves.len(),
                members.max_moves()
            );
            members.add_error(MemberErrorCode::OutOfRange, "moves", detail);
        }
        Some(PositionRequest { source: fen.or(packed)?, moves: moves? })
    }
}

impl PositionRequest {
    /// How many moves are to be played.
    pub(crate) fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// Sets up the position and plays the moves.
    ///
    /// # Errors
    /// `invalid_fen`, `illegal_move`.
    pub(crate) fn resolve(&self) -> Result<ResolvedPosition, Problem> {
        let ParsedFen { position, warnings } = match &self.source {
            PositionSource::Fen(text) if text == STARTPOS => {
                ParsedFen { position: Position::startpos(), warnings: Vec::new() }
            }
            PositionSource::Fen(text) => parse_fen(text)?,
            PositionSource::Packed(text) => {
                ParsedFen { position: parse_packed(text)?, warnings: Vec::new() }
            }
        };
        let mut game = Game::new(position);
        for (index, text) in self.moves.iter().enumerate() {
            if game.outcome().is_over() {
                return Err(Problem::illegal_move(index, text, IllegalMoveReason::GameOver));
            }
            let mv = parse_move(game.position(), text).map_err(|error| {
                Problem::illegal_move(index, text, IllegalMoveReason::Text(error))
            })?;
            game.play(mv);
        }
        Ok(ResolvedPosition { game, warnings })
    }
}
