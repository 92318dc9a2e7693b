//! Leases of searches: equal searches of several nodes run on one of them.
//!
//! The node that runs a search holds its lease, a key that it renews. The others send it a message
//! (`Watch`), and it sends them what it finds. A node that is lost loses its lease to the first one
//! that notices.
//!
//! - `leases`: which node runs which search;
//! - `holder`: the side that searches;
//! - `watcher`: the side that asks.

mod holder;
mod leases;
mod watcher;

pub(super) use holder::Holder;
pub(super) use leases::Leases;
pub(super) use watcher::Watcher;
