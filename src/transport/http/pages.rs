//! Which hosts this hub answers for, and which pages may call it. Pure.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::settings::HubSettings;

/// Hosts and origins, as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
}

/// What is wrong with a request's host or origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// No `Host`, or several.
    HostMissing,
    /// A host that this hub does not answer for: perhaps a name that was made to lead here.
    Host,
    /// A page that may not call this hub.
    Origin,
}

impl Pages {
    /// What follows from where the hub listens, and what is allowed beside it.
    #[must_use]
    pub fn of(settings: &HubSettings, bound: SocketAddr) -> Self {
        let port = bound.port();
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        let mut names: BTreeSet<String> = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).into();
        if !bound.ip().is_unspecified() {
            names.insert(host_name(bound));
        }
        let mut hosts: BTreeSet<String> = settings.allowed_hosts.iter().map(|host| host.to_lowercase()).collect();
        let mut origins: BTreeSet<String> = settings.allowed_origins.iter().map(|page| page.to_lowercase()).collect();
        for name in names {
            hosts.insert(format!("{name}:{port}"));
            origins.insert(format!("{scheme}://{name}:{port}"));
            // A client leaves out the port that its scheme implies.
            if (port, scheme) == (80, "http") || (port, scheme) == (443, "https") {
                origins.insert(format!("{scheme}://{name}"));
                hosts.insert(name);
            }
        }
        if let Some(proxy) = &settings.behind_proxy {
            let url = proxy.public_url.trim_end_matches('/').to_lowercase();
            if let Some((_, rest)) = url.split_once("://") {
                hosts.insert(rest.split('/').next().unwrap_or(rest).to_owned());
            }
            origins.insert(url);
        }
        Self { hosts, origins }
    }

    pub(super) fn admit(&self, headers: &HeaderMap) -> Result<(), Refused> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(Refused::HostMissing) };
        let host = host.to_str().map_err(|_| Refused::Host)?.to_lowercase();
        if !self.hosts.contains(&host) {
            return Err(Refused::Host);
        }
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().map_err(|_| Refused::Origin)?.to_lowercase();
            if !self.origins.contains(&origin) {
                return Err(Refused::Origin);
            }
        }
        match headers.get("sec-fetch-site").map(http::HeaderValue::as_bytes) {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(Refused::Origin),
        }
    }
}

fn host_name(bound: SocketAddr) -> String {
    match bound {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};
    use rstest::rstest;

    use super::*;
    use crate::settings::Settings;

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
    #[case::other_port(&[("host", "127.0.0.1:80")], Err(Refused::Host))]
    #[case::no_port(&[("host", "127.0.0.1")], Err(Refused::Host))]
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
        assert_eq!(pages().admit(&headers(given)), expected);
    }
}
