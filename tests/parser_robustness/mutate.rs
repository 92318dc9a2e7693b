//! Mutations of valid inputs, and noise.

use crate::random::Random;

impl Random {
    /// A number from 0 up to but not including `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The upper half of the product is nearly uniform for ends this small.
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// `true` once in `times` calls, on average.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// A valid input with a few edits: bytes inserted, removed, replaced, swapped, repeated or
/// truncated.
pub(crate) fn edit(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    loop {
        edit_once(random, &mut bytes, alphabet);
        if !random.once_in(3) {
            return bytes;
        }
    }
}

fn edit_once(random: &mut Random, bytes: &mut Vec<u8>, alphabet: &[u8]) {
    let place = random.below(bytes.len());
    let letter = if random.once_in(16) { random.next() as u8 } else { *random.pick(alphabet) };
    match random.below(16) {
        _ if bytes.is_empty() => bytes.push(letter),
        0..6 => bytes[place] = letter,
        6..10 => bytes.insert(place, letter),
        10..12 => drop(bytes.remove(place)),
        12 => bytes[place] ^= 1 << random.below(8),
        13 => {
            let other = random.below(bytes.len());
            bytes.swap(place, other);
        }
        14 => {
            let end = (place + 1 + random.below(8)).min(bytes.len());
            let doubled = bytes[place..end].to_vec();
            bytes.splice(place..place, doubled);
        }
        _ => bytes.truncate(place),
    }
}

/// Noise: random bytes, or random characters of the alphabet.
pub(crate) fn noise(random: &mut Random, alphabet: &[u8]) -> Vec<u8> {
    let length = if random.once_in(64) { random.below(5_000) } else { random.below(100) };
    let any = random.once_in(2);
    (0..length).map(|_| if any { random.next() as u8 } else { *random.pick(alphabet) }).collect()
}

/// A FEN with another piece, another clock, fewer castling rights or another spelling of a field;
/// sometimes with an additional edit.
pub(crate) fn rewrite_fen(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut fields: Vec<Vec<u8>> =
        valid.split(|&letter| letter == b' ').map(<[u8]>::to_vec).collect();
    match random.below(8) {
        0 => replace_one(random, &mut fields[0], b"nbrq"),
        1 => replace_one(random, &mut fields[0], b"NBRQ"),
        2 => split_empty_squares(random, &mut fields[0]),
        3 if fields[2].len() > 1 => {
            let lost = random.below(fields[2].len());
            fields[2].remove(lost);
        }
        3 | 4 => fields[4 + random.below(2)] = random.below(160).to_string().into_bytes(),
        5 => fields.truncate(4 + random.below(2)),
        6 => fields
            .iter_mut()
            .for_each(|field| field.extend_from_slice(random.pick::<&[u8]>(&[b"", b"_", b"  "]))),
        _ => return edit(random, valid, alphabet),
    }
    let bytes = fields.join(&b' ');
    if random.once_in(3) { edit(random, &bytes, alphabet) } else { bytes }
}

/// Replaces one letter of a set with a random letter of the same set.
fn replace_one(random: &mut Random, bytes: &mut [u8], set: &[u8]) {
    let places: Vec<usize> =
        (0..bytes.len()).filter(|&place| set.contains(&bytes[place])).collect();
    if !places.is_empty() {
        bytes[*random.pick(&places)] = *random.pick(set);
    }
}

/// Writes a run of empty squares as two digits.
fn split_empty_squares(random: &mut Random, board: &mut Vec<u8>) {
    let places: Vec<usize> =
        (0..board.len()).filter(|&place| (b'2'..=b'8').contains(&board[place])).collect();
    if !places.is_empty() {
        let place = *random.pick(&places);
        let first = b'1' + random.below(usize::from(board[place] - b'1')) as u8;
        board[place] -= first - b'0';
        board.insert(place, first);
    }
}

/// A move in another common spelling: other annotation marks, zeros in castling, without `x` or
/// `=`; sometimes with an additional edit.
pub(crate) fn rewrite_move(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    match random.below(6) {
        0 => bytes.extend_from_slice(random.pick::<&[u8]>(&[b"!", b"?", b"!?", b"+", b"#", b"??"])),
        1 => bytes.retain(|letter| !b"+#".contains(letter)),
        2 => bytes.retain(|letter| !b"x=".contains(letter)),
        3 => bytes.iter_mut().filter(|letter| **letter == b'O').for_each(|letter| *letter = b'0'),
        _ => return edit(random, valid, alphabet),
    }
    if random.once_in(3) { edit(random, &bytes, alphabet) } else { bytes }
}

/// A game with a brace, bracket or parenthesis more or less, other line ends or another encoding;
/// sometimes with an additional edit.
pub(crate) fn rewrite_game(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    let place = random.below(bytes.len());
    match random.below(6) {
        0 => bytes.insert(place, *random.pick(b"{}()[];%\"")),
        1 => bytes.retain(|byte| !b"})".contains(byte)),
        2 => bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'\r'),
        3 => bytes.splice(0..0, [0xef, 0xbb, 0xbf]).for_each(drop),
        4 => bytes.truncate(place),
        _ => return edit(random, valid, alphabet),
    }
    if random.once_in(3) { edit(random, &bytes, alphabet) } else { bytes }
}

