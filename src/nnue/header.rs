//! The header of a network file: its first 64 bytes.

use super::architecture::{HIDDEN, KING_BUCKETS, OUTPUT_BUCKETS, QA, QB};
use super::error::NetworkError;

/// The length of the header, in bytes.
pub(super) const HEADER_BYTES: usize = 64;

/// The length of the part of the header that the hash covers, in bytes; the hash itself follows.
pub(super) const HASHED_BYTES: usize = 32;

const MAGIC: u64 = u64::from_le_bytes(*b"KIBITZER");
const VERSION: u16 = 1;

/// The code of the hidden layer's activation, the squared clipped rectifier (SCReLU).
const SCRELU: u8 = 1;

/// The fields of a header that differ between files of this architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The raw centipawns of an output of 1.0.
    pub(super) scale: u16,
    /// The SHA-256 of the header's first 32 bytes and the payload.
    pub(super) hash: [u8; 32],
}

impl Header {
    /// Parses a header.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] for a foreign file, another version, another architecture, or a header that
    /// contradicts itself.
    pub(super) const fn parse(
        bytes: &[u8; HEADER_BYTES],
        payload_bytes: usize,
    ) -> Result<Header, NetworkError> {
        let [
            m0,
            m1,
            m2,
            m3,
            m4,
            m5,
            m6,
            m7,
            v0,
            v1,
            h0,
            h1,
            king_buckets,
            output_buckets,
            activation,
            zero,
            rest @ ..,
        ] = *bytes;
        let [qa0, qa1, qb0, qb1, s0, s1, z0, z1, z2, z3, z4, z5, p0, p1, p2, p3, hash @ ..] = rest;
        if u64::from_le_bytes([m0, m1, m2, m3, m4, m5, m6, m7]) != MAGIC {
            return Err(NetworkError::BadMagic);
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version != VERSION {
            return Err(NetworkError::Version { found: version, expected: VERSION });
        }
        let numbers = [
            ("hidden neurons", u16::from_le_bytes([h0, h1]) as u32, HIDDEN as u32),
            ("king buckets", king_buckets as u32, KING_BUCKETS as u32),
            ("output buckets", output_buckets as u32, OUTPUT_BUCKETS as u32),
            ("activation", activation as u32, SCRELU as u32),
            ("quantisation of the hidden layer", u16::from_le_bytes([qa0, qa1]) as u32, QA as u32),
            ("quantisation of the output", u16::from_le_bytes([qb0, qb1]) as u32, QB as u32),
        ];
        let mut n = 0;
        while n < numbers.len() {
            let (what, found, expected) = numbers[n];
            if found != expected {
                return Err(NetworkError::Architecture { what, found, expected });
            }
            n += 1;
        }
        let scale = u16::from_le_bytes([s0, s1]);
        let payload = u32::from_le_bytes([p0, p1, p2, p3]);
        let reserved = zero | z0 | z1 | z2 | z3 | z4 | z5;
        if scale == 0 || reserved != 0 || payload as usize != payload_bytes {
            return Err(NetworkError::InvalidHeader);
        }
        Ok(Header { scale, hash })
    }
}
