//! What `pages` does, tried.

use http::{HeaderName, HeaderValue};
use rstest::rstest;

use super::*;
use crate::settings::{BehindProxy, Settings};

fn pages() -> Pages {
    Pages::of(&Settings::defaults().hub, "127.0.0.1:7420".parse().unwrap())
}

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers
}

#[rstest]
#[case::loopback(&[("host", "127.0.0.1:7420")], Ok(()))]
#[case::name(&[("host", "LOCALHOST:7420")], Ok(()))]
#[case::six(&[("host", "[::1]:7420")], Ok(()))]
#[case::rebound(&[("host", "evil.example")], Err(Refused::Host))]
#[case::rebound_with_port(&[("host", "localhost.evil.example:7420")], Err(Refused::Host))]
#[case::rebound_behind_it(&[("host", "127.0.0.1.evil.example:7420")], Err(Refused::Host))]
#[case::no_number(&[("host", "localhost:7420.evil.example")], Err(Refused::Host))]
#[case::letters_in_the_port(&[("host", "localhost:9000x")], Err(Refused::Host))]
#[case::no_port_number(&[("host", "localhost:")], Err(Refused::Host))]
#[case::user(&[("host", "localhost:7420@evil.example")], Err(Refused::Host))]
#[case::other_machine(&[("host", "127.0.0.2:7420")], Err(Refused::Host))]
#[case::forwarded(&[("host", "localhost:9000")], Ok(()))]
#[case::forwarded_six(&[("host", "[::1]:9000")], Ok(()))]
#[case::forwarded_to_the_usual_port(&[("host", "127.0.0.1")], Ok(()))]
#[case::own_page_forwarded(&[("host", "localhost:9000"), ("origin", "http://localhost:9000")], Ok(()))]
#[case::other_page_forwarded(
        &[("host", "localhost:9000"), ("origin", "http://localhost:5173")],
        Err(Refused::Origin),
    )]
#[case::other_scheme_forwarded(
        &[("host", "localhost:9000"), ("origin", "https://localhost:9000")],
        Err(Refused::Origin),
    )]
#[case::none(&[], Err(Refused::HostMissing))]
#[case::two(&[("host", "127.0.0.1:7420"), ("host", "evil.example")], Err(Refused::HostMissing))]
#[case::own_page(&[("host", "127.0.0.1:7420"), ("origin", "http://127.0.0.1:7420")], Ok(()))]
#[case::foreign(&[("host", "127.0.0.1:7420"), ("origin", "http://evil.example")], Err(Refused::Origin))]
#[case::other_local(&[("host", "127.0.0.1:7420"), ("origin", "http://127.0.0.1:5173")], Err(Refused::Origin))]
#[case::null(&[("host", "127.0.0.1:7420"), ("origin", "null")], Err(Refused::Origin))]
#[case::scheme(&[("host", "127.0.0.1:7420"), ("origin", "https://127.0.0.1:7420")], Err(Refused::Origin))]
#[case::cross_site(&[("host", "127.0.0.1:7420"), ("sec-fetch-site", "cross-site")], Err(Refused::Origin))]
#[case::same_site(&[("host", "127.0.0.1:7420"), ("sec-fetch-site", "same-site")], Err(Refused::Origin))]
#[case::typed(&[("host", "127.0.0.1:7420"), ("sec-fetch-site", "none")], Ok(()))]
fn hosts_and_pages(#[case] given: &[(&'static str, &'static str)], #[case] expected: Result<(), Refused>) {
    assert_eq!(pages().admit(&headers(given), false), expected);
}

#[rstest]
#[case::by_a_link(true, "navigate", "document", Ok(()))]
#[case::in_a_frame(true, "navigate", "iframe", Err(Refused::Origin))]
#[case::as_a_script(true, "no-cors", "script", Err(Refused::Origin))]
#[case::elsewhere_by_a_link(false, "navigate", "document", Err(Refused::Origin))]
fn the_page_itself_may_be_come_to_by_a_link(
    #[case] opens: bool,
    #[case] mode: &'static str,
    #[case] dest: &'static str,
    #[case] expected: Result<(), Refused>,
) {
    let given = [
        ("host", "127.0.0.1:7420"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-mode", mode),
        ("sec-fetch-dest", dest),
    ];
    assert_eq!(pages().admit(&headers(&given), opens), expected);
}

#[rstest]
#[case::on_our_port(&[("host", "hub.example:7420")], Ok(()))]
#[case::on_a_port_that_leads_here(&[("host", "Hub.Example")], Ok(()))]
#[case::with_its_own_port(&[("host", "other.example:8443")], Ok(()))]
#[case::on_another_port_than_said(&[("host", "other.example:7420")], Err(Refused::Host))]
#[case::six(&[("host", "[fd00::1]:7420")], Ok(()))]
#[case::through_the_proxy(&[("host", "public.example"), ("origin", "https://public.example")], Ok(()))]
#[case::allowed_page(
        &[("host", "127.0.0.1:7420"), ("origin", "https://board.example"), ("sec-fetch-site", "cross-site")],
        Ok(()),
    )]
#[case::allowed_page_elsewhere(&[("host", "a.example"), ("origin", "https://board.example")], Err(Refused::Host))]
#[case::own_page_there(&[("host", "hub.example:7420"), ("origin", "http://hub.example:7420")], Ok(()))]
#[case::other_page_there(
        &[("host", "hub.example:7420"), ("origin", "http://hub.example:5173")],
        Err(Refused::Origin),
    )]
#[case::unnamed_page(&[("host", "hub.example"), ("sec-fetch-site", "cross-site")], Err(Refused::Origin))]
fn what_is_allowed_beside_our_own(
    #[case] given: &[(&'static str, &'static str)],
    #[case] expected: Result<(), Refused>,
) {
    let mut settings = Settings::defaults().hub;
    settings.allowed_hosts = ["hub.example", "other.example:8443", "[fd00::1]"].map(str::to_owned).to_vec();
    settings.allowed_origins = vec!["https://board.example".to_owned()];
    let public_url = "https://public.example:443/".to_owned();
    settings.behind_proxy = Some(BehindProxy { trusted_proxies: Vec::new(), public_url });
    let pages = Pages::of(&settings, "127.0.0.1:7420".parse().unwrap());
    assert_eq!(pages.admit(&headers(given), false), expected);
}
