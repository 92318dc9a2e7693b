//! The encoding of the values of a job, layout version 1: the version as a byte, four bytes of
//! checksum, and the value as the jobs' file encodes it.
//!
//! The checksum is the beginning of the SHA-256 of what the value is (its kind, its job, and its
//! number in the job), the version and the value. A value that stands in another place is thus as
//! invalid as a damaged one.

use sha2::{Digest, Sha256};

use crate::store::StoreError;
use crate::store::jobs::JobId;

/// The version of the layout. A node leaves jobs of a newer one alone.
const LAYOUT: u8 = 1;

const CHECKSUM_LEN: usize = 4;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The record of a job.
    Job,
    /// The record of a game, by its number.
    Game,
    /// The PGN text of a game, by its number.
    Text,
    /// The evaluation of a position, by its number.
    Eval,
    /// The digest of the request that has an idempotency key.
    Request,
}

impl Kind {
    fn tag(self) -> u8 {
        match self {
            Kind::Job => b'j',
            Kind::Game => b'g',
            Kind::Text => b't',
            Kind::Eval => b'e',
            Kind::Request => b'r',
        }
    }
}

/// Encodes a value.
pub(super) fn seal(kind: Kind, id: JobId, number: u64, body: &[u8]) -> Vec<u8> {
    [&[LAYOUT], &checksum(kind, id, number, body)[..], body].concat()
}

/// Decodes what [`seal`] has encoded for the same place.
///
/// # Errors
/// The value is damaged, or has a newer layout.
pub(super) fn open(kind: Kind, id: JobId, number: u64, value: &[u8]) -> Result<&[u8], StoreError> {
    let damaged = |reason: &str| {
        let what = format!("{kind:?}").to_lowercase();
        StoreError::Failed(format!("{what} {number} of job {id} {reason}"))
    };
    match value.split_first() {
        Some((&LAYOUT, rest)) => {
            let (sum, body) =
                rest.split_at_checked(CHECKSUM_LEN).ok_or_else(|| damaged("is cut off"))?;
            let is_valid = sum == checksum(kind, id, number, body);
            if is_valid { Ok(body) } else { Err(damaged("is damaged")) }
        }
        Some((&layout, _)) if layout > LAYOUT => Err(damaged("has a newer layout")),
        _ => Err(damaged("is damaged")),
    }
}

fn checksum(kind: Kind, id: JobId, number: u64, body: &[u8]) -> [u8; CHECKSUM_LEN] {
    let digest = Sha256::new()
        .chain_update([LAYOUT, kind.tag()])
        .chain_update(id.to_string())
        .chain_update(number.to_be_bytes())
        .chain_update(body)
        .finalize();
    std::array::from_fn(|index| digest[index])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id() -> JobId {
        JobId::parse("000102030405060708090a0b0c0d0e0f").unwrap()
    }

    #[test]
    fn the_layout_is_version_1() {
        // sha256sum of the bytes 1, 'e', the id in hex, the number in eight bytes and "body".
        let value = seal(Kind::Eval, id(), 258, b"body");
        assert_eq!(value, [&[1, 0x37, 0xc8, 0x03, 0xf8][..], b"body"].concat());
    }

    #[test]
    fn a_value_in_another_place_is_damaged() {
        let value = seal(Kind::Eval, id(), 7, b"body");
        assert_eq!(open(Kind::Eval, id(), 7, &value).unwrap(), b"body");
        let other = JobId::random().unwrap();
        for (kind, id, number) in
            [(Kind::Game, id(), 7), (Kind::Eval, other, 7), (Kind::Eval, id(), 8)]
        {
            let error = open(kind, id, number, &value).unwrap_err().to_string();
            assert!(error.ends_with("is damaged"), "{error}");
        }
    }

    #[test]
    fn a_newer_layout_is_named() {
        let value = [&[2], &seal(Kind::Job, id(), 0, b"x")[1..]].concat();
        let error = open(Kind::Job, id(), 0, &value).unwrap_err().to_string();
        assert!(error.ends_with("has a newer layout"), "{error}");
    }

    proptest! {
        #[test]
        fn changed_values_are_errors(
            body in prop::collection::vec(any::<u8>(), 0..40),
            change in 1_u8..,
            place in any::<prop::sample::Index>(),
            length in any::<prop::sample::Index>(),
        ) {
            let mut value = seal(Kind::Text, id(), 3, &body);
            prop_assert_eq!(open(Kind::Text, id(), 3, &value).unwrap(), &body[..]);
            prop_assert!(open(Kind::Text, id(), 3, &value[..length.index(value.len())]).is_err());
            let place = place.index(value.len());
            value[place] ^= change;
            prop_assert!(open(Kind::Text, id(), 3, &value).is_err());
        }
    }
}
