//! The Universal Chess Interface: how chess GUIs and match runners drive the engine.
//!
//! A line becomes a [`Command`] once, at the edge. A [`Session`] obeys it; searches run on a thread
//! of their own, so that `stop` and `isready` are answered at any time. What thinks is a
//! [`Backend`]: the engine of this process ([`Local`]) or a server ([`Remote`]).

mod backend;
mod board;
mod command;
mod eval;
mod handicap;
mod local;
mod options;
mod output;
mod position;
mod remote;
mod search_control;
mod search_thread;
mod session;

pub use backend::{Backend, PreparedSearch, SearchTask, Update};
pub use command::{Command, CommandError, Go, PositionText, SideClock};
pub use local::LocalBackend;
pub use options::{OptionError, OptionName, Options};
pub use remote::{RemoteBackend, RemoteError};
pub use session::Session;
