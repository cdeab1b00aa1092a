//! `hub.yaml`: values that must fit together.

use std::net::IpAddr;
use std::time::Duration;

use super::agents::Names;
use crate::discord::DiscordSettings;
use crate::hub::HubSettings;
use crate::ports::{ForgeKind, TrackerKind};
use crate::source::node::Node;
use crate::source_location::ConfigFault;

pub(super) fn check(hub: &HubSettings, tree: &Node, faults: &mut Vec<ConfigFault>) {
    let mut fault = |path: &[&str], message: String| {
        faults.push(tree.place_of(path).fault(format!("`{}` {message}", path.join("."))));
    };
    for (path, span) in spans(hub) {
        if span.is_zero() {
            fault(path, "must be longer than nothing".to_owned());
        }
    }
    for (path, number) in counts(hub) {
        if number == 0 {
            fault(path, "must be at least 1".to_owned());
        }
    }
    if hub.waits.default > hub.waits.max {
        fault(&["waits", "default"], "must not be longer than `waits.max`".to_owned());
    }
    if hub.leases.aging_after > hub.leases.starvation_after {
        fault(&["leases", "starvationAfter"], "must not be shorter than `leases.agingAfter`".to_owned());
    }
    if hub.limits.queue_per_agent > hub.limits.queue_total {
        fault(&["limits", "queuePerAgent"], "must not be more than `limits.queueTotal`".to_owned());
    }
    for (index, percent) in hub.questions.reminders.iter().enumerate() {
        if !(1..=99).contains(percent) {
            fault(&["questions", "reminders", &index.to_string()], "must be a percentage from 1 to 99".to_owned());
        }
    }
    if let Some(proxy) = &hub.behind_proxy
        && !is_origin(proxy.public_url.strip_suffix('/').unwrap_or(&proxy.public_url))
    {
        let message = "must be an address without a path, as `https://hub.example`: the hub is not served below a path";
        fault(&["behindProxy", "publicUrl"], message.to_owned());
    }
    for (index, host) in hub.allowed_hosts.iter().enumerate() {
        if host.is_empty() || host.contains(['/', '@', ' ']) {
            fault(&["allowedHosts", &index.to_string()], "must be a host name alone, as `hub.example`".to_owned());
        }
    }
    for (index, origin) in hub.allowed_origins.iter().enumerate() {
        if !is_origin(origin) {
            let message = "must be an origin alone, as `https://hub.example:8443`".to_owned();
            fault(&["allowedOrigins", &index.to_string()], message);
        }
    }
    for (index, root) in hub.monitor.roots.iter().enumerate() {
        if !root.is_absolute() {
            fault(&["monitor", "roots", &index.to_string()], "must be an absolute path".to_owned());
        }
    }
    if let Some(why) = hub.store.as_deref().and_then(unfit_store) {
        fault(&["store"], why.to_owned());
    }
    check_node(hub, &mut fault);
    check_outside(hub, &mut fault);
}

fn check_node(hub: &HubSettings, fault: &mut impl FnMut(&[&str], String)) {
    if hub.node.name.is_some() && hub.store.is_none() {
        fault(&["node", "name"], "needs `store`: only a database is shared by several hubs".to_owned());
    }
    if hub.node.name.as_deref().is_some_and(|name| !is_plain_name(name)) {
        let message = "must be 1 to 32 lower-case letters, digits and hyphens, as `hub-a`";
        fault(&["node", "name"], message.to_owned());
    }
    // What only one machine has stays behind when another one takes over.
    let of_a_disk = [
        (["monitor", "roots"], !hub.monitor.roots.is_empty()),
        (["forge", "repositories"], hub.forge.kind == ForgeKind::Git && !hub.forge.repositories.is_empty()),
    ];
    for (path, _) in of_a_disk.iter().filter(|(_, set)| *set && hub.node.name.is_some() && !hub.node.shared_disk) {
        let message = "names folders of this machine, and with `node.name` another one may take over: set \
                       `node.sharedDisk: true` where all of them have the same disk, or leave it empty";
        fault(path, message.to_owned());
    }
    if hub.node.public_url.as_deref().is_some_and(|url| !is_origin(url)) {
        fault(&["node", "publicUrl"], "must be an address without a path, as `https://hub-a.example`".to_owned());
    }
}

