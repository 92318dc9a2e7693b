//! Searches that nodes lend to each other.
//!
//! A node offers a search in a stream of its engine group, one for each priority class, and keeps
//! its own copy. A node with a free worker takes one (`XREADGROUP`), keeps its claim alive, and
//! sends what it finds to the channel of the node that asks. If it is lost, another free node takes
//! the search over (`XAUTOCLAIM`); if none does, the first node runs it itself.
//!
//! - `search_id`: the name of a search in messages;
//! - `entry`: the place of an offer in its stream;
//! - `offered_search`: the encoding of an offer;
//! - `message`: messages between the two nodes;
//! - `messenger`: the sender of messages;
//! - `mailboxes`: the messages for the searches of a node;
//! - `reporter`: what the node that searches tells the other one;
//! - `lender`: the side that offers;
//! - `helper`: the side that searches.

mod entry;
mod helper;
mod lender;
mod mailboxes;
mod message;
mod messenger;
mod offered_search;
mod reporter;
mod search_id;

pub(super) use helper::Helper;
pub(super) use lender::{Lender, MAX_EVENTS};
pub(super) use mailboxes::Mailboxes;
pub(super) use message::{Content, Message};
pub(super) use messenger::Messenger;
pub(super) use reporter::{ALIVE_INTERVAL, Reporter, UPDATE_INTERVAL};
pub(super) use search_id::SearchId;
