//! The Universal Chess Interface (UCI) for chess GUIs and match runners.
//!
//! Each line is parsed once into a [`Command`]. A [`Session`] executes it. Searches run on a
//! separate thread, so `stop` and `isready` are answered at any time. A [`Backend`] searches: the
//! engine of this process ([`LocalBackend`]) or a server ([`RemoteBackend`]).

mod backend;
mod command;
mod display;
mod local;
mod options;
mod output;
mod remote;
mod search_thread;
mod session;

pub use backend::{Backend, PreparedSearch, SearchTask, Update};
pub use command::{Command, CommandError, Go, PositionText, SideClock};
pub use local::LocalBackend;
pub use options::{OptionError, OptionName, Options};
pub use remote::RemoteBackend;
pub use session::Session;
