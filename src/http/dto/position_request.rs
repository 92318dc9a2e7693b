//! A position in a request: one of `fen` and `packed`, then `moves` played from it.

use crate::chess::forms::read_packed;
use crate::chess::{FenReading, FenWarning, Game, Position, read_fen, read_move};
use crate::http::json::{FromMembers, Members};
use crate::http::problem::{MemberFault, Problem, WhyNot};

/// The FEN of a new game, by name.
const STARTPOS: &str = "startpos";

/// A position as a client names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PositionRequest {
    source: Source,
    moves: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Fen(String),
    Packed(String),
}

/// A position proved legal, and how it came about.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    /// The game: its start and the moves from there.
    pub(crate) game: Game,
    /// What was mended in the FEN.
    pub(crate) warnings: Vec<FenWarning>,
}

impl FromMembers for PositionRequest {
    fn read(members: &mut Members<'_>) -> Option<PositionRequest> {
        if members.has("fen") && members.has("packed") {
            members.fault(
                MemberFault::Conflict,
                "packed",
                "fen and packed can't both be given".to_owned(),
            );
        }
        if !members.has("fen") && !members.has("packed") && members.is_object() {
            members.fault(
                MemberFault::Missing,
                "fen",
                "one of fen and packed is needed".to_owned(),
            );
        }
        let packed = members.optional("packed").map(Source::Packed);
        let fen = members.optional("fen").map(Source::Fen);
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
            members.fault(MemberFault::OutOfRange, "moves", detail);
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
    pub(crate) fn resolve(&self) -> Result<Resolved, Problem> {
        let FenReading { position, warnings } = match &self.source {
            Source::Fen(text) if text == STARTPOS => {
                FenReading { position: Position::startpos(), warnings: Vec::new() }
            }
            Source::Fen(text) => read_fen(text)?,
            Source::Packed(text) => {
                FenReading { position: read_packed(text)?, warnings: Vec::new() }
            }
        };
        let mut game = Game::new(position);
        for (index, text) in self.moves.iter().enumerate() {
            if game.outcome().is_over() {
                return Err(Problem::illegal_move(index, text, WhyNot::GameOver));
            }
            let mv = read_move(game.position(), text)
                .map_err(|error| Problem::illegal_move(index, text, WhyNot::Text(error)))?;
            game.play(mv);
        }
        Ok(Resolved { game, warnings })
    }
}
