//! FEN output.

use crate::chess::{Bitboard, CastlingSide, Color, File, Position, Rank, Role};

impl Position {
    /// The normalised FEN (X-FEN). It names a castling right by the file of its rook only if the
    /// rook is not the outermost one.
    pub fn fen(&self) -> String {
        self.write_fen(&self.x_fen_castling())
    }

    /// The Shredder-FEN: it names every castling right by the file of its rook.
    pub fn shredder_fen(&self) -> String {
        self.write_fen(&self.castling_rights().to_shredder_fen())
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

    /// The file of the outermost rook on a side of its player's back rank.
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

fn push_number(text: &mut String, number: u16) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push((b'0' + (number % 10) as u8) as char);
}
