//! Where a webhook may go: public addresses, judged when the name is looked up and connected to as judged.
//!
//! A name that meant a public address a moment ago may mean this machine now. So the client that connects asks this
//! resolver and nobody else, and an address that it passed is the one that is connected to.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// A name that leads to an address that is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PrivateAddress(pub(super) IpAddr);

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no public address; `allowPrivate: true` allows it", self.0)
    }
}

impl Error for PrivateAddress {}

/// Looks names up, and passes only those that lead to public addresses and nowhere else.
#[derive(Debug, Clone, Copy)]
pub(super) struct PublicOnly;

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            match found.iter().find(|address| !is_public(address.ip())) {
                Some(address) => Err(Box::new(PrivateAddress(address.ip())) as Box<dyn Error + Send + Sync>),
                None => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether an address is one of the public Internet (IANA's registries of special-purpose addresses; an IPv6 address
/// that carries an IPv4 address is judged by that one).
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
