//! The remote backend: a kibitzer server over HTTP, for `kibitzer uci --server URL`.
//!
//! A search is one stream of `POST /v1/analysis`. Each `info` line is reported at once, and the
//! `end` line has the move. On `stop` the stream is dropped; the server stops a search that has no
//! subscriber. Failures (a full queue, a rate limit, a broken connection) are reported, and the
//! search continues with another stream as long as there is time. A server that cannot be used is
//! refused at the start; a search that loses its server ends without a move.
//!
//! `Hash` is offered without effect, because the server has its own table. python-chess refuses to
//! set an option that is not offered, and lichess-bot sets `Hash` by default.

mod deadline;
mod eval;
mod info_reporter;
mod request;
mod search;
mod stream_line;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::backend::{Backend, PreparedSearch, SearchTask};
use super::options::{OptionName, Options};
use crate::chess::Position;
use crate::client::{RemoteError, ServerClient};
use eval::request_evaluation;
use search::RemoteSearch;

/// A backend that sends its searches to a server.
pub struct RemoteBackend {
    base_url: String,
    client: reqwest::Client,
    /// The server's session for all searches of this process: a newer search replaces an older one.
    session_id: String,
    runtime: Arc<Runtime>,
}

impl RemoteBackend {
    /// A backend for the server at a root URL such as `http://127.0.0.1:8080`, or at `host:port`,
    /// with an optional API key. It checks that the server answers.
    ///
    /// # Errors
    ///
    /// The URL is not HTTP, the key cannot be sent in a header, the server cannot be used, or
    /// the system refuses a thread.
    pub fn connect(server: &str, api_key: Option<&str>) -> Result<RemoteBackend, RemoteError> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let ServerClient { base_url, http: client } =
            runtime.block_on(ServerClient::connect(server, api_key))?;
        let session_id = format!("uci-{:016x}", RandomState::new().hash_one(std::process::id()));
        Ok(RemoteBackend { base_url, client, session_id, runtime: Arc::new(runtime) })
    }
}

impl Backend for RemoteBackend {
    fn name(&self) -> String {
        format!("kibitzer {} at {}", env!("CARGO_PKG_VERSION"), self.base_url)
    }

    fn supports(&self, option: OptionName) -> bool {
        // The server decides the rest itself, or has no parameter for it; `Hash` has no effect.
        // `UCI_AnalyseMode`, which some GUIs set by themselves, would bypass the server's cache.
        matches!(
            option,
            OptionName::Hash
                | OptionName::Threads
                | OptionName::MultiPv
                | OptionName::Ponder
                | OptionName::MoveOverhead
                | OptionName::Chess960
                | OptionName::ShowWdl
        )
    }

    fn apply(&mut self, _: OptionName, _: &Options) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn get_ready(&self, _: &Options) {}

    fn new_game(&mut self) {}

    fn prepare(&self, task: SearchTask) -> PreparedSearch {
        let url = format!("{}/v1/analysis", self.base_url);
        let search = RemoteSearch::new(url, self.client.clone(), task, &self.session_id);
        let runtime = Arc::clone(&self.runtime);
        Box::new(move |stop, tell| runtime.block_on(search.run(stop, tell)))
    }

    fn evaluate(&self, position: &Position) -> Result<String, String> {
        self.runtime.block_on(request_evaluation(&self.client, &self.base_url, position))
    }
}
