//! Whether the hub may open the port that it is told to open. Asked before the port is bound.

use super::files::HUB;
use super::hub::HubSettings;
use super::place::{ConfigFaults, Layer, Place};

/// Refuses a port that others could listen in on: off the loopback there must be TLS, or a declared proxy that does it.
///
/// # Errors
/// With what is to be added.
pub fn check_bind(hub: &HubSettings) -> Result<(), ConfigFaults> {
    let mut faults = Vec::new();
    let place = Place::whole(Layer::File, HUB.name);
    let loopback = hub.listen.ip().to_canonical().is_loopback();
    if !loopback && hub.tls.is_none() && hub.behind_proxy.is_none() {
        faults.push(place.fault(format!(
            "`listen: {}` is reachable from other machines: add `tls` with `certFile` and `keyFile`, or `behindProxy` \
             with `trustedProxies` and `publicUrl`, or listen on 127.0.0.1",
            hub.listen
        )));
    }
    if let Some(proxy) = &hub.behind_proxy {
        if proxy.trusted_proxies.is_empty() {
            faults.push(place.fault("`behindProxy` needs `trustedProxies`: the addresses whose headers are believed"));
        }
        if proxy.public_url.is_empty() {
            faults.push(place.fault("`behindProxy` needs `publicUrl`: the address under which the proxy is reached"));
        }
    }
    ConfigFaults::unless_empty(faults)
}
