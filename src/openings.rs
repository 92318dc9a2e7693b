//! Opening names, by position.
//!
//! The names are those of <https://github.com/lichess-org/chess-openings>, which dedicates them to
//! the public domain (CC0 1.0). `names.txt` lists them in the order of their moves. Each line holds
//! the number of plies shared with the line above, the moves after them, the ECO code and the name.
//! `tests/openings` generates the file from that repository.
//!
//! The table is built at the first lookup, in about five milliseconds. Its 3,800 entries of 48
//! bytes take less than 200 kB, in addition to the text in the binary.

use std::sync::LazyLock;

use crate::chess::{Game, Position, parse_move};

/// The number of half-moves of a game in which its opening is looked up. No named opening is
/// longer.
pub const MAX_PLIES: usize = 60;

/// The text that the table is built from.
const NAMES: &str = include_str!("openings/names.txt");

static TABLE: LazyLock<Vec<Entry>> = LazyLock::new(|| build_table(NAMES));

/// An opening: its code in the Encyclopaedia of Chess Openings and its English name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opening {
    /// The ECO code, a letter and two digits: `B90`.
    pub eco: &'static str,
    /// The name: `Sicilian Defense: Najdorf Variation`.
    pub name: &'static str,
}

/// An opening and the key of its position.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    opening: Opening,
}

/// The opening with this position, for any order of moves.
pub fn find_by_position(position: &Position) -> Option<Opening> {
    let index = TABLE.binary_search_by_key(&position.key(), |entry| entry.key).ok()?;
    TABLE.get(index).map(|entry| entry.opening)
}

/// The opening of the last position of a game that has a name, among the start position and those
/// after the first [`MAX_PLIES`] half-moves.
pub fn find_by_game(game: &Game) -> Option<Opening> {
    let plies = game.moves().len().min(MAX_PLIES);
    (0..=plies).rev().find_map(|ply| find_by_position(game.position_before(ply)?))
}

/// The openings of a text in the order of their keys. Invalid lines are skipped; a test checks that
/// there are none.
fn build_table(names: &'static str) -> Vec<Entry> {
    let mut line_so_far = vec![Position::startpos()];
    let mut entries: Vec<Entry> =
        names.lines().filter_map(|line| parse_line(line, &mut line_so_far)).collect();
    entries.sort_unstable_by_key(|entry| entry.key);
    entries
}

/// Parses `<shared plies> <moves> <eco> <name>`, separated by tabs.
fn parse_line(line: &'static str, line_so_far: &mut Vec<Position>) -> Option<Entry> {
    let mut fields = line.split('\t');
    let (shared_plies, moves, eco, name) =
        (fields.next()?.parse::<usize>().ok()?, fields.next()?, fields.next()?, fields.next()?);
    line_so_far.truncate(shared_plies + 1);
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
        assert!(TABLE.windows(2).all(|pair| pair[0].key < pair[1].key), "the keys are unique");
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
    fn no_named_opening_is_longer_than_the_lookup() {
        let mut longest = 0;
        for line in NAMES.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            let shared_plies: usize = fields.next().unwrap().parse().unwrap();
            longest = longest.max(shared_plies + fields.next().unwrap().split(' ').count());
        }
        assert!((30..=MAX_PLIES).contains(&longest), "{longest}");
    }

    #[test]
    fn a_name_is_looked_up_in_the_first_plies_only() {
        let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(MAX_PLIES / 4);
        assert_eq!(game(&shuffle).moves().len(), MAX_PLIES);
        assert_eq!(name(&format!("{shuffle}e4")), name(&shuffle));
        assert_eq!(name("Nf3 Nf6 Ng1 Ng8 e4"), Some("King's Pawn Game"));
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
