//! Random legal positions of three and four men.

use kibitzer::chess::{Color, Piece, Position, Role, Setup, Square};

use crate::random::Random;

/// A legal position with the kings and these other men on random squares.
pub(crate) fn random_position(random: &mut Random, men: &[Piece]) -> Position {
    loop {
        let mut setup = Setup {
            turn: if below(random, 2) == 0 { Color::White } else { Color::Black },
            fullmove_number: 1,
            ..Setup::EMPTY
        };
        let kings = Color::ALL.map(|color| Piece::new(color, Role::King));
        for &piece in kings.iter().chain(men) {
            let free: Vec<Square> =
                Square::all().filter(|square| setup.board[square.index()].is_none()).collect();
            setup.board[free[below(random, free.len())].index()] = Some(piece);
        }
        if let Ok(position) = setup.validate() {
            return position;
        }
    }
}

/// One or two random men besides the kings.
pub(crate) fn random_men(random: &mut Random) -> Vec<Piece> {
    let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let count = 1 + below(random, 2);
    (0..count)
        .map(|_| Piece::new(Color::ALL[below(random, 2)], roles[below(random, roles.len())]))
        .collect()
}

/// A number below `limit`.
pub(crate) fn below(random: &mut Random, limit: usize) -> usize {
    (random.next() % limit as u64) as usize
}