/// Why an address of a database is none, or has what does not belong there.
fn unfit_store(store: &str) -> Option<&'static str> {
    let Some(rest) = store.strip_prefix("postgres://").or_else(|| store.strip_prefix("postgresql://")) else {
        return Some("must be `postgres://USER@HOST/DATABASE`, or null for a file in the data directory");
    };
    let user = rest.split(['/', '?']).next().and_then(|authority| authority.rsplit_once('@')).map(|(user, _)| user);
    let has_password = user.is_some_and(|user| user.contains(':')) || rest.contains("password=");
    has_password.then_some(
        "must not hold the password: it comes by CALLBOARD_STORE_PASSWORD or by `storePasswordFile`, and this address \
         is shown to whoever reads the settings",
    )
}

/// What the hub calls: Discord, forge, tracker, webhooks.
fn check_outside(hub: &HubSettings, fault: &mut impl FnMut(&[&str], String)) {
    let discord = &hub.discord;
    let addresses = [("apiBase", &discord.api_base), ("gatewayUrl", &discord.gateway_url)];
    for (key, address) in addresses.iter().filter_map(|(key, address)| Some((*key, address.as_deref()?))) {
        match host_of(address) {
            None => fault(&["discord", key], "must be a URL with a host".to_owned()),
            Some(host) if !discord.allow_foreign_hosts && !is_loopback(host) => {
                let message = "must point to this machine: the bot's token goes there; \
                               `discord.allowForeignHosts: true` allows others";
                fault(&["discord", key], message.to_owned());
            }
            Some(_) => {}
        }
    }
    let (needs_base, has_token) = match hub.forge.kind {
        ForgeKind::Forgejo => (true, true),
        ForgeKind::Github => (false, true),
        ForgeKind::Git => (false, false),
    };
    base_url("forge", hub.forge.base_url.as_deref(), needs_base, has_token, fault);
    // A webhook is signed, and its secret goes nowhere.
    let (needs_base, has_token) = match hub.tracker.kind {
        TrackerKind::Webhook => (true, false),
        TrackerKind::Github => (false, true),
        TrackerKind::Builtin => (false, false),
    };
    base_url("tracker", hub.tracker.base_url.as_deref(), needs_base, has_token, fault);
    for (name, hook) in &hub.webhooks.outbound {
        if !is_web_address(&hook.url) {
            fault(&["webhooks", "out", name, "url"], "must be an `https://` or `http://` URL".to_owned());
        }
    }
}

/// Whom a mention on Discord calls. An unknown agent is a warning: it may register later under that name.
pub(super) fn check_callees(discord: &DiscordSettings, tree: &Node, names: &Names, warnings: &mut Vec<ConfigFault>) {
    let roles = discord.roles.iter().map(|(id, name)| (format!("roles.{id}"), name));
    let by_default = discord.default_agent.iter().map(|name| ("defaultAgent".to_owned(), name));
    for (key, name) in roles.chain(by_default).filter(|(_, name)| !names.is_known(name)) {
        let path: Vec<_> = std::iter::once("discord").chain(key.split('.')).collect();
        let hint = names.hint(name);
        let place = tree.place_of(&path);
        warnings.push(place.fault(format!("`discord.{key}` names `{name}`, which is unknown: {hint}")));
    }
}

