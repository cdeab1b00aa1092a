//! The configuration of each MCP client on this machine, and whether it leads to this hub.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::finding::Finding;
use super::flag::{flag, variable};
use super::{by_command, by_http, woken};
use crate::cli::client::HubClient;
use crate::cli::connect::{Client, Found, KNOWN, Scope};
use crate::cli::exit::Exit;
use crate::cli::place::GlobalArgs;
use crate::domain::agent::{ClientDoor, DeclaredClient};
use crate::settings::Settings;

/// Looks at each client in the user's configuration, and in that of the working directory.
pub(super) async fn look(hub: Option<&HubClient>, globals: &GlobalArgs, wait: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut agents: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for client in KNOWN {
        let files = [Scope::User, Scope::Project].map(|scope| client.file(scope).ok().flatten());
        let [user, project] = files;
        // In one's own home the two are one.
        let project = project.filter(|project| user.as_ref().is_none_or(|user| !is_same(user, project)));
        let files = [(Scope::User, user), (Scope::Project, project)];
        for (scope, path) in files.into_iter().filter_map(|(scope, path)| Some((scope, path?))) {
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let check = format!("client {}", client.name());
            match client.found(&text) {
                Err(why) => findings.push(unreadable(&check, &path, &why, client)),
                Ok(None) => {}
                Ok(Some(found)) => {
                    let may_call = client.may_call(scope, &text);
                    let (of_entry, agent) = entry(client, &path, &found, may_call, hub, globals, wait).await;
                    findings.extend(of_entry);
                    if wait && hub.is_some() {
                        findings.extend(by_command::nudged(client, &client.hooks_in(scope)));
                        findings.extend(woken::tried(client, &found, scope, globals).await);
                    }
                    if let Some(agent) = agent {
                        agents.entry(agent).or_default().insert(client.name());
                    }
                }
            }
        }
    }
    if findings.is_empty() {
        let message = "no client's file on this machine names callboard";
        let next = "callboard connect claude --agent ID --role ROLE";
        findings.push(Finding::skipped("clients", message).next(next));
    }
    findings.extend(shared(&agents));
    findings
}

/// Each agent that several clients speak for.
pub(super) fn shared(agents: &BTreeMap<String, BTreeSet<&str>>) -> Vec<Finding> {
    let several = agents.iter().filter(|(_, clients)| clients.len() > 1);
    let told = several.map(|(agent, clients)| {
        let names = clients.iter().copied().collect::<Vec<_>>().join(" and ");
        let message = format!("{names} speak for it: one of them waits at a time, and each ends the other's wait");
        let next = format!("callboard connect {} --agent ANOTHER-ID --role ROLE", clients.last().unwrap_or(&"CLIENT"));
        Finding::doubtful(format!("agent {agent}"), message).code("AGENT_SHARED").next(next)
    });
    told.collect()
}

/// Whether the client calls our tools where nobody sits at it; nothing where its files do not say.
pub(super) fn unattended(client: Client, may_call: Option<bool>) -> Option<Finding> {
    let check = format!("client {} unattended", client.name());
    if may_call? {
        return Some(Finding::good(check, "it calls callboard's tools without asking"));
    }
    let message = "it asks its user before it calls callboard's tools: with nobody there it may refuse them";
    let next = format!("{} --allow", again(client));
    Some(Finding::doubtful(check, message).code("CLIENT_ASKS").next(next))
}

/// What writes the client's entry anew.
fn again(client: Client) -> String {
    format!("callboard connect {} --agent ID --role ROLE", client.name())
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}

fn unreadable(check: &str, path: &Path, why: &str, client: Client) -> Finding {
    let message = format!("`{}` cannot be read: {why}", path.display());
    Finding::doubtful(check, message).next(format!("callboard connect {} --dry-run --agent ID", client.name()))
}

