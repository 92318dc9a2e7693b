//! Who has come through the gate.

use std::sync::Arc;

use super::Allowance;
use crate::analysis::Client;

/// A client that has come through the gate.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The client.
    pub(crate) client: Client,
    /// The name of the key that it has shown, itself or by a ticket.
    pub(crate) key: Option<Arc<str>>,
    /// What it has left, where that is limited.
    pub(crate) allowance: Option<Allowance>,
}
