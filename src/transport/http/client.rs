//! Who asks, by address: for the audit alone. Nobody is let in or kept out by it.

use std::net::IpAddr;

use http::HeaderMap;

use crate::settings::BehindProxy;

/// The peer, or the client that a trusted proxy names. Each proxy appends its peer, so the last untrusted name counts.
pub(super) fn client_behind(proxy: Option<&BehindProxy>, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let Some(proxy) = proxy else { return peer };
    let believed = |address: IpAddr| proxy.trusted_proxies.iter().any(|range| range.contains(address));
    let named = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let named: Vec<&str> = named.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut client = peer;
    for name in named.into_iter().rev() {
        match name.parse::<IpAddr>() {
            Ok(before) if believed(client) => client = before.to_canonical(),
            Ok(_) | Err(_) => break,
        }
    }
    client
}

#[cfg(test)]
mod tests;
