//! One number for each hidden neuron.

use super::architecture::HIDDEN;

/// Sixteen bits for each neuron of the hidden layer: a row of weights, or the sums of one view. It
/// begins on a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Row(pub(super) [i16; HIDDEN]);

impl Row {
    pub(super) const ZERO: Row = Row([0; HIDDEN]);

    /// The row of little-endian numbers; what `bytes` lacks stays zero.
    pub(super) fn from_bytes(bytes: &[u8]) -> Row {
        let mut row = Row::ZERO;
        for (number, bytes) in row.0.iter_mut().zip(bytes.as_chunks().0) {
            *number = i16::from_le_bytes(*bytes);
        }
        row
    }
}