/// Entries of `forge.repositories` that no repository of that kind of forge is called.
pub(super) fn check_repositories(hub: &HubSettings, tree: &Node, warnings: &mut Vec<ConfigFault>) {
    for (index, entry) in hub.forge.repositories.iter().enumerate() {
        let why = match (hub.forge.kind, entry.trim().starts_with('/')) {
            (ForgeKind::Git, false) => "names no folder: with `forge.kind: git` it is a whole path, as `/srv/git/*`",
            (ForgeKind::Github | ForgeKind::Forgejo, true) => "names a folder: on a forge it is `owner/name`",
            (ForgeKind::Git, true) | (ForgeKind::Github | ForgeKind::Forgejo, false) => continue,
        };
        let index = index.to_string();
        let place = tree.place_of(&["forge", "repositories", &index]);
        warnings.push(place.fault(format!("`forge.repositories.{index}` {why}")));
    }
}

fn base_url(port: &str, url: Option<&str>, needed: bool, has_token: bool, fault: &mut impl FnMut(&[&str], String)) {
    match url {
        None if needed => fault(&[port, "baseUrl"], format!("is needed for this `{port}.kind`")),
        Some(url) if !is_web_address(url) => {
            fault(&[port, "baseUrl"], "must be an `https://` or `http://` URL".to_owned());
        }
        Some(url) if has_token && url.starts_with("http://") && !host_of(url).is_some_and(is_loopback) => {
            let message = "must begin with `https://`: the token goes there, and everybody on the way could read it; \
                           `http://` is for this machine alone";
            fault(&[port, "baseUrl"], message.to_owned());
        }
        None | Some(_) => {}
    }
}

fn spans(hub: &HubSettings) -> [(&'static [&'static str], Duration); 15] {
    [
        (&["leases", "ttl"], hub.leases.ttl),
        (&["leases", "ackWithin"], hub.leases.ack_within),
        (&["leases", "agingAfter"], hub.leases.aging_after),
        (&["leases", "starvationAfter"], hub.leases.starvation_after),
        (&["leases", "offlineAfter"], hub.leases.offline_after),
        (&["waits", "default"], hub.waits.default),
        (&["waits", "max"], hub.waits.max),
        (&["waits", "progressEvery"], hub.waits.progress_every),
        (&["oncall", "linger"], hub.oncall.linger),
        (&["oncall", "silence"], hub.oncall.silence),
        (&["questions", "timeout"], hub.questions.timeout),
        (&["permissions", "timeout"], hub.permissions.timeout),
        (&["notices", "typeAfter"], hub.notices.type_after),
        (&["journal", "retention"], hub.journal.retention),
        (&["monitor", "restAfter"], hub.monitor.rest_after),
    ]
}

fn counts(hub: &HubSettings) -> [(&'static [&'static str], usize); 15] {
    let limits = &hub.limits;
    let wide = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    [
        (&["leases", "maxAttempts"], wide(hub.leases.max_attempts)),
        (&["limits", "requestsPerSecond"], wide(limits.requests_per_second)),
        (&["limits", "burst"], wide(limits.burst)),
        (&["limits", "connections"], limits.connections),
        (&["limits", "queuePerAgent"], limits.queue_per_agent),
        (&["limits", "queueTotal"], limits.queue_total),
        (&["limits", "commentsPerTask"], limits.comments_per_task),
        (&["limits", "noticesPerAgent"], limits.notices_per_agent),
        (&["limits", "mcpBody"], limits.mcp_body),
        (&["limits", "apiBody"], limits.api_body),
        (&["limits", "eventBuffer"], limits.event_buffer),
        (&["limits", "mailbox"], limits.mailbox),
        (&["oncall", "slots"], usize::from(hub.oncall.slots)),
        (&["journal", "batch"], hub.journal.batch),
        (&["monitor", "lines"], hub.monitor.lines),
    ]
}

fn is_plain_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

fn is_web_address(url: &str) -> bool {
    (url.starts_with("https://") || url.starts_with("http://")) && host_of(url).is_some()
}

fn is_origin(origin: &str) -> bool {
    origin.split_once("://").is_some_and(|(scheme, rest)| {
        matches!(scheme, "http" | "https") && !rest.is_empty() && !rest.contains(['/', '?', '#', '@', ' '])
    })
}

/// The host of a URL, without port and brackets.
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split_once(']')?.0,
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    (!host.is_empty() && !host.contains(char::is_whitespace)).then_some(host)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
