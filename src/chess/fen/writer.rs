//! Writing FENs.

use crate::chess::validity::shredder_castling;
use crate::chess::{Bitboard, CastlingSide, Color, File, Position, Rank, Role};

impl Position {
    /// The normalised FEN (X-FEN): a rook's file stands for a castling right only where the rook is
    /// not the outermost.
    pub fn fen(&self) -> String {
        self.write_fen(&self.x_fen_castling())
    }

    /// The FEN with the rooks' files for castling rights.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(&shredder_castling(self.castling_rights()))
    }

    fn write_fen(&self, castling: &str) -> String {
        let mut text = String::with_capacity(96);
        self.write_board(&mut text);
        text.push(' ');
        text.push(self.turn().letter());
        text.push(' ');
        text.push_str(castling);
        text.push(' ');
        match self.en_passant() {
            Some(square) => {
                text.push(square.file().letter());
                push_number(&mut text, square.rank() as u16 + 1);
            }
            None => text.push('-'),
        }
        text.push(' ');
        push_number(&mut text, self.halfmove_clock());
        text.push(' ');
        push_number(&mut text, self.fullmove_number());
        text
    }

    /// The placement alone, as a FEN has it.
    pub(in crate::chess) fn board_fen(&self) -> String {
        let mut text = String::with_capacity(72);
        self.write_board(&mut text);
        text
    }

    fn write_board(&self, text: &mut String) {
        for rank in Rank::ALL.into_iter().rev() {
            let mut next = 0;
            for square in self.occupied() & rank.bitboard() {
                if let Some(piece) = self.piece_at(square) {
                    let file = square.file() as u8;
                    push_empty(text, file - next);
                    next = file + 1;
                    text.push(piece.letter());
                }
            }
            push_empty(text, 8 - next);
            if rank != Rank::First {
                text.push('/');
            }
        }
    }

    fn x_fen_castling(&self) -> String {
        if self.castling_rights().is_empty() {
            return "-".to_owned();
        }
        let letter = |(color, side, rook): (Color, CastlingSide, File)| {
            let letter = match side {
                _ if self.outermost_rook(color, side) != Some(rook) => rook.letter(),
                CastlingSide::King => 'k',
                CastlingSide::Queen => 'q',
            };
            if color.is_white() { letter.to_ascii_uppercase() } else { letter }
        };
        self.castling_rights().iter().map(letter).collect()
    }

    /// The file of the rook that is farthest to that side on its player's back rank.
    fn outermost_rook(&self, color: Color, side: CastlingSide) -> Option<File> {
        let Bitboard(rooks) =
            self.pieces(color, Role::Rook) & Rank::First.relative_to(color).bitboard();
        let index = match side {
            CastlingSide::King => 63_u32.checked_sub(rooks.leading_zeros())?,
            CastlingSide::Queen => rooks.trailing_zeros(),
        };
        Some(File::from_index(index as u8))
    }
}

fn push_empty(text: &mut String, count: u8) {
    if count > 0 {
        text.push((b'0' + count) as char);
    }
}

fn push_number(text: &mut String, number: u16) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push((b'0' + (number % 10) as u8) as char);
}
