//! The name of a search in messages between two nodes: 128 random bits.

use std::fmt;

/// The name of a search. One that is offered or watched again has another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::cluster) struct SearchId(pub(super) [u8; 16]);

impl SearchId {
    /// A new id.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub(in crate::cluster) fn random() -> Result<SearchId, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(SearchId(bytes))
    }
}

impl fmt::Display for SearchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
