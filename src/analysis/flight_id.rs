//! The identity of a search on all nodes of a cluster.

/// The first bytes of the SHA-256 of what decides the result of a search: its position with the
/// history, its limits, and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FlightId(pub [u8; 16]);
