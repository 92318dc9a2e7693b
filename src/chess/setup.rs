//! A position without validation: what a FEN or another encoding describes.

use super::castling::is_standard_castling;
use super::{CastlingRights, CastlingSide, Color, File, Piece, Rank, Role, Square};

/// The greatest half-move clock. At 150 the 75-move rule ends the game in a draw.
pub const MAX_HALFMOVE_CLOCK: u16 = 150;
/// The greatest full-move number.
pub const MAX_FULLMOVE_NUMBER: u16 = 9999;

/// The parts of a FEN, which need not make a legal position. [`Setup::validate`] turns it into a
/// [`super::Position`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The pieces on a1, b1 … h8.
    pub board: [Option<Piece>; 64],
    /// The side to move.
    pub turn: Color,
    /// The castling rights with the files of their rooks.
    pub castling_rights: CastlingRights,
    /// The square that a pawn has just passed with a double step.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmove_clock: u16,
    /// The full-move number. It starts at 1 and increases after Black's move.
    pub fullmove_number: u16,
}

impl Setup {
    /// An empty board with White to move.
    pub const EMPTY: Setup = Setup {
        board: [None; 64],
        turn: Color::White,
        castling_rights: CastlingRights::NONE,
        en_passant: None,
        halfmove_clock: 0,
        fullmove_number: 1,
    };

    /// The piece placement in the form of a FEN.
    pub fn board_fen(&self) -> String {
        let mut text = String::with_capacity(72);
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.board[Square::new(file, rank).index()] {
                    Some(piece) => {
                        push_empty_squares(&mut text, empty);
                        empty = 0;
                        text.push(piece.letter());
                    }
                    None => empty += 1,
                }
            }
            push_empty_squares(&mut text, empty);
            if rank != Rank::First {
                text.push('/');
            }
        }
        text
    }

    /// `true` when king and rook are in place for a castling right with the rook on `rook`.
    pub(super) fn supports_castling(&self, color: Color, side: CastlingSide, rook: Square) -> bool {
        let home = Rank::First.relative_to(color);
        rook.rank() == home
            && self.board[rook.index()] == Some(Piece::new(color, Role::Rook))
            && self.back_rank_king(color).is_some_and(|king| match side {
                CastlingSide::King => rook.file() > king.file(),
                CastlingSide::Queen => rook.file() < king.file(),
            })
    }

    /// Whether a castling right has king and rook on their squares of standard chess.
    pub(super) fn is_standard_castling(
        &self,
        color: Color,
        side: CastlingSide,
        rook: File,
    ) -> bool {
        self.back_rank_king(color).is_some_and(|king| is_standard_castling(side, king.file(), rook))
    }

    /// The king on its own back rank; the first from the a-file when there are several.
    pub(super) fn back_rank_king(&self, color: Color) -> Option<Square> {
        let king = Some(Piece::new(color, Role::King));
        back_rank(color).find(|square| self.board[square.index()] == king)
    }
}

/// Appends the number of empty squares in a FEN, unless there are none.
pub(super) fn push_empty_squares(text: &mut String, count: u8) {
    if count > 0 {
        text.push((b'0' + count) as char);
    }
}

/// The squares of a player's first rank from a to h.
pub(super) fn back_rank(color: Color) -> impl DoubleEndedIterator<Item = Square> {
    File::ALL.into_iter().map(move |file| Square::new(file, Rank::First.relative_to(color)))
}
