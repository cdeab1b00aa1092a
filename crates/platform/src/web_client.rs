//! The HTTP client of everything in this program that calls another one.
//!
//! Discord's library cannot be told its roots at run time: it has the compiled-in ones everywhere.

use reqwest::{Client, ClientBuilder, redirect};
use rustls::{ClientConfig, RootCertStore};

use crate::tls;

const USER_AGENT: &str = concat!("callboard/", env!("CARGO_PKG_VERSION"));

/// A client that believes whom this machine believes, and follows no redirects, as a token would go along.
pub fn builder() -> ClientBuilder {
    with(tls::trusting())
}

/// A client for `http://` to this machine, which needs no certificates and goes by no proxy.
pub fn plain_builder() -> ClientBuilder {
    with(tls::config(RootCertStore::empty())).no_proxy()
}

/// A client for this machine's own `https://`, whose certificate is for the name that others know. It must carry no
/// credential: what answers may be anybody here.
pub fn unverified_builder() -> ClientBuilder {
    named(Client::builder().tls_danger_accept_invalid_certs(true)).no_proxy()
}

fn with(mut tls: ClientConfig) -> ClientBuilder {
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    named(Client::builder().tls_backend_preconfigured(tls))
}

fn named(builder: ClientBuilder) -> ClientBuilder {
    builder.redirect(redirect::Policy::none()).user_agent(USER_AGENT)
}
