//! The position of a call: a FEN, or a PGN with a ply, and moves from there.

use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::error::ToolError;
use crate::chess::pgn::{PgnError, PgnGame, PgnReader};
use crate::chess::{CastlingNotation, Game, to_uci};

/// More moves than this are cut at the last one that cannot be taken back. Openings are shorter.
const LONG_GAME: usize = 300;

/// A position as the API takes it.
#[derive(Clone, Debug)]
pub(super) struct PositionArgument {
    fen: String,
    /// The moves of the PGN, then those of the call.
    moves: Vec<String>,
    /// The number of moves from the PGN.
    moves_of_pgn: usize,
}

impl PositionArgument {
    /// Reads `fen`, `pgn`, `ply` and `moves`. The API checks the FEN and the moves.
    ///
    /// # Errors
    /// `invalid_request`, and `invalid_pgn` for a PGN that cannot be read.
    pub(super) fn read(arguments: &Arguments) -> Result<PositionArgument, ToolError> {
        let own_moves = arguments.texts("moves")?;
        let (fen, mut moves) = match (arguments.text("fen")?, arguments.text("pgn")?) {
            (Some(_), Some(_)) => return Err(refused("fen and pgn can't both be given")),
            (None, None) => {
                return Err(refused(
                    "fen or pgn is missing; the fen of the start position is \"startpos\"",
                ));
            }
            (Some(_), None) if arguments.has("ply") => {
                return Err(refused("ply belongs to pgn; with fen, give moves instead"));
            }
            (Some(fen), None) => (fen.to_owned(), Vec::new()),
            (None, Some(pgn)) => {
                let game = read_game(pgn)?;
                let plies = game.line.moves.len();
                let ply = arguments.number("ply", 0..=plies as u64).map_err(|error| {
                    let detail = error.detail().to_owned();
                    error.with_detail(format!("{detail}; the game has {plies} plies"))
                })?;
                let ply = ply.and_then(|ply| usize::try_from(ply).ok()).unwrap_or(plies);
                history(&game.to_game(), ply)
            }
        };
        let moves_of_pgn = moves.len();
        moves.extend(own_moves);
        Ok(PositionArgument { fen, moves, moves_of_pgn })
    }

    /// The position after one more move.
    pub(super) fn after(&self, mv: &str) -> PositionArgument {
        let mut after = self.clone();
        after.moves.push(mv.to_owned());
        after
    }

    /// The number of moves, those of the PGN included.
    pub(super) fn move_count(&self) -> usize {
        self.moves.len()
    }

    /// The number of moves from the PGN.
    pub(super) fn moves_of_pgn(&self) -> usize {
        self.moves_of_pgn
    }

    /// A request of the API with this position and further members.
    pub(super) fn request(&self, members: Value) -> Value {
        let mut request = Map::from_iter([
            ("fen".to_owned(), json!(self.fen)),
            ("moves".to_owned(), json!(self.moves)),
        ]);
        if let Value::Object(members) = members {
            request.extend(members);
        }
        Value::Object(request)
    }
}

fn refused(detail: &str) -> ToolError {
    ToolError::invalid_request(detail)
}

/// The first game of a PGN text.
pub(super) fn read_game(pgn: &str) -> Result<PgnGame, ToolError> {
    match PgnReader::new(pgn).next() {
        Some(Ok(game)) => Ok(game),
        Some(Err(bad)) => {
            let PgnError { line, column, text, kind, .. } = bad.error;
            let place = format!("line {line}, column {column}");
            let detail = format!("the PGN can't be read: {place}: {text:?}: {kind}");
            Err(ToolError::new("invalid_pgn", detail))
        }
        None => Err(ToolError::new("invalid_pgn", "the PGN text contains no game")),
    }
}

/// A position of a game and the moves from there up to this ply: from the start, or in a long game
/// from the last capture or pawn move, because earlier positions cannot come back. A PGN may go on
/// after the end of the game by the rules, where the API refuses moves; then the position stands
/// without its history.
fn history(game: &Game, ply: usize) -> (String, Vec<String>) {
    let mut replayed = Game::new(game.start().clone());
    let mut from = game.start().fen();
    let mut texts = Vec::new();
    let mut is_over = false;
    for &mv in game.moves().iter().take(ply) {
        is_over = is_over || replayed.outcome().is_over();
        texts.push(to_uci(replayed.position(), mv, CastlingNotation::Chess960));
        replayed.play(mv);
        if ply > LONG_GAME && replayed.position().halfmove_clock() == 0 {
            from = replayed.position().fen();
            texts.clear();
        }
    }
    if is_over { (replayed.position().fen(), Vec::new()) } else { (from, texts) }
}
