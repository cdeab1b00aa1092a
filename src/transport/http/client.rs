//! Who asks, by address: for the audit alone. Nobody is let in or kept out by it.

use std::net::IpAddr;

use http::HeaderMap;

use crate::settings::BehindProxy;

/// Who asks by a connection from `peer`: that itself, or whom it names when it is a proxy that is believed. Each proxy
/// on the way adds where it was asked from, so what counts is the first name from the end that no such proxy has.
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
mod tests {
    use http::HeaderValue;

    use super::*;

    fn behind(proxies: &[&str], peer: &str, forwarded: &[&'static str]) -> String {
        let trusted_proxies = proxies.iter().map(|range| range.parse().expect("a range")).collect();
        let proxy = BehindProxy { trusted_proxies, public_url: "https://hub.example".to_owned() };
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", HeaderValue::from_static(value));
        }
        let proxy = (!proxies.is_empty()).then_some(&proxy);
        client_behind(proxy, peer.parse().expect("an address"), &headers).to_string()
    }

    #[test]
    fn a_name_counts_as_far_as_every_proxy_behind_it_is_believed() {
        let one = ["10.0.0.0/8"];
        assert_eq!(behind(&[], "10.0.0.1", &["192.0.2.7"]), "10.0.0.1", "no proxy is declared");
        assert_eq!(behind(&one, "192.0.2.9", &["192.0.2.7"]), "192.0.2.9", "it is no such proxy");
        assert_eq!(behind(&one, "10.0.0.1", &["192.0.2.7"]), "192.0.2.7");
        assert_eq!(behind(&one, "10.0.0.1", &["203.0.113.5, 192.0.2.7"]), "192.0.2.7", "the rest is hearsay");
        assert_eq!(behind(&one, "10.0.0.1", &["192.0.2.7", "10.0.0.2"]), "192.0.2.7");
        assert_eq!(behind(&one, "10.0.0.1", &["192.0.2.7, <script>"]), "10.0.0.1", "what is no address ends it");
        assert_eq!(behind(&one, "10.0.0.1", &["::ffff:192.0.2.7"]), "192.0.2.7");
        assert_eq!(behind(&one, "10.0.0.1", &[]), "10.0.0.1");
    }
}
