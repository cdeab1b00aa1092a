//! Which hosts this hub answers for, and which pages may call it. Pure.
//!
//! A loopback name passes with any port: forwarded ports differ (`ssh -L`, `docker -p`), and DNS rebinding forges only
//! the name. A page from such a host that calls that very host is our own.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use http::HeaderMap;
use http::header::{HOST, ORIGIN};

use crate::settings::HubSettings;

/// The names of this machine for itself, as they stand in `Host`.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pages {
    /// `http`, or `https` where the hub itself speaks TLS.
    scheme: &'static str,
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    HostMissing,
    /// A host that this hub does not answer for: perhaps a name that was made to lead here.
    Host,
    /// A page that may not call this hub.
    Origin,
}

impl Pages {
    /// What follows from where the hub listens, and what is allowed beside it.
    pub fn of(settings: &HubSettings, bound: SocketAddr) -> Self {
        let port = bound.port();
        let scheme = if settings.tls.is_some() { "https" } else { "http" };
        let mut names: BTreeSet<String> = LOOPBACK.map(str::to_owned).into();
        if !bound.ip().is_unspecified() {
            names.insert(host_name(bound));
        }
        let mut hosts: BTreeSet<String> = settings.allowed_hosts.iter().map(|host| host.to_lowercase()).collect();
        // A name alone means this hub under that name: on its own port, or on the one that leads here.
        let without_port: Vec<_> = hosts.iter().filter(|host| !has_port(host)).cloned().collect();
        hosts.extend(without_port.iter().map(|host| format!("{host}:{port}")));
        let mut origins: BTreeSet<String> = settings.allowed_origins.iter().map(|page| page.to_lowercase()).collect();
        origins.extend(hosts.iter().map(|host| format!("{scheme}://{host}")));
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
            let url = proxy.public_url.to_lowercase();
            if let Some((scheme, rest)) = url.split_once("://") {
                let host = without_implied_port(scheme, rest.split('/').next().unwrap_or(rest));
                origins.insert(format!("{scheme}://{host}"));
                hosts.insert(host.to_owned());
            }
        }
        Self { scheme, hosts, origins }
    }

    /// `opens`: the request is for a file of the page, which is the same for everybody and may be linked to.
    pub(super) fn admit(&self, headers: &HeaderMap, opens: bool) -> Result<(), Refused> {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(Refused::HostMissing) };
        let host = host.to_str().map_err(|_| Refused::Host)?.to_lowercase();
        let forwarded = is_loopback(&host);
        if !forwarded && !self.hosts.contains(&host) {
            return Err(Refused::Host);
        }
        let own = forwarded.then(|| format!("{}://{host}", self.scheme));
        let mut named = false;
        for origin in headers.get_all(ORIGIN) {
            let origin = origin.to_str().map_err(|_| Refused::Origin)?.to_lowercase();
            if own.as_ref() != Some(&origin) && !self.origins.contains(&origin) {
                return Err(Refused::Origin);
            }
            named = true;
        }
        // A page that was let in by its name is cross-site by nature; a page without a name must be our own.
        if named {
            return Ok(());
        }
        let header = |name: &str| headers.get(name).map(http::HeaderValue::as_bytes);
        let comes_here = header("sec-fetch-mode") == Some(b"navigate") && header("sec-fetch-dest") == Some(b"document");
        if opens && comes_here {
            return Ok(());
        }
        match header("sec-fetch-site") {
            None | Some(b"same-origin" | b"none") => Ok(()),
            Some(_) => Err(Refused::Origin),
        }
    }
}

fn is_loopback(host: &str) -> bool {
    LOOPBACK.iter().any(|name| match host.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest.strip_prefix(':').is_some_and(|port| {
            let digits = port.bytes().all(|byte| byte.is_ascii_digit());
            digits && port.parse::<u16>().is_ok_and(|port| port > 0)
        }),
        None => false,
    })
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(']').map_or(host, |(_, rest)| rest).contains(':')
}

/// A host as clients write it: without the port that the scheme implies.
fn without_implied_port<'a>(scheme: &str, host: &'a str) -> &'a str {
    let implied = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => return host,
    };
    host.strip_suffix(implied).unwrap_or(host)
}

fn host_name(bound: SocketAddr) -> String {
    match bound {
        SocketAddr::V4(v4) => v4.ip().to_string(),
        SocketAddr::V6(v6) => format!("[{}]", v6.ip()),
    }
}

#[cfg(test)]
mod tests;