/// What is to be said of an entry, and the agent that it speaks for, where that is known.
async fn entry(
    client: Client,
    path: &Path,
    found: &Found,
    may_call: Option<bool>,
    hub: Option<&HubClient>,
    globals: &GlobalArgs,
    wait: bool,
) -> (Vec<Finding>, Option<String>) {
    let (check, again) = (&format!("client {}", client.name()), again(client));
    let shown = path.display();
    if let Some(astray) = astray(found, hub, globals) {
        return (vec![Finding::wrong(check, Exit::Configuration, format!("`{shown}`: {astray}")).next(again)], None);
    }
    let by = match found {
        Found::Stdio { .. } => "by the stdio proxy",
        Found::Http { .. } => "over HTTP",
    };
    let mut findings = vec![Finding::good(check, format!("`{shown}` leads to this hub {by}"))];
    findings.push(tool_timeout(check, client, found));
    findings.extend(unattended(client, may_call));
    let mut agent = by_command::agent(found);
    if let Some(hub) = hub.filter(|_| wait) {
        match found {
            Found::Stdio { .. } => findings.extend(by_command::tried(check, hub, client, found).await),
            Found::Http { url, headers, .. } => {
                let (tried, whose) = by_http::tried(check, hub, client, url, headers).await;
                findings.extend(tried);
                agent = whose;
            }
        }
    }
    (findings, agent)
}

/// Why an entry leads elsewhere, or nowhere.
pub(super) fn astray(found: &Found, hub: Option<&HubClient>, globals: &GlobalArgs) -> Option<String> {
    let address = hub.map(|hub| hub.address().to_owned());
    match found {
        Found::Stdio { command, arguments, .. } => {
            if !runs(command) {
                return Some(format!("it starts `{command}`, which is no program here"));
            }
            if !arguments.iter().any(|argument| argument == "proxy") {
                return Some("it does not start `callboard proxy`".to_owned());
            }
            // A flag goes before a variable, and a data directory that is a flag before an address that is none.
            let dir = flag(arguments, "--data-dir");
            let url = match (flag(arguments, "--url"), &dir) {
                (None, None) => variable(found, "CALLBOARD_URL"),
                (url, _) => url,
            };
            if let Some(url) = url {
                return address.is_some_and(|ours| !same(&ours, &url)).then(|| format!("it leads to `{url}`"));
            }
            let ours = globals.data_dir().ok().and_then(|dir| fs::canonicalize(dir).ok());
            let dir = dir.or_else(|| variable(found, "CALLBOARD_DATA_DIR"));
            let dir = dir.filter(|dir| ours.is_some() && fs::canonicalize(dir).ok() != ours);
            dir.map(|dir| format!("it leads to the hub of `{dir}`"))
        }
        Found::Http { url, .. } => {
            let meant = url.trim_end_matches('/');
            let base = meant.strip_suffix("/mcp");
            match (base, address) {
                (None, _) => Some(format!("its URL `{url}` does not end in /mcp")),
                (Some(base), Some(ours)) if !same(&ours, base) => Some(format!("it leads to `{url}`")),
                (Some(_), _) => None,
            }
        }
    }
}

fn same(ours: &str, theirs: &str) -> bool {
    let plain = |url: &str| url.trim_end_matches('/').to_lowercase().replace("//localhost", "//127.0.0.1");
    plain(ours) == plain(theirs)
}

/// Whether a command is a file, or found on the path.
fn runs(command: &str) -> bool {
    if command.contains('/') {
        return Path::new(command).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(command).is_file())
}

/// How long the hub lets the client wait, and whether the client's own file cuts it before.
pub(super) fn tool_timeout(check: &str, client: Client, found: &Found) -> Finding {
    let (tool_timeout, door) = match found {
        Found::Stdio { tool_timeout, .. } => (tool_timeout, ClientDoor::Stdio),
        Found::Http { tool_timeout, .. } => (tool_timeout, ClientDoor::Http),
    };
    let cap = Settings::defaults().wait_cap(Some(&DeclaredClient::new(client.declared(), None, door, false)));
    match tool_timeout {
        Some(limit) if *limit <= cap => {
            let message = format!("its file ends a tool call after {limit:?}, and the hub's waits last up to {cap:?}");
            Finding::wrong(check, Exit::Configuration, message).next(again(client))
        }
        Some(limit) => Finding::good(check, format!("waits last up to {cap:?}; its file allows {limit:?}")),
        None => Finding::good(check, format!("waits last up to {cap:?}, which its default allows")),
    }
}
