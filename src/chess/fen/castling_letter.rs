//! Castling letters of a FEN: `K`, `Q` and the files of rooks.

use crate::chess::setup::back_rank;
use crate::chess::{CastlingSide, Color, File, Piece, Role, Setup, Square};

/// The rook that a castling letter refers to.
pub(super) enum CastlingLetter {
    /// The outermost rook on a side of the king.
    Outermost(CastlingSide),
    /// The rook on a file.
    OnFile(File),
}

impl CastlingLetter {
    /// The player and the meaning of a letter.
    pub(super) fn parse(letter: char) -> Option<(Color, CastlingLetter)> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = match letter.to_ascii_lowercase() {
            'k' => CastlingLetter::Outermost(CastlingSide::King),
            'q' => CastlingLetter::Outermost(CastlingSide::Queen),
            lower => CastlingLetter::OnFile(File::from_letter(lower)?),
        };
        Some((color, rook))
    }

    /// The side and the file of the rook; `None` when king or rook is not in place.
    pub(super) fn find_rook(&self, setup: &Setup, color: Color) -> Option<(CastlingSide, File)> {
        let king = setup.back_rank_king(color)?;
        let is_rook =
            |square: &Square| setup.board[square.index()] == Some(Piece::new(color, Role::Rook));
        let (side, rook) = match *self {
            CastlingLetter::Outermost(CastlingSide::King) => (
                CastlingSide::King,
                back_rank(color).rev().take_while(|&square| square > king).find(is_rook)?,
            ),
            CastlingLetter::Outermost(CastlingSide::Queen) => (
                CastlingSide::Queen,
                back_rank(color).take_while(|&square| square < king).find(is_rook)?,
            ),
            CastlingLetter::OnFile(file) => {
                let side =
                    if file > king.file() { CastlingSide::King } else { CastlingSide::Queen };
                (side, Some(Square::new(file, king.rank())).filter(is_rook)?)
            }
        };
        Some((side, rook.file()))
    }
}
