//! The arrows of the architecture: a room uses only what lies below it.
//!
//! ```text
//! main → cli → hub → transport → { tools, tracker } → webhooks → actors → { audit, broken }
//! ```
//!
//! What lies below that are crates of their own, and cargo holds their arrows. Of what runs beside a client, and not in
//! a hub, `cli` alone knows.
//!
//! Besides: the doors of `transport` do not know each other, and an actor knows another only by what that one shows.

use std::collections::BTreeSet;

use super::paths::{Used, module_of, used};
use super::tree::{self, Source};
use super::{Complaint, none_of};

/// The rooms by height. Rooms of one height do not use each other.
const RANKS: [(&str, u8); 9] = [
    ("cli", 9),
    ("hub", 7),
    ("transport", 6),
    ("tools", 5),
    ("tracker", 5),
    ("webhooks", 4),
    ("actors", 3),
    ("audit", 2),
    ("broken", 2),
];
/// `main.rs` and `lib.rs` stand above all rooms.
const ABOVE_ALL: u8 = u8::MAX;
/// The table of contents of the doors: the one place that knows them all.
const ROUTER: &str = "src/transport/http/router.rs";
/// Not doors, but what every door stands on; these use no door.
const UNDER_THE_DOORS: [&str; 3] = ["tokens", "web", "ws"];
/// What the pure heart must not touch; the clock and the locks are in clippy.toml.
const THE_WORLD: [&str; 12] = [
    "tokio", "ractor", "axum", "rmcp", "rusqlite", "reqwest", "tracing", "std::fs", "std::net", "std::env",
    "std::process", "std::thread",
];

/// Beside the detector, and the one that reads files: it follows logs of terminals.
const LOG_FILES: &str = "crates/detect/src/terminal/log_file.rs";
/// Its test reads the sources of its crate.
const LISTS: &str = "crates/detect/src/lists/tests.rs";
/// Reads from its environment what it leaves out, only with the feature `ablation`, which nothing that ships has.
const ABLATION: &str = "crates/detect/src/ablation.rs";
/// How SQLite writes a moment, for the crates that have SQLite.
const SQLITE: &str = "crates/base/src/sqlite.rs";

#[test]
fn a_room_uses_only_what_lies_below_it() {
    none_of("main → cli → hub → transport → { tools, tracker } → webhooks → actors → { audit, broken }", &all(upward));
}

#[test]
fn the_hub_does_not_know_what_runs_beside_a_client() {
    none_of("`callboard_client` is for src/cli alone", &all(|_, source| beside_a_client(source)));
}

#[test]
fn the_doors_do_not_know_each_other() {
    none_of("transport/x uses another door only in transport/http/router.rs", &all(sideways));
}

#[test]
fn an_actor_knows_another_only_by_what_it_shows() {
    none_of("actors/x uses of actors/y what its mod.rs re-exports, and never the actor itself", &all(behind_the_door));
}

#[test]
fn the_domain_touches_nothing() {
    let sources =
        ["crates/domain/src", "crates/base/src", "crates/detect/src"].map(|folder| tree::read(folder, &[".rs"]));
    let complaints: Vec<_> = sources.iter().flatten().flat_map(|source| worldly(&[], source)).collect();
    none_of("the domain, and what it stands on, is pure: time, ids and texts are arguments", &complaints);
}

#[test]
fn the_arrows_see_what_goes_up() {
    let check = |rule: fn(&[Source], &Source) -> Vec<Complaint>, path: &str, text: &str| {
        let others = ["actors/task/handle.rs", "transport/mcp/mod.rs", "transport/http/mod.rs", "transport/web/mod.rs"];
        let others = others.map(|path| format!("src/{path}"));
        let others: Vec<_> = others.iter().map(|path| Source::made_up(path, "")).collect();
        rule(&others, &Source::made_up(path, text)).len()
    };
    assert_eq!(check(upward, "src/broken.rs", "use crate::audit::Audit;"), 1);
    assert_eq!(check(upward, "src/audit/a.rs", "use crate::actors::HubRef;"), 1);
    assert_eq!(check(upward, "src/actors/a/b.rs", "fn f() { crate::tools::call(); }"), 1);
    assert_eq!(check(upward, "src/attic.rs", "use crate::clock::Clock;"), 1, "a room without a rank");
    assert_eq!(beside_a_client(&Source::made_up("src/hub.rs", "use callboard_client::proxy;")).len(), 1);
    assert_eq!(beside_a_client(&Source::made_up("src/cli/mod.rs", "use callboard_client::proxy;")).len(), 0);
    assert_eq!(check(upward, "src/actors/a/b.rs", "use crate::domain::ids::TaskId;"), 0);
    assert_eq!(check(sideways, "src/transport/http/guard.rs", "use crate::transport::mcp::Service;"), 1);
    assert_eq!(check(sideways, ROUTER, "use crate::transport::mcp::Service;"), 0);
    assert_eq!(check(sideways, "src/transport/http/guard.rs", "use crate::transport::web::ApiError;"), 0);
    assert_eq!(check(sideways, "src/transport/web/who.rs", "use crate::transport::mcp::Service;"), 1);
    assert_eq!(check(sideways, "src/transport/mcp/wait.rs", "use super::reply::Reply;"), 0);
    assert_eq!(check(behind_the_door, "src/actors/agent/actor.rs", "use crate::actors::task::handle::TaskRef;"), 1);
    assert_eq!(check(behind_the_door, "src/actors/agent/actor.rs", "use super::super::task::TaskActor;"), 1);
    assert_eq!(check(behind_the_door, "src/actors/agent/actor.rs", "use crate::actors::task::TaskRef;"), 0);
    assert_eq!(check(worldly, "crates/domain/src/a.rs", "use std::fs;"), 1);
    assert_eq!(check(worldly, "crates/domain/src/a.rs", "use std::fmt;"), 0);
}

