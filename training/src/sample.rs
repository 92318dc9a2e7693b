//! One training position in 32 bytes.

use kibitzer::chess::{Color, Position, Square};
use viriformat::chess::board::Board;
use viriformat::chess::piece::Colour;

/// The size of [`Sample::to_record`].
pub const RECORD_BYTES: usize = 32;

/// The result of the game that a position comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    /// The side to move of the position lost the game.
    Loss,
    /// The game was drawn.
    Draw,
    /// The side to move of the position won the game.
    Win,
    /// The result is unknown; the target is the score alone.
    Unknown,
}

impl GameResult {
    /// The result from the other side's point of view.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Win => Self::Loss,
            other => other,
        }
    }

    /// Points of the side to move: 0, ½ or 1; `None` if the result is unknown.
    #[must_use]
    pub fn points(self) -> Option<f32> {
        match self {
            Self::Loss => Some(0.0),
            Self::Draw => Some(0.5),
            Self::Win => Some(1.0),
            Self::Unknown => None,
        }
    }
}

/// A piece of a training position, from the side to move's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// Pawn 0, knight 1, bishop 2, rook 3, queen 4, king 5.
    pub role: u8,
    /// Whether the piece belongs to the side to move.
    pub own: bool,
    /// a1 = 0 … h8 = 63; the side to move plays up the board.
    pub square: u8,
}

/// A position with its score and the game's result, all from the side to move's point of view.
///
/// With Black to move, every square's rank is flipped and the colours are exchanged. So the side to
/// move always plays up the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// Four bits per piece, by rising square: bits 0–2 hold the role, bit 3 marks the opponent's.
    pieces: [u8; 16],
    score: i16,
    result: GameResult,
    own_king: u8,
    their_king: u8,
}

impl Sample {
    /// Packs `board` with a `score` in centipawns and a `result`, both from **White's** point of
    /// view.
    #[must_use]
    pub fn new(board: &Board, score: i16, result: GameResult) -> Self {
        let turn = board.turn();
        let (flip, score, result) = if turn == Colour::Black {
            (56, score.saturating_neg(), result.reversed())
        } else {
            (0, score, result)
        };

        let mut placed = [0_u8; 64];
        let mut occupied = 0_u64;
        board.pieces.visit_pieces(|square, piece| {
            let square = square.index() ^ flip;
            occupied |= 1 << square;
            let theirs = u8::from(piece.colour() != turn);
            placed[square] = piece.piece_type().inner() | (theirs << 3);
        });

        let mut pieces = [0_u8; 16];
        for (i, square) in squares(occupied).take(32).enumerate() {
            pieces[i / 2] |= placed[usize::from(square)] << (4 * (i % 2));
        }
        let king = |colour| (board.king_sq(colour).index() ^ flip) as u8;
        Self {
            occupied,
            pieces,
            score,
            result,
            own_king: king(turn),
            their_king: king(turn.flip()),
        }
    }

    /// Packs a `position` of the engine's rules, as [`Sample::new`] packs a board.
    #[must_use]
    pub fn from_position(position: &Position, score: i16, result: GameResult) -> Self {
        let turn = position.turn();
        let white = position.occupied().0;
        let (flip, occupied, score, result) = if turn == Color::Black {
            (56, white.swap_bytes(), score.saturating_neg(), result.reversed())
        } else {
            (0, white, score, result)
        };

        let mut pieces = [0_u8; 16];
        for (i, square) in squares(occupied).take(32).enumerate() {
            if let Some(piece) = position.piece_at(Square::from_index(square ^ flip)) {
                let theirs = u8::from(piece.color() != turn);
                pieces[i / 2] |= (piece.role() as u8 | theirs << 3) << (4 * (i % 2));
            }
        }
        let king = |color| position.king(color).index() as u8 ^ flip;
        let (own_king, their_king) = (king(turn), king(!turn));
        Self { occupied, pieces, score, result, own_king, their_king }
    }

    /// The sample as a record for programs in other languages. Numbers are little-endian, squares
    /// and colours are as in [`PlacedPiece`].
    ///
    /// | bytes | content |
    /// |---|---|
    /// | 0–7 | u64, the occupied squares |
    /// | 8–23 | four bits per piece, by rising square: bits 0–2 the role, bit 3 the opponent's |
    /// | 24–25 | i16, score in centipawns |
    /// | 26 | result: 0 lost, 1 drawn, 2 won, 3 unknown |
    /// | 27, 28 | squares of the own king and of the opponent's |
    /// | 29–31 | 0 |
    #[must_use]
    pub fn to_record(&self) -> [u8; RECORD_BYTES] {
        let result = match self.result {
            GameResult::Loss => 0,
            GameResult::Draw => 1,
            GameResult::Win => 2,
            GameResult::Unknown => 3,
        };
        let mut record = [0; RECORD_BYTES];
        record[..8].copy_from_slice(&self.occupied.to_le_bytes());
        record[8..24].copy_from_slice(&self.pieces);
        record[24..26].copy_from_slice(&self.score.to_le_bytes());
        record[26..29].copy_from_slice(&[result, self.own_king, self.their_king]);
        record
    }

    /// The score in centipawns, from the side to move's point of view.
    #[must_use]
    pub fn score(&self) -> i16 {
        self.score
    }

    /// The sample with an unknown result.
    #[must_use]
    pub fn without_result(self) -> Self {
        Self { result: GameResult::Unknown, ..self }
    }

    /// The game's result for the side to move.
    #[must_use]
    pub fn result(&self) -> GameResult {
        self.result
    }

    /// The number of pieces, kings and pawns included.
    #[must_use]
    pub fn piece_count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The square of the side to move's king.
    #[must_use]
    pub fn own_king(&self) -> u8 {
        self.own_king
    }

    /// The square of the opponent's king; the side to move plays up the board.
    #[must_use]
    pub fn their_king(&self) -> u8 {
        self.their_king
    }

    /// The pieces by rising square.
    pub fn pieces(&self) -> impl Iterator<Item = PlacedPiece> + '_ {
        squares(self.occupied).take(32).enumerate().map(|(i, square)| {
            let code = self.pieces[i / 2] >> (4 * (i % 2)) & 15;
            PlacedPiece { role: code & 7, own: code & 8 == 0, square }
        })
    }
}

/// The set bits of a bitboard, lowest first.
fn squares(mut bits: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (square < 64).then_some(square as u8)
    })
}
