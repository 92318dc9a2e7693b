//! A training game in viriformat.

use viriformat::chess::board::{Board, DrawType, GameOutcome, WinType};
use viriformat::chess::chessmove::Move as PackedMove;
use viriformat::dataformat::{Game as PackedGame, WDL};

use super::player::ScoredMove;
use kibitzer::chess::{Color, Move, Position, Role};
use kibitzer::engine::RawScore;

/// A game in progress: the start position, and every move with the score before it.
pub struct TrainingGame {
    game: PackedGame,
}

/// Score of a mate on the board, in linear centipawns. A mate in n plies scores n less; other
/// scores are clamped to [`MAX_SCORE`].
const MATE_SCORE: i32 = 30_000;
const MAX_SCORE: i32 = 29_000;

impl TrainingGame {
    /// A game from a start position; `None` if the format cannot represent the position.
    pub fn new(start: &Position) -> Option<TrainingGame> {
        viriformat_board(start).map(|board| TrainingGame { game: PackedGame::new(&board) })
    }

    /// Adds a move that was played in a position.
    pub fn add_move(&mut self, position: &Position, scored: ScoredMove) {
        // Only a1a1 is not a move.
        if let Some(mv) = PackedMove::from_raw(pack_move(position, scored.mv)) {
            self.game.add_move(mv, white_score(position.turn(), scored.score));
        }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.game.len()
    }

    /// `true` before the first move.
    pub fn is_empty(&self) -> bool {
        self.game.is_empty()
    }

    /// The bytes of the game with its result.
    ///
    /// # Errors
    ///
    /// Writing to a vector does not fail.
    pub fn finish(mut self, result: WDL) -> std::io::Result<Vec<u8>> {
        self.game.set_outcome(match result {
            WDL::Win => GameOutcome::WhiteWin(WinType::Adjudication),
            WDL::Loss => GameOutcome::BlackWin(WinType::Adjudication),
            WDL::Draw => GameOutcome::Draw(DrawType::Adjudication),
        });
        let mut bytes = Vec::new();
        self.game.serialise_into(&mut bytes)?;
        Ok(bytes)
    }
}

/// The position as a board of `viriformat`. It is parsed as Chess960, which accepts the castling
/// letters of any position.
fn viriformat_board(position: &Position) -> Option<Board> {
    let mut board = Board::new();
    board.set_from_fen(&position.shredder_fen(), true).ok().map(|()| board)
}

/// The move in 16 bits: from, to, promotion and kind. Castling is the king onto its rook.
fn pack_move(position: &Position, mv: Move) -> u16 {
    const PROMOTION: u16 = 0xC000;
    const EN_PASSANT: u16 = 0x4000;
    const CASTLING: u16 = 0x8000;
    let rook = mv.castling_side().and_then(|side| position.castling_rook(position.turn(), side));
    let to = rook.unwrap_or(mv.to());
    let kind = match mv.promotion() {
        Some(Role::Knight) => PROMOTION,
        Some(Role::Bishop) => PROMOTION | 1 << 12,
        Some(Role::Rook) => PROMOTION | 2 << 12,
        Some(_) => PROMOTION | 3 << 12,
        None if rook.is_some() => CASTLING,
        None if mv.is_en_passant() => EN_PASSANT,
        None => 0,
    };
    mv.from().index() as u16 | (to.index() as u16) << 6 | kind
}

/// The score in linear centipawns from White's view.
fn white_score(turn: Color, score: RawScore) -> i16 {
    let value = match score {
        RawScore::Cp(value) => value.clamp(-MAX_SCORE, MAX_SCORE),
        RawScore::Mate(moves) if moves > 0 => {
            MATE_SCORE - (2 * moves - 1).min(MATE_SCORE - MAX_SCORE)
        }
        RawScore::Mate(moves) => -MATE_SCORE + (-2 * moves).min(MATE_SCORE - MAX_SCORE),
    };
    (if turn.is_white() { value } else { -value }) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use kibitzer::chess::{Game, parse_move};

    /// Records the moves of a game, each with the same score, and reads them back with
    /// `viriformat`, which plays every move by its own rules in builds with debug assertions.
    fn round_trip(fen: &str, moves: &str, result: WDL) -> (PackedGame, Vec<Position>) {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        let mut training_game = TrainingGame::new(game.position()).unwrap();
        let mut positions = Vec::new();
        for text in moves.split(' ') {
            let mv = parse_move(game.position(), text).unwrap();
            training_game.add_move(game.position(), ScoredMove { mv, score: RawScore::Cp(25) });
            positions.push(game.position().clone());
            game.play(mv);
        }
        let bytes = training_game.finish(result).unwrap();
        (PackedGame::deserialise_from(&mut bytes.as_slice(), Vec::new()).unwrap(), positions)
    }

    #[test]
    fn every_kind_of_move_round_trips() {
        for (fen, moves) in [
            (
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "e4 d5 e5 f5 exf6 Kd7 fxg7 Kc6 gxh8=N Nf6 Nf3 Nbd7 Be2 Qe8 O-O",
            ),
            ("r3k2r/P6p/8/8/8/8/p6P/R3K2R b KQkq - 0 1", "O-O-O O-O Kb7 a8=B+ Kb6 h3 h6"),
            ("2k5/8/8/8/8/8/8/1R4KR w HB - 0 1", "O-O-O Kb7"),
            ("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", "O-O Kd7"),
        ] {
            let (game, positions) = round_trip(fen, moves, WDL::Draw);
            let mut board = game.initial_position();
            for ((mv, score), position) in game.moves.iter().zip(&positions) {
                let expected = super::viriformat_board(position).unwrap();
                let pieces = |board: &Board| {
                    format!("{board}").split(' ').take(2).map(str::to_owned).collect::<Vec<_>>()
                };
                assert_eq!(pieces(&board), pieces(&expected), "{moves}");
                assert_eq!(score.get(), if position.turn().is_white() { 25 } else { -25 });
                assert!(board.make_move_simple(*mv));
            }
            assert_eq!(game.len(), positions.len());
        }
    }

    #[test]
    fn the_result_is_in_the_start_position() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        for (ending, result) in
            [(WDL::Win, WDL::Win), (WDL::Loss, WDL::Loss), (WDL::Draw, WDL::Draw)]
        {
            assert_eq!(round_trip(start, "e4", ending).0.outcome(), result);
        }
    }

    #[test]
    fn mates_are_counted_in_plies_from_whites_side() {
        assert_eq!(white_score(Color::White, RawScore::Mate(1)), 29_999);
        assert_eq!(white_score(Color::Black, RawScore::Mate(2)), -29_997);
        assert_eq!(white_score(Color::White, RawScore::Mate(-1)), -29_998);
        assert_eq!(white_score(Color::Black, RawScore::Cp(-31)), 31);
        assert_eq!(white_score(Color::White, RawScore::Cp(1_000_000)), 29_000);
    }
}
