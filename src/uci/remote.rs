//! A kibitzer somewhere else, asked over HTTP: `kibitzer uci --server URL`.
//!
//! A search is one stream of `POST /v1/analysis`: each of its infos is told at once, and its end is
//! the move. When the GUI says stop the stream is dropped; the server stops a search that nobody
//! follows. What goes wrong (a full queue, a rate limit, a connection that breaks) is told, and the
//! search goes on by another stream as long as there is time.
//!
//! `Hash` is offered and taken without effect, since the server's table is its own: python-chess
//! refuses to set an option that is not offered, and lichess-bot sets this one unless told
//! otherwise.

mod deadline;
mod eval;
mod info_reporter;
mod request;
mod search;
mod stream;
mod stream_line;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::runtime::Runtime;

use super::backend::{Backend, PreparedSearch, SearchTask};
use super::options::{OptionName, Options};
use crate::chess::Position;
use eval::request_evaluation;
use search::RemoteSearch;

/// Asks a server instead of an engine of its own.
pub struct RemoteBackend {
    base_url: String,
    client: reqwest::Client,
    /// The server's name for all searches of this process: a newer one takes the place of an older
    /// one.
    session_id: String,
    runtime: Arc<Runtime>,
}

/// Why a server can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The text is no address.
    #[error("{0}: {1}")]
    InvalidUrl(String, String),
    /// Encrypted connections end at a proxy, here as there.
    #[error("{0}: only http:// can be asked")]
    NotHttp(String),
    /// The text is no API key.
    #[error("the API key has letters that none can have")]
    InvalidApiKey,
    /// No threads or sockets.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The HTTP client does not start.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
}

impl RemoteBackend {
    /// A server by the address of its root, as `http://127.0.0.1:8080`, and the API key that it is
    /// shown, where there is one. It is not asked for anything yet.
    ///
    /// # Errors
    ///
    /// When the address is not one of plain HTTP, the key can't stand in a header, or the system
    /// grants no thread.
    pub fn new(base_url: &str, api_key: Option<&str>) -> Result<RemoteBackend, RemoteError> {
        let url = reqwest::Url::parse(base_url)
            .map_err(|error| RemoteError::InvalidUrl(base_url.to_owned(), error.to_string()))?;
        if url.scheme() != "http" {
            return Err(RemoteError::NotHttp(base_url.to_owned()));
        }
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let headers = api_key.map(authorization_headers).transpose()?.unwrap_or_default();
        let client = reqwest::Client::builder().default_headers(headers).build()?;
        let session_id = format!("uci-{:016x}", RandomState::new().hash_one(std::process::id()));
        Ok(RemoteBackend {
            base_url: base_url.trim_end_matches('/').to_owned(),
            client,
            session_id,
            runtime: Arc::new(runtime),
        })
    }
}

fn authorization_headers(api_key: &str) -> Result<HeaderMap, RemoteError> {
    let mut bearer = HeaderValue::try_from(format!("Bearer {api_key}"))
        .map_err(|_| RemoteError::InvalidApiKey)?;
    bearer.set_sensitive(true);
    Ok(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
}

impl Backend for RemoteBackend {
    fn name(&self) -> String {
        format!("kibitzer at {}", self.base_url)
    }

    fn supports(&self, option: OptionName) -> bool {
        // The rest is the server's own affair, or can't be asked of it; and of `Hash` nothing
        // comes. `UCI_AnalyseMode`, which some GUIs set by themselves, would keep them from what
        // the server remembers.
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

    fn apply(&mut self, _: OptionName, _: &Options) -> Result<(), String> {
        Ok(())
    }

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
