//! JSON in and out: one pass over the body into typed members, with every fault of a request
//! reported at once.

mod body;
mod extract;
mod members;
mod query;
mod reply;
mod tree;

pub(crate) use body::{BodyRules, check_encoding, is_json, receive};
pub(crate) use extract::{Json, read};
pub(crate) use members::{FromMembers, FromTree, Members, Place, read_name};
pub(crate) use query::Query;
pub(crate) use reply::{Reply, Written};
pub(crate) use tree::Tree;
