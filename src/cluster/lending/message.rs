//! Messages between the node that asks for a search and the one that runs it, version 1.
//!
//! The version as a byte, the kind as a byte, the id of the search, the node that sends it as a
//! text, and behind it in some kinds a report, or the digest of a search and a client as a text.

use redis::{Cmd, cmd};

use super::search_id::SearchId;
use crate::analysis::{Client, SearchDigest};
use crate::cluster::keys::Keys;
use crate::cluster::node::NodeId;
use crate::store::DecodeError;
use crate::store::bytes::{ByteReader, write_text};

const VERSION: u8 = 1;

/// The longest message that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cluster) struct Message {
    /// The search, by the name that the node that asks has given it.
    pub(in crate::cluster) search: SearchId,
    /// The node that sends it.
    pub(in crate::cluster) sender: NodeId,
    pub(in crate::cluster) content: Content,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cluster) enum Content {
    /// The node runs the search.
    Started,
    /// The node still runs it.
    Alive,
    /// An iteration is finished.
    Update(Vec<u8>),
    /// The search has ended.
    Finished(Vec<u8>),
    /// The node does not run the search any more.
    GivenUp,
    /// The node that asks needs no more than the result so far.
    Stop,
    /// The search waits for a worker of the node.
    Waiting,
    /// The node that asks watches a search that the other one runs for requests of its own.
    Watch {
        /// The identity of the search.
        digest: SearchDigest,
        /// The client that needs the result.
        client: Client,
    },
}

impl Content {
    fn kind(&self) -> u8 {
        match self {
            Content::Started => 1,
            Content::Alive => 2,
            Content::Update(_) => 3,
            Content::Finished(_) => 4,
            Content::GivenUp => 5,
            Content::Stop => 6,
            Content::Watch { .. } => 7,
            Content::Waiting => 8,
        }
    }
}

impl Message {
    /// The command that sends the message to a node. It returns how many nodes have received it.
    pub(in crate::cluster) fn command(&self, keys: &Keys, receiver: &NodeId) -> Cmd {
        let mut command = cmd("PUBLISH");
        command.arg(keys.node_channel(receiver)).arg(self.to_bytes());
        command
    }

    /// Encodes the message.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Message { search, sender, content } = self;
        let mut bytes = vec![VERSION, content.kind()];
        bytes.extend_from_slice(&search.0);
        write_text(&mut bytes, sender.as_str());
        match content {
            Content::Update(report) | Content::Finished(report) => bytes.extend_from_slice(report),
            Content::Watch { digest, client } => {
                bytes.extend_from_slice(&digest.0);
                write_text(&mut bytes, &client.to_string());
            }
            Content::Started
            | Content::Alive
            | Content::GivenUp
            | Content::Stop
            | Content::Waiting => {}
        }
        bytes
    }

    /// Decodes a message.
    ///
    /// # Errors
    /// The bytes are damaged, or of another version.
    pub(in crate::cluster) fn from_bytes(bytes: &[u8]) -> Result<Message, DecodeError> {
        let mut reader = ByteReader::new(bytes);
        if bytes.len() > MAX_BYTES || reader.read_u8()? != VERSION {
            return Err(DecodeError);
        }
        let kind = reader.read_u8()?;
        let search = SearchId(reader.read_array()?);
        let sender = NodeId::parse(&reader.read_text()?).ok_or(DecodeError)?;
        let content = match kind {
            1 => Content::Started,
            2 => Content::Alive,
            3 => Content::Update(reader.read_rest().to_vec()),
            4 => Content::Finished(reader.read_rest().to_vec()),
            5 => Content::GivenUp,
            6 => Content::Stop,
            7 => Content::Watch {
                digest: SearchDigest(reader.read_array()?),
                client: Client::new(&reader.read_text()?),
            },
            8 => Content::Waiting,
            _ => return Err(DecodeError),
        };
        reader.expect_end()?;
        Ok(Message { search, sender, content })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(content: Content) -> Message {
        let sender = NodeId::parse("b-00000002").unwrap();
        Message { search: SearchId([7; 16]), sender, content }
    }

    #[test]
    fn messages_round_trip() {
        for content in [
            Content::Started,
            Content::Alive,
            Content::Update(b"report".to_vec()),
            Content::Finished(Vec::new()),
            Content::GivenUp,
            Content::Stop,
            Content::Waiting,
            Content::Watch { digest: SearchDigest([9; 16]), client: Client::new("ann") },
        ] {
            let message = message(content);
            assert_eq!(Message::from_bytes(&message.to_bytes()), Ok(message));
        }
    }

    #[test]
    fn the_encoding_is_version_1() {
        let bytes = message(Content::Update(b"xyz".to_vec())).to_bytes();
        assert_eq!(bytes, [&[1, 3][..], &[7; 16], b"\x0ab-00000002xyz"].concat());
        let watch = Content::Watch { digest: SearchDigest([9; 16]), client: Client::new("ann") };
        let expected = [&[1, 7][..], &[7; 16], b"\x0ab-00000002", &[9; 16], b"\x03ann"].concat();
        assert_eq!(message(watch).to_bytes(), expected);
    }

    #[test]
    fn other_messages_are_errors() {
        let stop = message(Content::Stop).to_bytes();
        assert!((0..stop.len()).all(|length| Message::from_bytes(&stop[..length]).is_err()));
        assert!(Message::from_bytes(&[&stop[..], &[0]].concat()).is_err(), "bytes behind");
        assert!(Message::from_bytes(&[&[2], &stop[1..]].concat()).is_err(), "another version");
        assert!(Message::from_bytes(&[&[1, 9], &stop[2..]].concat()).is_err(), "another kind");
        let long = message(Content::Update(vec![0; MAX_BYTES])).to_bytes();
        assert!(Message::from_bytes(&long).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_refused(
            kind: u8, id: [u8; 16], rest: Vec<u8>,
        ) {
            let bytes = [&[VERSION, kind % 10][..], &id, b"\x0ab-00000002", &rest].concat();
            for bytes in [&bytes[..], &rest] {
                if let Ok(message) = Message::from_bytes(bytes) {
                    prop_assert_eq!(Message::from_bytes(&message.to_bytes()), Ok(message));
                }
            }
        }
    }
}
