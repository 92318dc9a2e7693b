//! JSON in and out: one pass over the body into typed members, with every fault of a request reported at once.

mod body;
mod extract;
mod members;
mod reply;
mod tree;

pub use extract::Json;
pub use members::{FromMembers, FromTree, Members};
pub use reply::Reply;
pub use tree::Tree;
