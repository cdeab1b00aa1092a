//! What `clocks` does, tried.

use super::*;

#[test]
fn a_forges_time_is_told_by_the_hubs_clock() {
    let (clocks, now) = (ForgeClocks::default(), Timestamp::parse("2026-11-27T17:20:38Z").unwrap());
    let hears = |date: &'static str| {
        let headers = HeaderMap::from_iter([(DATE, http::HeaderValue::from_static(date))]);
        clocks.hear("api.github.com", &headers, now);
        let at = clocks.ours("github.com", now);
        i64::try_from(at.0).unwrap() - i64::try_from(now.0).unwrap()
    };
    assert_eq!(hears("nonsense"), 0);
    assert_eq!(hears("Fri, 27 Nov 2026 17:20:08 GMT"), 29_500, "it is behind");
    assert_eq!(hears("Fri, 27 Nov 2026 17:21:08 GMT"), -30_500, "it is ahead");
    assert_eq!(hears("Fri, 27 Nov 2026 17:20:37 GMT"), 0, "a second is nothing");
    assert_eq!(clocks.ours("another.example", now), now);
}
