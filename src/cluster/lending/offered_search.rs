//! An offered search as another node reads it: the version as a byte, the id, the node that asks as
//! a text, and the search.

use super::search_id::SearchId;
use crate::analysis::RemoteSearch;
use crate::cluster::node::NodeId;
use crate::store::DecodeError;
use crate::store::bytes::{ByteReader, write_text};

const VERSION: u8 = 1;

/// An offer.
#[derive(Debug)]
pub(super) struct OfferedSearch {
    pub(super) id: SearchId,
    /// The node that asks.
    pub(super) lender: NodeId,
    pub(super) search: RemoteSearch,
}

impl OfferedSearch {
    /// Encodes an offer.
    pub(super) fn encode(id: SearchId, lender: &NodeId, search: &RemoteSearch) -> Vec<u8> {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&id.0);
        write_text(&mut bytes, lender.as_str());
        bytes.extend_from_slice(&search.to_bytes());
        bytes
    }

    /// Decodes an offer.
    ///
    /// # Errors
    /// The bytes are damaged, of another version, or of no possible search.
    pub(super) fn decode(bytes: &[u8]) -> Result<OfferedSearch, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        if reader.read_u8()? != VERSION {
            return Err(DecodeError);
        }
        let id = SearchId(reader.read_array()?);
        let lender = NodeId::parse(&reader.read_text()?).ok_or(DecodeError)?;
        Ok(OfferedSearch { id, lender, search: RemoteSearch::from_bytes(reader.read_rest())? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A search of the start position to depth 9 within a minute, by "ann".
    fn search() -> Vec<u8> {
        let fen = b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let head = [1, 4, 9, 0xe0, 0xd4, 3, 1, 0, 3];
        [&head[..], b"ann", &[fen.len() as u8], fen, &[0]].concat()
    }

    #[test]
    fn the_encoding_is_version_1() {
        let bytes = [&[1][..], &[7; 16], b"\x0aa-00000001", &search()].concat();
        let OfferedSearch { id, lender, search } = OfferedSearch::decode(&bytes).unwrap();
        assert_eq!((id, lender.as_str()), (SearchId([7; 16]), "a-00000001"));
        assert_eq!(search.client.to_string(), "ann");
        assert_eq!(OfferedSearch::encode(id, &lender, &search), bytes);
    }

    #[test]
    fn damaged_offers_are_errors() {
        let bytes = [&[1][..], &[7; 16], b"\x0aa-00000001", &search()].concat();
        assert!((0..bytes.len()).all(|length| OfferedSearch::decode(&bytes[..length]).is_err()));
        assert!(OfferedSearch::decode(&[&[2], &bytes[1..]].concat()).is_err());
        let nameless = [&[1][..], &[7; 16], b"\x01a", &search()].concat();
        assert!(OfferedSearch::decode(&nameless).is_err());
    }

    proptest! {
        #[test]
        fn changed_offers_are_offers_or_errors(place in any::<prop::sample::Index>(), value: u8) {
            let mut bytes = [&[1][..], &[7; 16], b"\x0aa-00000001", &search()].concat();
            let place = place.index(bytes.len());
            bytes[place] = value;
            if let Ok(OfferedSearch { id, lender, search }) = OfferedSearch::decode(&bytes) {
                let again = OfferedSearch::encode(id, &lender, &search);
                prop_assert!(OfferedSearch::decode(&again).is_ok());
            }
        }
    }
}
