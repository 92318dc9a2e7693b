//! Roles (kinds of pieces) and pieces of one colour.

use super::Color;

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Role {
    /// The pawn.
    Pawn,
    /// The knight.
    Knight,
    /// The bishop.
    Bishop,
    /// The rook.
    Rook,
    /// The queen.
    Queen,
    /// The king.
    King,
}

impl Role {
    /// All roles, by rising value.
    pub const ALL: [Role; 6] =
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// The roles that a pawn may promote to, in the order of the move code (knight 0 … queen 3).
    pub const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

    /// The English name in lower case, the form of the HTTP contract.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        }
    }

    /// The lower-case letter: `p n b r q k`.
    pub const fn letter(self) -> char {
        match self {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
        }
    }

    /// The upper-case letter, as in SAN.
    pub const fn upper_letter(self) -> char {
        self.letter().to_ascii_uppercase()
    }

    /// The role with a lower-case letter.
    pub const fn from_letter(letter: char) -> Option<Role> {
        Some(match letter {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        })
    }
}

/// A piece of one colour. The discriminant is `2 · role + colour`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names of the variants are complete")]
pub enum Piece {
    WhitePawn,
    BlackPawn,
    WhiteKnight,
    BlackKnight,
    WhiteBishop,
    BlackBishop,
    WhiteRook,
    BlackRook,
    WhiteQueen,
    BlackQueen,
    WhiteKing,
    BlackKing,
}

impl Piece {
    /// All pieces, by rising discriminant.
    pub const ALL: [Piece; 12] = [
        Piece::WhitePawn,
        Piece::BlackPawn,
        Piece::WhiteKnight,
        Piece::BlackKnight,
        Piece::WhiteBishop,
        Piece::BlackBishop,
        Piece::WhiteRook,
        Piece::BlackRook,
        Piece::WhiteQueen,
        Piece::BlackQueen,
        Piece::WhiteKing,
        Piece::BlackKing,
    ];

    /// The piece of a colour and role.
    #[inline]
    pub const fn new(color: Color, role: Role) -> Piece {
        Piece::ALL[2 * role as usize + color as usize]
    }

    /// The colour of the piece.
    #[inline]
    pub const fn color(self) -> Color {
        if self as u8 & 1 == 0 { Color::White } else { Color::Black }
    }

    /// The role of the piece.
    #[inline]
    pub const fn role(self) -> Role {
        match self as u8 >> 1 {
            0 => Role::Pawn,
            1 => Role::Knight,
            2 => Role::Bishop,
            3 => Role::Rook,
            4 => Role::Queen,
            _ => Role::King,
        }
    }

    /// The piece code of the board encodings: 1–6 for White's pawn … king, 7–12 for Black's. Code 0
    /// is an empty square.
    #[inline]
    pub const fn code(self) -> u8 {
        6 * self.color() as u8 + self.role() as u8 + 1
    }

    /// The FEN letter: upper case for White, lower case for Black.
    pub const fn letter(self) -> char {
        match self.color() {
            Color::White => self.role().upper_letter(),
            Color::Black => self.role().letter(),
        }
    }

    /// The piece with a FEN letter.
    #[inline]
    pub fn from_letter(letter: char) -> Option<Piece> {
        if letter.is_ascii() { BY_LETTER[letter as usize] } else { None }
    }
}

/// The pieces by FEN letter. A table avoids mispredicted branches, which dominate the time to parse
/// a FEN.
static BY_LETTER: [Option<Piece>; 128] = {
    let mut table = [None; 128];
    let mut n = 0;
    while n < Piece::ALL.len() {
        table[Piece::ALL[n].letter() as usize] = Some(Piece::ALL[n]);
        n += 1;
    }
    table
};
