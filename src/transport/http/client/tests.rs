//! What `client` does, tried.

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
