//! One file a route.

pub(crate) mod docs;
pub(crate) mod health;
pub(crate) mod legal_moves;
pub(crate) mod problems;
