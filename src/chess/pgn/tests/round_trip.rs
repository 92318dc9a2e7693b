//! Round trips: games that are written and read again.

use super::random::{self, Random};
use super::*;

/// The game with the headers that the writer adds.
fn with_roster(game: &PgnGame) -> PgnGame {
    let again = PgnReader::new(&write(game)).next();
    let headers = again.and_then(Result::ok).map(|again| again.headers).unwrap_or_default();
    for (name, value) in game.headers.iter() {
        assert_eq!(headers.get(name), Some(value), "header {name}");
    }
    PgnGame { headers, ..game.clone() }
}

#[test]
fn a_game_that_is_written_reads_back_the_same() {
    let mut random = Random::new(1);
    for n in 0..300 {
        let written = with_roster(&random::game(&mut random));
        let text = write(&written);
        assert!(game(&text) == written, "game {n}:\n{text}");
    }
}

#[test]
fn concatenated_games_are_read_one_by_one() {
    let mut random = Random::new(2);
    let written: Vec<_> = (0..100).map(|_| with_roster(&random::game(&mut random))).collect();
    let text: Vec<_> = written.iter().map(write).collect();
    assert!(games(&text.join("\n")) == written);
    assert!(
        games(&text.concat().replace('\n', "\r\n")) == written,
        "with carriage returns and without blank lines"
    );
}

#[test]
fn writing_is_stable_after_one_round_trip() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let text = write(&random::game(&mut random));
        // A random cut leaves parentheses and comments open.
        let cut = (0..random.below(text.len()))
            .rev()
            .find(|&offset| text.is_char_boundary(offset))
            .unwrap_or(0);
        for read in PgnReader::new(&text[..cut]).flatten() {
            let once = write(&read);
            assert_eq!(write(&game(&once)), once);
        }
    }
}

#[test]
fn the_text_between_two_reader_offsets_is_one_game() {
    let mut random = Random::new(4);
    let written: Vec<_> = (0..100).map(|_| with_roster(&random::game(&mut random))).collect();
    let text: String = written.iter().map(write).collect();
    let mut reader = PgnReader::new(&text);
    let mut begin = reader.offset();
    for expected in &written {
        assert!(reader.next().is_some_and(|read| read.as_ref() == Ok(expected)));
        assert!(game(&text[begin..reader.offset()]) == *expected);
        begin = reader.offset();
    }
}
