//! Single flight: equal searches of several nodes run on one of them.
//!
//! The node that runs a search holds its lease, a key that it renews. The others send it a message
//! (`Follow`), and it sends them what it finds. A node that is lost loses its lease to the first one
//! that notices.
//!
//! - `leases`: who runs which search;
//! - `leader`: the side that searches;
//! - `follower`: the side that asks.

mod follower;
mod leader;
mod leases;

pub(super) use follower::Follower;
pub(super) use leader::Leader;
pub(super) use leases::Leases;