fn all(rule: fn(&[Source], &Source) -> Vec<Complaint>) -> Vec<Complaint> {
    let sources = tree::read("src", &[".rs"]);
    sources.iter().flat_map(|source| rule(&sources, source)).collect()
}

fn rank(room: &str) -> Option<u8> {
    RANKS.iter().find(|(name, _)| *name == room).map(|(_, rank)| *rank)
}

fn upward(_: &[Source], source: &Source) -> Vec<Complaint> {
    let home = module_of(&source.path);
    let here = match home.first() {
        None => ABOVE_ALL,
        Some(room) => match rank(room) {
            Some(rank) => rank,
            None => return vec![format!("{}: `{room}` has no rank in tests/it/tidy/arrows.rs", source.at(1))],
        },
    };
    let goes_up = |used: &Used| {
        let there = used.path.first()?;
        (home.first() != Some(there) && rank(there)? >= here)
            .then(|| format!("{}: uses `crate::{}`", source.at(used.line), used.path.join("::")))
    };
    used(source).iter().filter_map(goes_up).collect()
}

fn beside_a_client(source: &Source) -> Vec<Complaint> {
    let named = source.code_lines().filter(|(_, line)| line.contains("callboard_client"));
    let complaints = named.map(|(number, _)| format!("{}: uses `callboard_client`", source.at(number)));
    complaints.filter(|_| !source.path.starts_with("src/cli/")).collect()
}

fn sideways(sources: &[Source], source: &Source) -> Vec<Complaint> {
    let mut doors = rooms_in(sources, "transport");
    doors.retain(|room| !UNDER_THE_DOORS.contains(&room.as_str()));
    let home = module_of(&source.path);
    if source.path == ROUTER || home.len() < 2 || home[0] != "transport" {
        return Vec::new();
    }
    let other_door = |used: &Used| {
        let door = used.path.get(1)?;
        (used.path[0] == "transport" && door != &home[1] && doors.contains(door))
            .then(|| format!("{}: uses `crate::{}`", source.at(used.line), used.path.join("::")))
    };
    used(source).iter().filter_map(other_door).collect()
}

fn behind_the_door(sources: &[Source], source: &Source) -> Vec<Complaint> {
    let rooms = rooms_in(sources, "actors");
    let home = module_of(&source.path);
    if home.len() < 2 || home[0] != "actors" {
        return Vec::new();
    }
    // Actors are named where they are built: by the supervisor, and by the files beside the rooms.
    let gives_life = home[1] == "supervisor" || source.path.matches('/').count() == 2;
    let peeks = |used: &Used| {
        let [room, other, name, ..] = used.path.as_slice() else { return None };
        let elsewhere = room == "actors" && other != &home[1] && rooms.contains(other);
        let shown = name.starts_with(char::is_uppercase) || name == "*";
        let alive = name.ends_with("Actor") && !gives_life;
        let common = other == "common";
        (elsewhere && !common && (!shown || alive))
            .then(|| format!("{}: uses `crate::{}`", source.at(used.line), used.path.join("::")))
    };
    used(source).iter().filter_map(peeks).collect()
}

fn worldly(_: &[Source], source: &Source) -> Vec<Complaint> {
    if [LOG_FILES, LISTS, SQLITE, ABLATION].contains(&source.path.as_str()) {
        return Vec::new();
    }
    let touches = |line: &str| {
        THE_WORLD.iter().find(|name| line.contains(&format!("{name}::")) || line.contains(&format!("{name};")))
    };
    source
        .code_lines()
        .filter_map(|(number, line)| touches(line).map(|name| format!("{}: uses `{name}`", source.at(number))))
        .collect()
}

/// The rooms directly below `room`, by their folders and files.
fn rooms_in(sources: &[Source], room: &str) -> BTreeSet<String> {
    sources
        .iter()
        .map(|source| module_of(&source.path))
        .filter(|module| module.len() > 1 && module[0] == room)
        .map(|module| module[1].clone())
        .collect()
}
