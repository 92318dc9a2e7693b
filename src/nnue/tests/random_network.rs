//! Network files of pseudo-random numbers.

use sha2::{Digest, Sha256};

use crate::nnue::{FILE_BYTES, HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS};

/// A pseudo-random number generator with a fixed seed (a linear congruential generator with Knuth's
/// constants).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// A number from `low` to `high`.
    fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }
}

/// The ranges of a network's random numbers.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    pub(crate) features: (i32, i32),
    pub(crate) biases: (i32, i32),
    pub(crate) outputs: (i32, i32),
}

impl Ranges {
    /// Sums are below, inside and above the clipped range.
    pub(crate) const USUAL: Ranges =
        Ranges { features: (-70, 80), biases: (-100, 150), outputs: (-127, 127) };
    /// Every sum is clipped to 255 and has the largest weight.
    pub(crate) const GREATEST: Ranges =
        Ranges { features: (0, 500), biases: (255, 400), outputs: (127, 127) };
    /// Every sum is clipped to 255 and has the most negative weight.
    pub(crate) const LEAST: Ranges =
        Ranges { features: (0, 500), biases: (255, 400), outputs: (-127, -127) };
    /// Sums wrap around in 16 bits.
    pub(crate) const WRAPPING: Ranges =
        Ranges { features: (-32768, 32767), biases: (-32768, 32767), outputs: (-127, 127) };
}

/// The file of a network.
pub(crate) fn network_file(seed: u64, ranges: Ranges) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = header();
    bytes.extend((0..32).map(|n| (n * KING_BUCKETS / 32) as u8));
    let mut numbers = |count: usize, (low, high): (i32, i32)| {
        for _ in 0..count {
            bytes.extend((random.between(low, high) as i16).to_le_bytes());
        }
    };
    numbers(KING_BUCKETS * 768 * HIDDEN, ranges.features);
    numbers(HIDDEN, ranges.biases);
    numbers(OUTPUT_BUCKETS * 2 * HIDDEN, ranges.outputs);
    for _ in 0..OUTPUT_BUCKETS {
        bytes.extend(random.between(-20_000, 20_000).to_le_bytes());
    }
    write_hash(&mut bytes);
    bytes
}

fn header() -> Vec<u8> {
    let mut bytes = b"KIBITZER".to_vec();
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend((HIDDEN as u16).to_le_bytes());
    bytes.extend([KING_BUCKETS as u8, OUTPUT_BUCKETS as u8, 1, 0]);
    for number in [255_u16, 64, 400] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0; 6]);
    bytes.extend((FILE_BYTES as u32 - 64).to_le_bytes());
    bytes.extend([0; 32]);
    bytes
}

/// Writes the hash of a file's content into its header.
pub(crate) fn write_hash(file: &mut [u8]) {
    let hash = Sha256::new().chain_update(&file[..32]).chain_update(&file[64..]).finalize();
    file[32..64].copy_from_slice(&hash);
}
