//! Certificates of a test, and the authority that has signed them.

use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use tempfile::TempDir;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// A certificate authority, and the file that names it as trusted.
pub(crate) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    /// A new authority.
    pub(crate) fn new() -> Authority {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Authority of a test");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let folder = TempDir::new().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        std::fs::write(folder.path().join("authority.pem"), certificate.pem()).unwrap();
        Authority { issuer: Issuer::new(params, key), folder }
    }

    /// The file with its certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// The TLS settings of a server whose certificate this authority has signed.
    pub(crate) fn sign(&self, params: &CertificateParams) -> rustls::ServerConfig {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        server_config(certificate.der().clone(), &key)
    }
}

/// The TLS settings of a server with a certificate.
pub(crate) fn server_config(
    certificate: CertificateDer<'static>,
    key: &KeyPair,
) -> rustls::ServerConfig {
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let provider = rustls::crypto::ring::default_provider();
    rustls::ServerConfig::builder_with_provider(provider.into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap()
}

/// The certificate of a host that is valid now.
pub(crate) fn certificate_for(host: &str) -> CertificateParams {
    CertificateParams::new([host.to_owned()]).unwrap()
}
