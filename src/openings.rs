//! Names of openings, by position.
//!
//! The names are those of <https://github.com/lichess-org/chess-openings>, which dedicates them to
//! the public domain (CC0 1.0). `names.txt` holds them in the order of their moves, each line with
//! what differs from the line above: how many plies are kept, the moves that follow, the ECO code
//! and the name. `tests/openings` makes it from the files of that repository.
//!
//! The table is built from it once, when the first name is asked for, in some five milliseconds. It
//! takes 48 bytes for each of its 3,800 names, less than 200 kB, beside the text that is part of
//! the program.

use std::sync::LazyLock;

use crate::chess::{Game, Position, parse_move};

/// The text that the table is built from.
const NAMES: &str = include_str!("openings/names.txt");

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| build_table(NAMES));

/// An opening: its code in the Encyclopaedia of Chess Openings and its English name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opening {
    /// A letter and two digits: `B90`.
    pub eco: &'static str,
    /// As `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// An opening and the key of the position that it is the name of.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    opening: Opening,
}

/// The opening whose position this is, whatever moves led to it.
pub fn find_by_position(position: &Position) -> Option<Opening> {
    let index = TABLE.binary_search_by_key(&position.key(), |entry| entry.key).ok()?;
    TABLE.get(index).map(|entry| entry.opening)
}

/// The opening of a game: that of its last position that has a name.
pub fn find_by_game(game: &Game) -> Option<Opening> {
    (0..=game.moves().len()).rev().find_map(|ply| find_by_position(game.position_before(ply)?))
}

/// The openings of a text, by rising key. A line that cannot be read is left out; a test reads them
/// all.
fn build_table(names: &'static str) -> Vec<Entry> {
    let mut line_so_far = vec![Position::startpos()];
    let mut entries: Vec<Entry> =
        names.lines().filter_map(|line| parse_line(line, &mut line_so_far)).collect();
    entries.sort_unstable_by_key(|entry| entry.key);
    entries
}

/// Reads `<plies kept> <moves> <eco> <name>`, separated by tabs.
fn parse_line(line: &'static str, line_so_far: &mut Vec<Position>) -> Option<Entry> {
    let mut fields = line.split('\t');
    let (kept, moves, eco, name) =
        (fields.next()?.parse::<usize>().ok()?, fields.next()?, fields.next()?, fields.next()?);
    line_so_far.truncate(kept + 1);
    for text in moves.split(' ') {
        let mut position = line_so_far.last()?.clone();
        position.play(parse_move(&position, text).ok()?);
        line_so_far.push(position);
    }
    Some(Entry { key: line_so_far.last()?.key(), opening: Opening { eco, name } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        let mut game = Game::new(Position::startpos());
        moves
            .split_whitespace()
            .for_each(|text| game.play(parse_move(game.position(), text).unwrap()));
        game
    }

    fn name(moves: &str) -> Option<&'static str> {
        find_by_game(&game(moves)).map(|opening| opening.name)
    }

    #[test]
    fn every_line_names_a_unique_position() {
        let lines = NAMES.lines().filter(|line| !line.starts_with('#')).count();
        assert!(lines > 3_000, "{lines} lines");
        assert_eq!(TABLE.len(), lines);
        assert!(TABLE.windows(2).all(|pair| pair[0].key < pair[1].key), "no key twice");
        for Entry { opening, .. } in TABLE.iter() {
            let [letter, tens, ones] = opening.eco.as_bytes() else { panic!("{opening:?}") };
            assert!(
                (b'A'..=b'E').contains(letter) && tens.is_ascii_digit() && ones.is_ascii_digit(),
                "{opening:?}"
            );
            assert!(!opening.name.is_empty(), "{opening:?}");
        }
    }

    #[test]
    fn an_entry_takes_at_most_48_bytes() {
        assert!(size_of::<Entry>() <= 48);
    }

    #[test]
    fn the_deepest_name_wins() {
        assert_eq!(name("e4"), Some("King's Pawn Game"));
        assert_eq!(name("e4 c5"), Some("Sicilian Defense"));
        assert_eq!(
            name("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"),
            Some("Sicilian Defense: Najdorf Variation")
        );
        assert_eq!(
            name("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 a3 h5 h4 a5"),
            Some("Sicilian Defense: Najdorf Variation")
        );
        assert_eq!(find_by_game(&game("d4 d5 c4")).map(|opening| opening.eco), Some("D06"));
    }

    #[test]
    fn transpositions_are_found() {
        assert_eq!(
            name("Nf3 c5 e4 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6"),
            Some("Sicilian Defense: Najdorf Variation")
        );
        assert_eq!(name("c4 e6 d4 d5"), name("d4 d5 c4 e6"));
        assert_eq!(name("c4 e6 d4 d5"), Some("Queen's Gambit Declined"));
    }

    #[test]
    fn unnamed_positions_have_no_opening() {
        assert_eq!(name(""), None);
        let bare_kings = Position::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap();
        assert_eq!(find_by_position(&bare_kings), None);
    }
}
