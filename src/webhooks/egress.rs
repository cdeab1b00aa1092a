//! Where a webhook may go: public addresses, judged when the name is looked up and connected to as judged.
//!
//! A public name may mean this machine a moment later, so the client connects only to what this resolver passed.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Url};

use crate::web_client;

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// And all of a request: below the 30 s after which the outbox gives a send up.
const ANSWER_WITHIN: Duration = Duration::from_secs(25);

#[derive(Debug, Clone, Copy)]
pub struct Egress {
    pub allow_private: bool,
}

impl Egress {
    /// No redirects, no proxy, public addresses only. Fails when the client cannot be set up.
    pub fn client(self) -> reqwest::Result<Client> {
        self.client_by(PublicOnly(look_up))
    }

    pub(super) fn client_by(self, names: PublicOnly) -> reqwest::Result<Client> {
        // What a proxy connects to was judged by nobody.
        let builder = web_client::builder().no_proxy().connect_timeout(CONNECT_WITHIN).timeout(ANSWER_WITHIN);
        if self.allow_private { builder } else { builder.dns_resolver(Arc::new(names)) }.build()
    }

    /// A URL with a literal address asks no resolver, so it is judged here. Fails when it is private.
    pub fn check(self, url: &Url) -> Result<(), String> {
        let literal = url.host_str().and_then(|host| host.trim_matches(['[', ']']).parse::<IpAddr>().ok());
        match literal.filter(|address| !self.allow_private && !is_public(*address)) {
            Some(address) => Err(PrivateAddress(address).to_string()),
            None => Ok(()),
        }
    }
}

/// A name that leads to an address that is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrivateAddress(pub(super) IpAddr);

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no public address; `allowPrivate: true` allows it", self.0)
    }
}

impl Error for PrivateAddress {}

/// Passes only names whose addresses are all public. Asked anew for each connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct PublicOnly(pub(super) LookUp);

/// How a name is looked up: by the system, or as a test has it.
pub(super) type LookUp = fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

pub(super) fn look_up(name: String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> {
    async move { Ok(tokio::net::lookup_host((name.as_str(), 0)).await?.collect()) }.boxed()
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let looking = (self.0)(name.as_str().to_owned());
        Box::pin(async move {
            let found = looking.await?;
            match found.iter().find(|address| !is_public(address.ip())) {
                Some(address) => Err(Box::new(PrivateAddress(address.ip())) as Box<dyn Error + Send + Sync>),
                None => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

/// By IANA's registries of special-purpose addresses; an IPv6 address that carries an IPv4 address is judged by that.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let special = match address.octets() {
        // "This network", carrier-grade translation, protocol assignments, benchmarks, and what is reserved.
        [0, ..] | [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18..=19, ..] | [240..=255, ..] => true,
        _ => false,
    };
    let local = address.is_private() || address.is_loopback() || address.is_link_local();
    !(special || local || address.is_multicast() || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let embedded = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match segments {
        // Translated from IPv4 (RFC 6052), and 6to4 (RFC 3056).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => is_public_v4(embedded(high, low)),
        // Global unicast is 2000::/3; of it not Teredo and protocol assignments, and not documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}
