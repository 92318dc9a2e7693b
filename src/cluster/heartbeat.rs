//! Heartbeats: the state of a node that it writes every second, and its encoding.
//!
//! Version 1: the version as a byte, the node's [`EngineGroup`], and as LEB128 the workers, those
//! without a search, and the waiting searches. A node ignores a heartbeat of another version, and
//! one with bytes behind these.

use super::keys::EngineGroup;
use crate::store::DecodeError;
use crate::store::bytes::{ByteReader, write_varint};

const VERSION: u8 = 1;

/// The longest encoding, in bytes.
pub(super) const MAX_BYTES: usize = 1 + 8 + 3 * 10;

/// The state of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heartbeat {
    pub(super) group: EngineGroup,
    pub(super) workers: u32,
    /// The workers without a search of a client.
    pub(super) free_workers: u32,
    /// The searches that wait for a worker.
    pub(super) waiting: u32,
}

impl Heartbeat {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let Heartbeat { group, workers, free_workers, waiting } = self;
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&group.0);
        for number in [workers, free_workers, waiting] {
            write_varint(&mut bytes, number.into());
        }
        bytes
    }

    /// Decodes a heartbeat of this version.
    ///
    /// # Errors
    /// The bytes are of another version, or damaged.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Heartbeat, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        if reader.read_u8()? != VERSION {
            return Err(DecodeError);
        }
        let group = EngineGroup(reader.read_array()?);
        let (workers, free_workers, waiting) =
            (reader.read_varint_as()?, reader.read_varint_as()?, reader.read_varint_as()?);
        reader.expect_end()?;
        if free_workers > workers {
            return Err(DecodeError);
        }
        Ok(Heartbeat { group, workers, free_workers, waiting })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GROUP: EngineGroup = EngineGroup([1, 2, 3, 4, 5, 6, 7, 8]);

    #[test]
    fn the_encoding_is_version_1() {
        let heartbeat = Heartbeat { group: GROUP, workers: 300, free_workers: 2, waiting: 0 };
        let bytes = [1, 1, 2, 3, 4, 5, 6, 7, 8, 0xac, 2, 2, 0];
        assert_eq!(heartbeat.to_bytes(), bytes);
        assert_eq!(Heartbeat::from_bytes(&bytes), Ok(heartbeat));
    }

    #[test]
    fn other_versions_and_lengths_are_refused() {
        let bytes = [1, 1, 2, 3, 4, 5, 6, 7, 8, 4, 2, 0];
        assert!(Heartbeat::from_bytes(&bytes).is_ok());
        for length in 0..bytes.len() {
            assert_eq!(Heartbeat::from_bytes(&bytes[..length]), Err(DecodeError), "{length}");
        }
        assert_eq!(Heartbeat::from_bytes(&[&bytes[..], &[0]].concat()), Err(DecodeError));
        assert_eq!(Heartbeat::from_bytes(&[&[2], &bytes[1..]].concat()), Err(DecodeError));
        let more_free_than_all = [1, 1, 2, 3, 4, 5, 6, 7, 8, 4, 5, 0];
        assert_eq!(Heartbeat::from_bytes(&more_free_than_all), Err(DecodeError));
    }

    proptest! {
        #[test]
        fn every_heartbeat_survives_its_encoding(
            group: [u8; 8], workers: u32, busy: u32, waiting: u32,
        ) {
            let free_workers = workers.saturating_sub(busy);
            let heartbeat = Heartbeat { group: EngineGroup(group), workers, free_workers, waiting };
            let bytes = heartbeat.to_bytes();
            prop_assert!(bytes.len() <= MAX_BYTES);
            prop_assert_eq!(Heartbeat::from_bytes(&bytes), Ok(heartbeat));
        }

        #[test]
        fn any_bytes_are_decoded_or_refused(bytes: Vec<u8>) {
            if let Ok(heartbeat) = Heartbeat::from_bytes(&bytes) {
                prop_assert!(heartbeat.free_workers <= heartbeat.workers);
            }
        }
    }
}
