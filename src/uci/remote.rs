//! A kibitzer somewhere else, asked over HTTP: `kibitzer uci --server URL`.
//!
//! A best-move answer comes whole, so a search is a row of questions of growing depth: each answer is an `info`, and the server's
//! shared table makes the next one cheap. When the GUI says stop the open question is dropped; the server stops a search that
//! nobody waits for.
//!
//! `Hash` is offered and taken without effect, since the server's table is its own: python-chess refuses to set an option that is not
//! offered, and lichess-bot sets this one unless told otherwise.

mod answer;
mod deadline;
mod question;
mod search;

use std::sync::Arc;

use tokio::runtime::Runtime;

use super::backend::{Backend, Job, Task};
use super::options::{OptionName, Options};
use crate::chess::Position;
use search::RemoteSearch;

/// Asks a server instead of an engine of its own.
pub struct Remote {
    address: String,
    client: reqwest::Client,
    runtime: Arc<Runtime>,
}

/// Why a server can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The text is no address.
    #[error("{0}: {1}")]
    Address(String, String),
    /// Encrypted connections end at a proxy, here as there.
    #[error("{0}: only http:// can be asked")]
    NotHttp(String),
    /// No threads or sockets.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// The HTTP client does not start.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
}

impl Remote {
    /// A server by the address of its root, as `http://127.0.0.1:8080`. It is not asked for anything yet.
    ///
    /// # Errors
    ///
    /// When the address is not one of plain HTTP, or the system grants no thread.
    pub fn new(address: &str) -> Result<Remote, RemoteError> {
        let url =
            reqwest::Url::parse(address).map_err(|error| RemoteError::Address(address.to_owned(), error.to_string()))?;
        if url.scheme() != "http" {
            return Err(RemoteError::NotHttp(address.to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = reqwest::Client::builder().build()?;
        Ok(Remote { address: address.trim_end_matches('/').to_owned(), client, runtime: Arc::new(runtime) })
    }
}

impl Backend for Remote {
    fn name(&self) -> String {
        format!("kibitzer at {}", self.address)
    }

    fn offers(&self, option: OptionName) -> bool {
        // The rest is the server's own affair, or can't be asked of it; and of `Hash` nothing comes.
        matches!(
            option,
            OptionName::Hash
                | OptionName::Threads
                | OptionName::Ponder
                | OptionName::MoveOverhead
                | OptionName::Chess960
                | OptionName::ShowWdl
        )
    }

    fn apply(&mut self, _: OptionName, _: &Options) -> Result<(), String> {
        Ok(())
    }

    fn new_game(&mut self) {}

    fn prepare(&self, task: Task) -> Job {
        let search = RemoteSearch::new(format!("{}/v1/best-move", self.address), self.client.clone(), task);
        let runtime = Arc::clone(&self.runtime);
        Box::new(move |stop, tell| runtime.block_on(search.run(stop, tell)))
    }

    fn evaluate(&self, _: &Position) -> Option<String> {
        None
    }
}
