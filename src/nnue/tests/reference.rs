//! A reference evaluation as `docs/network.md` defines it, from the bytes of a file.

use crate::chess::{Color, Position, Square};

/// The numbers of a file, in their order.
struct Reader<'a> {
    file: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    /// Skips `skipped` numbers of `bytes` bytes, and returns the `count` numbers after them. Then
    /// it skips the rest of the `total` numbers.
    fn numbers(
        &mut self,
        bytes: usize,
        (skipped, count, total): (usize, usize, usize),
    ) -> Vec<i64> {
        let start = self.offset + bytes * skipped;
        self.offset += bytes * total;
        let numbers = self.file[start..start + bytes * count].chunks(bytes);
        numbers.map(read_signed).collect()
    }

    /// The numbers of an output bucket, of which each has `count`.
    fn of_bucket(&mut self, bytes: usize, bucket: usize, count: usize) -> Vec<i64> {
        self.numbers(bytes, (bucket * count, count, 8 * count))
    }
}

/// A little-endian number of any length.
fn read_signed(bytes: &[u8]) -> i64 {
    let unsigned = bytes.iter().rev().fold(0, |number, &byte| 256 * number + i64::from(byte));
    let end = 1 << (8 * bytes.len());
    if unsigned < end / 2 { unsigned } else { unsigned - end }
}

/// The accumulator of a player's perspective, and the reader after the first layer.
fn accumulate<'a>(
    file: &'a [u8],
    neurons: usize,
    position: &Position,
    color: Color,
) -> (Vec<i64>, Reader<'a>) {
    let oriented =
        |square: Square| if color == Color::Black { square.index() ^ 56 } else { square.index() };
    let mirror = if oriented(position.king(color)) % 8 >= 4 { 7 } else { 0 };
    let king = oriented(position.king(color)) ^ mirror;
    let bucket = usize::from(file[64 + king / 8 * 4 + king % 8]);
    let mut reader = Reader { file, offset: 96 + 8 * 768 * neurons * 2 };
    let mut sums = reader.numbers(2, (0, neurons, neurons));
    for square in position.occupied() {
        let piece = position.piece_at(square).unwrap();
        let other = if piece.color() == color { 0 } else { 384 };
        let input = 768 * bucket + other + 64 * piece.role() as usize + (oriented(square) ^ mirror);
        let mut features = Reader { file, offset: 96 };
        let weights = features.numbers(2, (input * neurons, neurons, 0));
        sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }
    let wrapped = |sum: i64| (sum + 32768).rem_euclid(65536) - 32768;
    (sums.into_iter().map(wrapped).collect(), reader)
}

/// The raw centipawns for the side to move.
pub(super) fn evaluate(file: &[u8], position: &Position) -> i32 {
    let layered = file[8] == 2;
    let neurons = if layered { 1024 } else { 512 };
    let (own, reader) = accumulate(file, neurons, position, position.turn());
    let (other, _) = accumulate(file, neurons, position, !position.turn());
    let bucket = (position.occupied().count() as usize - 2) / 4;
    let scale = i64::from(u16::from_le_bytes([file[20], file[21]]));
    let value = if layered {
        layered_output(reader, bucket, &own, &other) * scale / (127 * 1024)
    } else {
        single_layer_output(reader, bucket, &[own, other].concat()) * scale / (255 * 64)
    };
    i32::try_from(value).unwrap()
}

fn single_layer_output(mut reader: Reader<'_>, bucket: usize, sums: &[i64]) -> i64 {
    let weights = reader.of_bucket(2, bucket, 2 * 512);
    let bias = reader.of_bucket(4, bucket, 1)[0];
    let squares: Vec<i64> = sums.iter().map(|sum| sum.clamp(&0, &255).pow(2)).collect();
    dot(&weights, &squares) / 255 + bias
}

fn layered_output(mut reader: Reader<'_>, bucket: usize, own: &[i64], other: &[i64]) -> i64 {
    let mut inputs = Vec::new();
    for sums in [own, other] {
        for j in 0..512 {
            inputs.push(sums[j].clamp(0, 255) * sums[j + 512].clamp(0, 255) / 512);
        }
    }
    let mut layer = |inputs: &[i64], neurons: usize| -> Vec<i64> {
        let weights = reader.of_bucket(1, bucket, neurons * inputs.len());
        let biases = reader.of_bucket(4, bucket, neurons);
        let rows = weights.chunks(inputs.len());
        rows.zip(biases).map(|(row, bias)| bias + dot(row, inputs)).collect()
    };
    let clipped = |sum: &i64| sum.div_euclid(64).clamp(0, 127);
    let squared = |sum: &i64| (sum.abs().min(8191).pow(2) / 524_288).min(127);
    let second = layer(&inputs, 16);
    let inputs: Vec<i64> = second.iter().map(clipped).chain(second.iter().map(squared)).collect();
    let third = layer(&inputs, 32);
    let inputs: Vec<i64> = third.iter().map(clipped).collect();
    let weights = reader.of_bucket(2, bucket, 32);
    let bias = reader.of_bucket(4, bucket, 1)[0];
    assert_eq!(reader.offset, reader.file.len(), "the output ends the file");
    bias + dot(&weights, &inputs)
}

fn dot(weights: &[i64], inputs: &[i64]) -> i64 {
    weights.iter().zip(inputs).map(|(weight, input)| weight * input).sum()
}
