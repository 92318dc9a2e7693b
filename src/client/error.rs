//! The errors of a connection to a server.

/// A server that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The text is not a URL.
    #[error("{0}: {1}")]
    InvalidUrl(String, String),
    /// The URL starts neither with http:// nor with https://.
    #[error("{0}: the URL must start with http:// or https://")]
    NotHttp(String),
    /// The URL has a user name or a password, which messages would show.
    #[error("the URL of the server must have no user name and no password; give a key by --key")]
    Credentials,
    /// The URL has a query or a fragment.
    #[error("{0}: the URL must end after the host, the port or a path, before ? and #")]
    QueryOrFragment(String),
    /// The API key cannot be sent in a header.
    #[error("the API key has characters that a header cannot have")]
    InvalidApiKey,
    /// The server did not answer.
    #[error("{0}: the server cannot be reached: {1}")]
    Unreachable(String, String),
    /// No certificate of an authority was found, and why.
    #[error(
        "no certificates of authorities to trust: install the package ca-certificates, or set \
         SSL_CERT_FILE to a PEM file with them{}",
        Some(.0).filter(|why| !why.is_empty()).map(|why| format!(" ({why})")).unwrap_or_default()
    )]
    NoAuthorities(String),
    /// The server's certificate is not accepted.
    #[error("{0}: the server's certificate is refused: {1}")]
    Certificate(String, String),
    /// The port of an https URL speaks something else.
    #[error("{0}: the server does not speak TLS at this port; use http:// if it is plain HTTP")]
    NotTls(String),
    /// TLS cannot be set up.
    #[error("TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// The server redirects to another scheme, host or port.
    #[error("{0}: the server redirects to {1}; use that URL")]
    Redirected(String, String),
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
