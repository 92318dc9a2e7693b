//! TLS of HTTP clients: which certificates of servers they trust.
//!
//! rustls with the cryptography of ring: it builds with a C compiler alone. The trusted authorities
//! are those of the system, so that an organisation's own authority needs no second configuration.
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them, as they do for OpenSSL.

use std::error::Error;
use std::io;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::{CertificateError, ClientConfig, InvalidMessage, RootCertStore};

use super::error::RemoteError;

/// A builder of clients of `http` URLs. They read no certificates and trust none.
///
/// # Errors
/// The cryptography does not support any version of TLS.
pub fn plain_http() -> Result<reqwest::ClientBuilder, RemoteError> {
    Ok(builder(tls_config(RootCertStore::empty())?))
}

/// The builder of [`plain_http`] for a client that blocks instead of using a runtime.
///
/// # Errors
/// The cryptography does not support any version of TLS.
pub fn blocking_plain_http() -> Result<reqwest::blocking::ClientBuilder, RemoteError> {
    let tls = tls_config(RootCertStore::empty())?;
    #[expect(clippy::disallowed_methods, reason = "it gets its cryptography here")]
    Ok(reqwest::blocking::Client::builder().tls_backend_preconfigured(tls))
}

/// A builder of clients of `https` URLs, which trust the system's authorities.
///
/// # Errors
/// The system has no certificates of authorities, or `SSL_CERT_FILE` cannot be read.
pub(super) fn https() -> Result<reqwest::ClientBuilder, RemoteError> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let causes: Vec<String> = found.errors.iter().map(ToString::to_string).collect();
        return Err(RemoteError::NoAuthorities(causes.join("; ")));
    }
    Ok(builder(tls_config(roots)?))
}

#[expect(clippy::disallowed_methods, reason = "it gets its cryptography here")]
fn builder(tls: ClientConfig) -> reqwest::ClientBuilder {
    reqwest::Client::builder().tls_backend_preconfigured(tls)
}

fn tls_config(roots: RootCertStore) -> Result<ClientConfig, RemoteError> {
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Why the TLS handshake with `server` failed, if that is why the request failed.
pub(super) fn handshake_error(server: &str, error: &reqwest::Error) -> Option<RemoteError> {
    let server = server.to_owned();
    match rustls_error(error)? {
        rustls::Error::InvalidCertificate(error) => {
            Some(RemoteError::Certificate(server, certificate_fault(error)))
        }
        rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            Some(RemoteError::NotTls(server))
        }
        _ => None,
    }
}

/// The rustls error among an error and its causes. I/O errors hide theirs: the source of such an
/// error is that of the error within.
fn rustls_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let within = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    let cause = within.map(|within| within as &(dyn Error + 'static)).or_else(|| error.source());
    error.downcast_ref().or_else(|| cause.and_then(rustls_error))
}

/// What is wrong with a server's certificate.
fn certificate_fault(error: &CertificateError) -> String {
    match error {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            format!("it is for another host: {error}")
        }
        CertificateError::UnknownIssuer => {
            "it is not signed by a trusted authority; SSL_CERT_FILE names a PEM file with the \
             authorities to trust"
                .to_owned()
        }
        // The verifier's own error, whose type rustls does not name.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            "it is the certificate of an authority (CA:TRUE), which is not for a server".to_owned()
        }
        _ => error.to_string(),
    }
}
