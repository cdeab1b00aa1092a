//! TLS for a door that others can reach.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thiserror::Error;
use tokio_rustls::TlsAcceptor;

use crate::settings::TlsSettings;

#[derive(Debug, Error)]
pub enum TlsError {
    /// A file cannot be read, or holds no PEM of the wanted kind.
    #[error("failed to read `{path}`: {error}")]
    File { path: String, error: rustls::pki_types::pem::Error },
    /// Certificate and key do not fit, or are of a kind that is not supported.
    #[error("the certificate and key cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
}

/// An acceptor with this certificate and key. Fails when a file cannot be read, or they do not fit.
pub fn acceptor(settings: &TlsSettings) -> Result<TlsAcceptor, TlsError> {
    let (cert, key) = (&settings.cert_file, &settings.key_file);
    let cannot_read = |path: &std::path::Path| {
        let path = path.display().to_string();
        move |error| TlsError::File { path, error }
    };
    let chain = CertificateDer::pem_file_iter(cert)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(cannot_read(cert))?;
    let key = PrivateKeyDer::from_pem_file(key).map_err(cannot_read(key))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
