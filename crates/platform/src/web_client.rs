//! The HTTP client of everything in this program that calls another one: one policy of certificates for all.
//!
//! A server is believed when its certificate leads to a root that this machine trusts (`SSL_CERT_FILE` and
//! `SSL_CERT_DIR` name others, as they do for OpenSSL). A machine that has no roots at all, as a small image, is served
//! by Mozilla's list, which is compiled in. The roots are read once, by the first client that may need them.
//!
//! Discord's library cannot be told its roots at run time: it has the compiled-in ones everywhere.

use std::sync::{Arc, LazyLock};

use reqwest::{Client, ClientBuilder, redirect};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

/// How this program calls itself.
const USER_AGENT: &str = concat!("callboard/", env!("CARGO_PKG_VERSION"));

/// The roots that are trusted.
static TRUSTING: LazyLock<ClientConfig> = LazyLock::new(|| config(roots()));

/// A client that believes whom this machine believes, and follows no redirects: what leads elsewhere takes
/// no token there.
pub fn builder() -> ClientBuilder {
    with(TRUSTING.clone())
}

/// A client for `http://` to this machine, which needs no certificates and goes by no proxy.
pub fn plain_builder() -> ClientBuilder {
    with(config(RootCertStore::empty())).no_proxy()
}

/// A client for this machine's own `https://`, whose certificate is for the name that others know. It must carry no
/// credential: what answers may be anybody here.
pub fn unverified_builder() -> ClientBuilder {
    named(Client::builder().tls_danger_accept_invalid_certs(true)).no_proxy()
}

fn with(tls: ClientConfig) -> ClientBuilder {
    named(Client::builder().tls_backend_preconfigured(tls))
}

fn named(builder: ClientBuilder) -> ClientBuilder {
    builder.redirect(redirect::Policy::none()).user_agent(USER_AGENT)
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
fn config(roots: RootCertStore) -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().expect("TLS 1.2 and 1.3");
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}
