//! No door decides: what changes anything is a verb of `src/tools`, and doors read requests and print replies.
//!
//! Three rules, each over the text of `src/transport`:
//! - of the actors' handles, a door calls only methods that look ([`LOOKS`]). The methods are read from the handles
//!   themselves, so that a new one is forbidden until it stands in that list;
//! - of `crate::actors`, a door names only what is shown to people ([`SHOWN`]): no message, and no order;
//! - no door names a command of the domain, a right, or what an append to the journal is made of.
//!
//! A handle in a variable is seen by its method's name alone. Names that other libraries use as well ([`COMMON`]) are
//! seen only behind a field of the hub, as in `hub.learner.change(…)`; elsewhere the second rule forbids what such
//! methods take.

use std::collections::BTreeSet;

use super::paths::used;
use super::tree::{self, Source};
use super::{Complaint, none_of};

/// Methods of handles that change nothing.
const LOOKS: [&str; 35] = [
    "agent", "agent_standings", "agent_views", "agents", "caught_up", "counts", "depth", "grown", "inbox",
    "is_present", "list", "new", "next_call", "overview", "actor_view", "read", "rejected", "roster", "session",
    "sessions", "settings", "show", "strained", "subscribe", "task", "terminal", "terminal_views", "terminals",
    "transcript", "tree", "view", "watch", "why", "workspace_of", "await_answer",
];
/// Methods of handles whose names others have too: of headers, maps, channels, iterators, cancellation tokens.
const COMMON: [&str; 15] = [
    "answer", "append", "begin", "cancel", "change", "clear", "collect", "find", "flush", "left", "register", "send",
    "set", "sink", "wait",
];
/// The fields of the hub that are handles.
const HANDLES: [&str; 8] = ["alarm", "dispatcher", "hub", "journal", "learner", "noticeboard", "supervisor", "tickets"];
/// What doors name of the actors: the hub, and what people are shown.
const SHOWN: [&str; 23] = [
    "ArmedTimer", "Event", "Fault", "HistorySpan", "HistoryView", "HubRef", "JournalView", "Output", "Overview",
    "Passed", "ActorView", "Posted", "QueueCounts", "SessionView", "Strain", "Strained", "Subscription", "Counters",
    "Transcript", "TreeError", "UnknownType", "Why", "check_types",
];
/// What makes a record of an append.
const OF_APPENDS: [&str; 4] = ["Append", "Entry", "Idempotency", "Record"];

/// What a door does and no verb could, with the reason.
const EXCEPTIONS: [(&str, &[&str], &str); 7] = [
    (
        "src/transport/mcp/tickets.rs",
        &["TicketWatch", "answer", "ask", "cancel", "is_last", "issue"],
        "a ticket is the protocol's own note of a call that is answered later; the call itself is a verb",
    ),
    (
        "src/transport/discord/",
        &[
            "Call", "Fail", "GatewayEvent", "Guild", "Look", "Pending", "Places", "DiscordRest", "Service", "Shared",
            "Whose", "called",
        ],
        "Discord's door is called by no socket of its own: it hears and answers through the connection that it shares",
    ),
    (
        "src/transport/mcp/workarounds/sessions.rs",
        &["ClientGone", "client_gone"],
        "only the door sees that an agent's connection ended",
    ),
    (
        "src/transport/mcp/socket/",
        &["CallId", "ClientGone", "client_gone"],
        "only the door sees that an agent's connection ended",
    ),
    (
        "src/transport/terminal/",
        &[
            "Arrival", "HostOrder", "TerminalRef", "Track", "host", "host_left", "hosted", "print", "track", "typed",
            "was_ordered",
        ],
        "a host's connection is a stream into the terminal that the verb `terminal_to_host` gave it",
    ),
    (
        "src/transport/host/",
        &["ConnectionLost", "HostCaller", "HostConnection", "HostMeans"],
        "a host's connection is an actor's own: the door hands it messages, and says what it is told",
    ),
    (
        "src/transport/tokens/",
        &["OnCall", "RunGuard"],
        "the token of a run is good as long as that run, and only the register of runs knows how long that is",
    ),
];

#[test]
fn no_door_decides() {
    let sources = tree::read("src/transport", &[".rs"]);
    let methods = methods_of_handles();
    assert!(methods.len() > 60, "found only {} methods of handles: are they elsewhere now?", methods.len());
    let complaints: Vec<_> = sources.iter().flat_map(|source| decides(&methods, source)).collect();
    none_of("a door parses and prints; what changes anything is a verb of src/tools", &complaints);
}

#[test]
fn no_verb_knows_http() {
    let sources = tree::read("src/tools", &[".rs"]);
    none_of(
        "a verb gets a caller and a request, and gives a reply",
        &sources.iter().flat_map(http).collect::<Vec<_>>(),
    );
    assert_eq!(http(&Source::made_up("src/tools/a.rs", "use axum::Json;\nuse http::HeaderMap;\n")).len(), 2);
    assert!(http(&Source::made_up("src/tools/a.rs", "//! `http::` and \"http://127.0.0.1\"\n")).is_empty());
}

