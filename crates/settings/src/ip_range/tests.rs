//! What `ip_range` does, tried.

use super::*;

#[test]
fn a_range_holds_its_own_addresses_and_no_others() {
    let contains = |range: &str, address: &str| range.parse::<IpRange>().unwrap().contains(address.parse().unwrap());
    assert!(contains("10.0.0.0/8", "10.255.1.2"));
    assert!(contains("10.0.0.0/8", "::ffff:10.1.1.1"));
    assert!(!contains("10.0.0.0/8", "11.0.0.1"));
    assert!(contains("127.0.0.1", "127.0.0.1"));
    assert!(!contains("127.0.0.1", "127.0.0.2"));
    assert!(contains("0.0.0.0/0", "8.8.8.8"));
    assert!(!contains("0.0.0.0/0", "::1"));
    assert!(contains("fd00::/8", "fd12::1"));
    assert!(contains("::/0", "fd12::1"));
}

#[test]
fn what_is_no_range_is_refused() {
    for text in ["10.0.0.0/33", "::/129", "proxy", "10.0.0/8", "10.0.0.0/", ""] {
        assert!(text.parse::<IpRange>().is_err(), "{text}");
    }
}
