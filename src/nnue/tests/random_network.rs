//! Network files of pseudo-random numbers, written as `docs/network.md` specifies them.

use sha2::{Digest, Sha256};

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
    fn between(&mut self, (low, high): (i32, i32)) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }
}

/// The ranges of a single-layer network's random numbers.
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

/// The ranges of a layered network's random numbers.
#[derive(Clone, Copy)]
pub(crate) struct LayeredRanges {
    pub(crate) features: (i32, i32),
    pub(crate) biases: (i32, i32),
    pub(crate) second: (i32, i32),
    pub(crate) third: (i32, i32),
    /// The biases of the second and the third layer.
    pub(crate) later_biases: (i32, i32),
    pub(crate) outputs: (i32, i32),
    pub(crate) output_biases: (i32, i32),
}

impl LayeredRanges {
    /// The sums of every layer are below, inside and above the clipped range.
    pub(crate) const USUAL: LayeredRanges = LayeredRanges {
        features: (-70, 80),
        biases: (-100, 150),
        second: (-6, 6),
        third: (-40, 40),
        later_biases: (-4000, 8000),
        outputs: (-1500, 1500),
        output_biases: (-100_000, 100_000),
    };
    /// Every activation is 127, and every number after the first layer is the largest.
    pub(crate) const GREATEST: LayeredRanges = LayeredRanges {
        features: (0, 500),
        biases: (255, 400),
        second: (127, 127),
        third: (127, 127),
        later_biases: (1 << 24, 1 << 24),
        outputs: (1 << 14, 1 << 14),
        output_biases: (1 << 28, 1 << 28),
    };
    /// Every pair is 127, and every number after the first layer is the most negative.
    pub(crate) const LEAST: LayeredRanges = LayeredRanges {
        features: (0, 500),
        biases: (255, 400),
        second: (-128, -128),
        third: (-128, -128),
        later_biases: (-(1 << 24), -(1 << 24)),
        outputs: (-(1 << 14), -(1 << 14)),
        output_biases: (-(1 << 28), -(1 << 28)),
    };
    /// Sums of the first layer wrap around in 16 bits.
    pub(crate) const WRAPPING: LayeredRanges = LayeredRanges {
        features: (-32768, 32767),
        biases: (-32768, 32767),
        ..LayeredRanges::USUAL
    };
}

/// The file of a single-layer network.
pub(crate) fn network_file(seed: u64, ranges: Ranges) -> Vec<u8> {
    let mut file = FileWriter::new(seed, 1, 512, [1, 0], [0, 0]);
    file.i16s(8 * 768 * 512, ranges.features);
    file.i16s(512, ranges.biases);
    file.i16s(8 * 2 * 512, ranges.outputs);
    file.i32s(8, (-20_000, 20_000));
    file.finish()
}

/// The file of a layered network.
pub(crate) fn layered_file(seed: u64, ranges: LayeredRanges) -> Vec<u8> {
    let mut file = FileWriter::new(seed, 2, 1024, [2, 0], [16, 32]);
    file.i16s(8 * 768 * 1024, ranges.features);
    file.i16s(1024, ranges.biases);
    file.i8s(8 * 16 * 1024, ranges.second);
    file.i32s(8 * 16, ranges.later_biases);
    file.i8s(8 * 32 * 32, ranges.third);
    file.i32s(8 * 32, ranges.later_biases);
    file.i16s(8 * 32, ranges.outputs);
    file.i32s(8, ranges.output_biases);
    file.finish()
}

struct FileWriter {
    random: Random,
    bytes: Vec<u8>,
}

impl FileWriter {
    /// A file with its header, and a king bucket for every four squares.
    fn new(
        seed: u64,
        version: u16,
        neurons: u16,
        activation: [u8; 2],
        later_neurons: [u8; 2],
    ) -> FileWriter {
        let mut bytes = b"KIBITZER".to_vec();
        bytes.extend([version, neurons].map(u16::to_le_bytes).concat());
        bytes.extend([8, 8]);
        bytes.extend(activation);
        bytes.extend([255_u16, 64, 400].map(u16::to_le_bytes).concat());
        bytes.extend(later_neurons);
        bytes.resize(64, 0);
        bytes.extend((0..32).map(|square| square / 4));
        FileWriter { random: Random(seed), bytes }
    }

    fn i8s(&mut self, count: usize, range: (i32, i32)) {
        self.bytes.extend((0..count).map(|_| self.random.between(range) as u8));
    }

    fn i16s(&mut self, count: usize, range: (i32, i32)) {
        for _ in 0..count {
            self.bytes.extend((self.random.between(range) as i16).to_le_bytes());
        }
    }

    fn i32s(&mut self, count: usize, range: (i32, i32)) {
        for _ in 0..count {
            self.bytes.extend(self.random.between(range).to_le_bytes());
        }
    }

    fn finish(mut self) -> Vec<u8> {
        let payload = self.bytes.len() as u32 - 64;
        self.bytes[28..32].copy_from_slice(&payload.to_le_bytes());
        write_hash(&mut self.bytes);
        self.bytes
    }
}

/// Writes the hash of a file's content into its header.
pub(crate) fn write_hash(file: &mut [u8]) {
    let hash = Sha256::new().chain_update(&file[..32]).chain_update(&file[64..]).finalize();
    file[32..64].copy_from_slice(&hash);
}