/// Where a source uses a library that speaks HTTP or MCP.
fn http(source: &Source) -> Vec<Complaint> {
    let speaks = |line: &str| ["axum::", "http::", "rmcp::", "tower::"].iter().any(|library| line.contains(library));
    source.code_lines().filter(|(_, line)| speaks(line)).map(|(number, _)| source.at(number)).collect()
}

#[test]
fn every_exception_is_needed() {
    let sources = tree::read("src/transport", &[".rs"]);
    let unused = EXCEPTIONS.iter().flat_map(|(path, names, _)| {
        let there: String = sources.iter().filter(|it| it.path.starts_with(path)).map(|it| it.text.as_str()).collect();
        names.iter().filter(move |name| !there.contains(**name)).map(move |name| format!("{path}: `{name}`"))
    });
    none_of("take out of the exceptions what no door does any more", &unused.collect::<Vec<_>>());
}

#[test]
fn a_door_that_decides_is_seen() {
    let methods = methods_of_handles();
    let at = |path: &str, text: &str| decides(&methods, &Source::made_up(path, text)).len();
    let door = |text: &str| at("src/transport/http/api/tasks.rs", text);
    assert_eq!(door("fn f() { hub.order(&id, act).await?; }"), 1);
    assert_eq!(door("fn f() { hub.agent(&id).await?.evict(eviction, by).await }"), 1);
    assert_eq!(door("fn f() { hub\n    .learner\n    .change(id, order).await }"), 1, "over several lines");
    assert_eq!(door("fn f() { hub.journal.append(append).await }"), 1);
    assert_eq!(door("use crate::actors::task::{TaskAct, TaskRef};"), 2);
    assert_eq!(door("use crate::domain::task::{Task, TaskCommand};"), 1);
    assert_eq!(door("use crate::domain::permission::Deed;"), 1);
    assert_eq!(door("use crate::journal::{Append, Reader};"), 1);
    assert_eq!(door("fn f() { headers.append(name, value); hub.journal.read(reads).await }"), 0);
    assert_eq!(door("use crate::actors::{HubRef, noticeboard::Event};"), 0);
    assert_eq!(door("fn f() { call.run(&id, &request).await } // not hub.order(act)"), 0);
    assert_eq!(at("src/transport/mcp/workarounds/sessions.rs", "fn f() { line.client_gone(gone); }"), 0);
    assert_eq!(at("src/transport/http/guard.rs", "fn f() { line.client_gone(gone); }"), 1);
}

/// The names of all methods of the actors' handles and of the hub.
fn methods_of_handles() -> BTreeSet<String> {
    let handles = tree::read("src/actors", &["/handle.rs", "/hub_ref.rs", "/inbox.rs", "/terminals.rs"]);
    let names = handles.iter().flat_map(|source| source.code_lines()).filter_map(|(_, line)| {
        let name =
            ["pub fn ", "pub async fn ", "pub const fn "].iter().find_map(|kind| line.trim().strip_prefix(*kind))?;
        Some(name.split(['(', '<']).next().unwrap_or_default().to_owned())
    });
    names.collect()
}

fn decides(methods: &BTreeSet<String>, source: &Source) -> Vec<Complaint> {
    let tests = ["/tests/", "/tests.rs", "/kit.rs"].iter().any(|part| source.path.contains(part));
    if tests {
        return Vec::new();
    }
    let excepted =
        |name: &str| EXCEPTIONS.iter().any(|(at, names, _)| source.path.starts_with(at) && names.contains(&name));
    let mut complaints = Vec::new();
    for (line, name) in calls(source, methods) {
        if !excepted(&name) {
            complaints.push(format!("{}: calls `{name}` of a handle", source.at(line)));
        }
    }
    for used in used(source) {
        let (Some(room), Some(name)) = (used.path.first(), used.path.last()) else { continue };
        let is_order = match room.as_str() {
            "actors" => !SHOWN.contains(&name.as_str()),
            "domain" => name.ends_with("Command") || name == "Eviction" || used.path.contains(&"permission".to_owned()),
            "journal" => OF_APPENDS.contains(&name.as_str()),
            _ => false,
        };
        if is_order && !excepted(name) {
            complaints.push(format!("{}: uses `crate::{}`", source.at(used.line), used.path.join("::")));
        }
    }
    complaints
}

/// The calls of methods that change something, with their lines.
fn calls(source: &Source, methods: &BTreeSet<String>) -> Vec<(usize, String)> {
    let code: Vec<&str> = source.text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let changing = methods.iter().filter(|name| !LOOKS.contains(&name.as_str()));
    let found = changing.flat_map(|name| {
        let of_hub = |before: &str| {
            let receiver = before.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
            receiver.is_some_and(|receiver| HANDLES.contains(&receiver))
        };
        let code = code.as_str();
        let call = format!(".{name}(");
        let places: Vec<_> = code.match_indices(&call).map(|(at, _)| at).collect();
        places.into_iter().filter_map(move |at| {
            let seen = !COMMON.contains(&name.as_str()) || of_hub(&code[..at]);
            seen.then(|| (code[..at].matches('\n').count() + 1, name.clone()))
        })
    });
    found.collect()
}
