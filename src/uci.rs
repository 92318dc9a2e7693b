//! The Universal Chess Interface: how chess GUIs and match runners drive the engine.
//!
//! A line becomes a [`Command`] once, at the edge. A [`Session`] obeys it; searches run on a thread
//! of their own, so that `stop` and `isready` are answered at any time. What thinks is a
//! [`Backend`]: the engine of this process ([`Local`]) or a server ([`Remote`]).

mod backend;
mod board;
mod command;
mod handicap;
mod judgement;
mod leash;
mod local;
mod options;
mod output;
mod position;
mod remote;
mod session;
mod thinking;

pub use backend::{Backend, Job, Task, Told};
pub use command::{Command, CommandError, Go, PositionText, SideClock};
pub use local::Local;
pub use options::{OptionError, OptionName, Options};
pub use remote::{Remote, RemoteError};
pub use session::Session;
