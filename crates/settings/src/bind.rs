//! Whether the hub may start as it is told to: asked before the port is bound, answered with what is to be changed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::files::{ALL, HUB};
use super::hub::HubSettings;
use super::source_location::{ConfigFault, ConfigFaults, Layer, Origins, SourceLocation};
use crate::private_file;

/// Refuses a port that others could listen in on: off the loopback there must be TLS, or a declared proxy. `origins`
/// say where the address came from (none: `hub.yaml`). Fails with what is to be added.
pub fn check_bind(hub: &HubSettings, origins: &Origins) -> Result<(), ConfigFaults> {
    let mut faults = Vec::new();
    let place = SourceLocation::whole(Layer::File, HUB.name);
    // What was typed last is to be typed anew: not every address comes from the file.
    let of_listen = origins.get("listen").filter(|place| place.layer != Layer::Defaults).unwrap_or(&place);
    let loopback = hub.listen.ip().to_canonical().is_loopback();
    if !loopback && hub.tls.is_none() && hub.behind_proxy.is_none() {
        faults.push(of_listen.fault(format!(
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

/// Refuses files that others could change or should not read: what everybody may write, TLS keys that `private_file`
/// rejects, missing TLS files. Fails with each, and the command that mends it.
pub fn check_files(hub: &HubSettings, config_dir: Option<&Path>) -> Result<(), ConfigFaults> {
    const OTHERS_WRITE: u32 = 0o002;
    let mut faults = Vec::new();
    if let Some(folder) = config_dir {
        let inside = ALL.iter().map(|file| folder.join(file.name));
        for path in [folder.to_owned()].into_iter().chain(inside) {
            if mode(&path).is_some_and(|mode| mode & OTHERS_WRITE != 0) {
                let fix = format!("everybody may write it: chmod o-w {}", path.display());
                faults.push(SourceLocation::whole(Layer::File, &path.display().to_string()).fault(fix));
            }
        }
    }
    if let Some(tls) = &hub.tls {
        for (key, path) in [("certFile", &tls.cert_file), ("keyFile", &tls.key_file)] {
            match private_file::open_regular(path)
                .map(|file| (key == "keyFile").then(|| private_file::check_given(path, &file)))
            {
                Err(error) => faults.push(tls_fault(key, &format!("failed to read `{}`: {error}", path.display()))),
                Ok(Some(Err(error))) => faults.push(tls_fault(key, &error.to_string())),
                Ok(Some(Ok(())) | None) => {}
            }
        }
    }
    ConfigFaults::unless_empty(faults)
}

fn tls_fault(key: &str, message: &str) -> ConfigFault {
    SourceLocation::whole(Layer::File, HUB.name).fault(format!("`tls.{key}`: {message}"))
}

fn mode(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|metadata| metadata.permissions().mode())
}