/// A line with words swapped, removed, repeated or replaced; sometimes with an additional edit.
pub(crate) fn reorder_words(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut words: Vec<Vec<u8>> =
        valid.split(|&letter| letter == b' ').map(<[u8]>::to_vec).collect();
    let (one, other) = (random.below(words.len()), random.below(words.len()));
    match random.below(6) {
        0 => words.swap(one, other),
        1 => drop(words.remove(one)),
        2 => words.insert(other, words[one].clone()),
        3 => {
            words[one] = random
                .pick::<&[u8]>(&[
                    b"-1",
                    b"99999999999999999999",
                    b"0",
                    b"value",
                    b"moves",
                    b"depth",
                ])
                .to_vec()
        }
        4 => words[one].clear(),
        _ => return edit(random, valid, alphabet),
    }
    let bytes = words.join(&b' ');
    if random.once_in(3) { edit(random, &bytes, alphabet) } else { bytes }
}

/// A JSON text with other white space between its tokens; sometimes with an additional edit.
pub(crate) fn rewrite_json(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    if random.once_in(4) {
        return edit(random, valid, alphabet);
    }
    let mut bytes = Vec::with_capacity(valid.len() + 8);
    let (mut quoted, mut escaped) = (false, false);
    for &byte in valid {
        bytes.push(byte);
        quoted ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        if !quoted && b"{}[],:\"".contains(&byte) && random.once_in(8) {
            bytes.push(*random.pick(b" \t\r\n"));
        }
    }
    if random.once_in(2) { edit(random, &bytes, alphabet) } else { bytes }
}

/// A search with other limits; sometimes with an additional edit.
pub(crate) fn rewrite_search(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut bytes = valid.to_vec();
    // Behind the version and the flags stand the limits.
    let place = 2 + random.below(4.min(bytes.len() - 2));
    match random.below(3) {
        0 => return edit(random, valid, alphabet),
        1 => bytes[place] ^= 1 << random.below(7),
        _ => bytes[1] ^= 1 << random.below(2),
    }
    if random.once_in(4) { edit(random, &bytes, alphabet) } else { bytes }
}

const BASE64URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A packed form with another piece or with a flipped bit behind the board; or one with edits.
///
/// The Huffman code is so dense that an edit of the text hardly ever gives a valid position. These
/// changes often do.
pub(crate) fn rewrite_packed(random: &mut Random, valid: &[u8], alphabet: &[u8]) -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::with_capacity(valid.len() * 6);
    for letter in valid {
        let value = BASE64URL.iter().position(|known| known == letter).unwrap_or(0);
        bits.extend((0..6).rev().map(|bit| value >> bit & 1 == 1));
    }
    let (pieces, tail) = piece_code_ends(&bits);
    match random.below(8) {
        // The last bit of a code chooses between two kinds of equal length.
        0..5 if !pieces.is_empty() => {
            for _ in 0..=random.below(2) {
                let place = *random.pick(&pieces);
                bits[place] = !bits[place];
            }
        }
        5 if tail < bits.len() => {
            let place = tail + random.below(bits.len() - tail);
            bits[place] = !bits[place];
        }
        6 => {
            let place = random.below(bits.len());
            bits[place] = !bits[place];
        }
        _ => return edit(random, valid, alphabet),
    }
    let value = |chunk: &[bool]| chunk.iter().fold(0, |value, &bit| value << 1 | usize::from(bit));
    bits.chunks(6).map(|chunk| BASE64URL[value(chunk)]).collect()
}

/// The ends of the codes of pawns, knights, bishops and rooks, and the end of the board.
fn piece_code_ends(bits: &[bool]) -> (Vec<usize>, usize) {
    let mut ends = Vec::new();
    let mut place = 4;
    for _ in 0..64 {
        let bit = |n: usize| bits.get(place + n).copied().unwrap_or(false);
        // 0 · 10x · 110xx and 111xx · 1101xx
        let length = match (bit(0), bit(1), bit(2), bit(3)) {
            (false, ..) => 1,
            (true, false, ..) => 3,
            (true, true, false, true) => 6,
            _ => 5,
        };
        place += length;
        if matches!(length, 3 | 5) && place <= bits.len() {
            ends.push(place - 1);
        }
    }
    (ends, place.min(bits.len()))
}
