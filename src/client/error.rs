//! The errors of a connection to a server.

/// A server that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The text is not a URL.
    #[error("{0}: {1}")]
    InvalidUrl(String, String),
    /// The URL does not start with http://. TLS needs a proxy, as on the server's side.
    #[error("{0}: only http:// is supported")]
    NotHttp(String),
    /// The URL has a query or a fragment.
    #[error("{0}: the URL must end after the host, the port or a path, before ? and #")]
    QueryOrFragment(String),
    /// The API key cannot be sent in a header.
    #[error("the API key has characters that a header cannot have")]
    InvalidApiKey,
    /// The server did not answer.
    #[error("{0}: the server cannot be reached: {1}")]
    Unreachable(String, String),
    /// The server answered, but not as kibitzer does.
    #[error("{0}: this is not a kibitzer server: GET /v1/engine returned {1}")]
    NotKibitzer(String, String),
    /// The server refuses this client, for example its API key.
    #[error("{0}: {1}")]
    Refused(String, String),
    /// The system refused a thread or a socket.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The HTTP client cannot be built.
    #[error("{0}")]
    Client(#[from] reqwest::Error),
}
