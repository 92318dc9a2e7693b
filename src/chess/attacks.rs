//! Attack tables of the pieces, and the lines between squares.

pub use super::magics::{bishop_attacks, rook_attacks};
use super::magics::{slow_bishop_rays, slow_rook_rays};
use super::{Bitboard, Color, Role, Square};

const KNIGHT_STEPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i8, i8); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

const fn leaper_attacks<const N: usize>(steps: [(i8, i8); N]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut n = 0;
        while n < N {
            let file = (square % 8) as i8 + steps[n].0;
            let rank = (square / 8) as i8 + steps[n].1;
            if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                table[square].0 |= 1 << (8 * rank + file);
            }
            n += 1;
        }
        square += 1;
    }
    table
}

const fn empty_board_rays(orthogonal: bool) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(if orthogonal {
            slow_rook_rays(square as u8)
        } else {
            slow_bishop_rays(square as u8)
        });
        square += 1;
    }
    table
}

static KNIGHT_ATTACKS: [Bitboard; 64] = leaper_attacks(KNIGHT_STEPS);
static KING_ATTACKS: [Bitboard; 64] = leaper_attacks(KING_STEPS);
static PAWN_ATTACKS: [[Bitboard; 64]; 2] =
    [leaper_attacks([(-1, 1), (1, 1)]), leaper_attacks([(-1, -1), (1, -1)])];
static BISHOP_RAYS: [Bitboard; 64] = empty_board_rays(false);
static ROOK_RAYS: [Bitboard; 64] = empty_board_rays(true);

/// The step of one square from `a` towards `b`; (0, 0) when no line joins them.
const fn direction(a: usize, b: usize) -> (i8, i8) {
    let files = (b % 8) as i8 - (a % 8) as i8;
    let ranks = (b / 8) as i8 - (a / 8) as i8;
    if files == 0 || ranks == 0 || files == ranks || files == -ranks {
        (files.signum(), ranks.signum())
    } else {
        (0, 0)
    }
}

static BETWEEN: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (file_step, rank_step) = direction(a, b);
            let step = 8 * rank_step + file_step;
            if step != 0 {
                let mut square = a as i8 + step;
                while square != b as i8 {
                    table[a][b].0 |= 1 << square;
                    square += step;
                }
            }
            b += 1;
        }
        a += 1;
    }
    table
};

static LINE: [[Bitboard; 64]; 64] = {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let ends = 1 << a | 1 << b;
            if a != b && slow_rook_rays(a as u8) & 1 << b != 0 {
                table[a][b] = Bitboard(slow_rook_rays(a as u8) & slow_rook_rays(b as u8) | ends);
            } else if a != b && slow_bishop_rays(a as u8) & 1 << b != 0 {
                table[a][b] =
                    Bitboard(slow_bishop_rays(a as u8) & slow_bishop_rays(b as u8) | ends);
            }
            b += 1;
        }
        a += 1;
    }
    table
};

/// The squares that a knight attacks.
#[inline]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT_ATTACKS[square.index()]
}

/// The squares that a king attacks.
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING_ATTACKS[square.index()]
}

/// The squares that a pawn of `color` attacks.
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN_ATTACKS[color as usize][square.index()]
}

/// The squares that a queen attacks, up to and including the first occupied square of each line.
#[inline]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

/// The squares that a piece of `color` and `role` attacks.
#[inline]
pub fn attacks(color: Color, role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => pawn_attacks(color, square),
        Role::Knight => knight_attacks(square),
        Role::Bishop => bishop_attacks(square, occupied),
        Role::Rook => rook_attacks(square, occupied),
        Role::Queen => queen_attacks(square, occupied),
        Role::King => king_attacks(square),
    }
}

/// The squares that a bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// The squares that a rook attacks on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// The squares strictly between two squares of one rank, file or diagonal; empty for other squares.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The occupied squares that alone stand between a square and one of these sliders of its lines: a
/// piece that leaves such a square opens the line.
#[inline]
pub fn sole_blockers(square: Square, sliders: Bitboard, occupied: Bitboard) -> Bitboard {
    let mut blockers = Bitboard::EMPTY;
    for slider in sliders {
        let on_line = between(square, slider) & occupied;
        if !on_line.more_than_one() {
            blockers |= on_line;
        }
    }
    blockers
}

/// The whole rank, file or diagonal through two squares, from edge to edge; empty when no line
/// joins them.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}
