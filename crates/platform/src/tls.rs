//! Whom this program believes at the other end of a connection: one policy of certificates for all.
//!
//! A server is believed when its certificate leads to a root that this machine trusts (`SSL_CERT_FILE` and
//! `SSL_CERT_DIR` name others, as they do for OpenSSL). A machine that has no roots at all, as a small image, is served
//! by Mozilla's list, which is compiled in. The roots are read once, by the first connection that may need them.

use std::sync::{Arc, LazyLock};

use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

static TRUSTING: LazyLock<ClientConfig> = LazyLock::new(|| config(roots()));

/// TLS that believes whom this machine believes.
pub fn trusting() -> ClientConfig {
    TRUSTING.clone()
}

/// The roots of this machine, or the compiled-in ones where it has none.
fn roots() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::debug!("a root certificate of this machine was not read: {error}");
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        for variable in ["SSL_CERT_FILE", "SSL_CERT_DIR"] {
            if let Some(named) = std::env::var_os(variable) {
                let named = named.display();
                tracing::warn!(
                    "`{variable}` names `{named}`, which holds no certificate: the compiled-in roots are used"
                );
            }
        }
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    roots
}

#[expect(clippy::expect_used, reason = "ring speaks both versions of TLS that are asked for")]
pub(crate) fn config(roots: RootCertStore) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("TLS 1.2 and 1.3");
    builder.with_root_certificates(roots).with_no_client_auth()
}
