//! The piece placement field of a FEN.

use super::{Position, Rank};

impl Position {
    /// The piece placement in the form of a FEN.
    pub(super) fn board_fen(&self) -> String {
        let mut text = String::with_capacity(72);
        self.write_board(&mut text);
        text
    }

    /// Appends the piece placement in the form of a FEN.
    pub(super) fn write_board(&self, text: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut next = 0;
            for square in self.occupied() & rank.bitboard() {
                if let Some(piece) = self.piece_at(square) {
                    let file = square.file() as u8;
                    push_empty_squares(text, file - next);
                    next = file + 1;
                    text.push(piece.letter());
                }
            }
            push_empty_squares(text, 8 - next);
            if rank != Rank::First {
                text.push('/');
            }
        }
    }
}

fn push_empty_squares(text: &mut String, count: u8) {
    if count > 0 {
        text.push((b'0' + count) as char);
    }
}
