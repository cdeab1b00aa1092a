//! No circles of files: whoever reads a file of a room reads on downwards, and is not led back to where they began.
//!
//! A file uses another when one of its paths (`crate::…`, `super::…`) leads into it. In the rooms of `src/actors` the
//! room's `mod.rs` uses every file that it declares, too, so that a file which takes a name from its own `mod.rs` is in
//! a circle: it names the file instead. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{module_of, used};
use super::tree::{self, Source};
use super::{Complaint, none_of};

#[test]
fn the_files_of_an_actor_form_no_circle() {
    none_of("no circle of files within a room of src/actors", &circles(&tree::read("src/actors", &[".rs"]), STRICTLY));
}

#[test]
fn the_files_of_a_room_form_no_circle() {
    let rooms = ["src", "crates/base/src", "crates/detect/src"].map(|folder| (folder, BY_USES));
    let crates = ["client", "journal", "platform", "settings"].map(|name| (format!("crates/{name}/src"), ONE_ROOM));
    let rooms = rooms.into_iter().map(|(folder, rule)| (folder.to_owned(), rule)).chain(crates);
    for (folder, rule) in rooms {
        none_of("no circle of files within a room", &circles(&tree::read(&folder, &[".rs"]), rule));
    }
}

#[test]
fn a_turn_is_used_by_nobody_in_its_room() {
    none_of("what others of the room need stands in state.rs", &turns_used(&tree::read("src/actors", &[".rs"])));
    let turn = |text| turns_used(&[Source::made_up("src/actors/a/wait.rs", text)]);
    assert_eq!(turn("use super::actor::Args;"), ["src/actors/a/wait.rs:1: uses `crate::actors::a::actor::Args`"]);
    assert_eq!(turn("use super::state::State;"), [""; 0]);
}

#[test]
fn the_circles_are_seen() {
    let room = |texts: &[(&str, &str)]| {
        let made_up = |(path, text): &(&str, &str)| Source::made_up(&format!("src/actors/{path}"), text);
        circles(&texts.iter().map(made_up).collect::<Vec<_>>(), STRICTLY)
    };
    let (actor, state) = ("use super::state::State;", "pub struct State;");
    assert_eq!(room(&[("a/actor.rs", actor), ("a/state.rs", state)]), [""; 0]);
    let back = "use super::actor::Args;";
    let both = [
        "src/actors/a/actor.rs:1: uses `crate::actors::a::state::State`, which leads back here",
        "src/actors/a/state.rs:1: uses `crate::actors::a::actor::Args`, which leads back here",
    ];
    assert_eq!(room(&[("a/actor.rs", actor), ("a/state.rs", back)]), both);
    let long = [
        ("a/x.rs", "use super::y::{Y};"),
        ("a/y.rs", "fn f() { crate::actors::a::z::g() }"),
        ("a/z.rs", "use super::x::X;"),
    ];
    assert_eq!(room(&long).len(), 3, "a circle of three files");
    assert_eq!(room(&[("a/mod.rs", "pub use x::X;"), ("a/x.rs", "use super::Y;")]).len(), 1, "by way of mod.rs");
    let others = [("a/x.rs", "use crate::actors::b::B;"), ("b/y.rs", "use crate::actors::a::x::X;")];
    assert_eq!(room(&others), [""; 0], "circles of rooms are not counted here");
    let tests = [("a/mod.rs", "#[cfg(test)]\nmod kit;\nmod x;"), ("a/kit.rs", "use super::x::X;")];
    let tested = ("a/x.rs", "#[cfg(test)]\nmod tests {\n    use super::super::kit::Kit;\n}");
    assert_eq!(room(&[tests[0], tests[1], tested]), [""; 0], "tests are left out");
    let verbs =
        [("src/cli/a.rs", "use super::b::B;"), ("src/cli/b.rs", "use crate::cli::a;"), ("src/cli/mod.rs", "mod a;")];
    let verbs = verbs.map(|(path, text)| Source::made_up(path, text));
    assert_eq!(circles(&verbs, BY_USES).len(), 2, "files that lie beside each other");
    assert_eq!(circles(&verbs[1..], BY_USES), [""; 0], "a file that is not there leads nowhere");
    let files = [("a.rs", "use crate::b::c::D;"), ("b/c.rs", "use crate::a::A;"), ("lib.rs", "mod a;")];
    let files = files.map(|(path, text)| Source::made_up(&format!("crates/x/src/{path}"), text));
    assert_eq!(circles(&files, ONE_ROOM).len(), 2, "files of a crate that is one room");
}

/// What counts as a room, and as a use.
#[derive(Clone, Copy)]
struct Rule {
    /// How many names files of one room have in common, from the root.
    room: usize,
    /// Whether who declares a file uses it.
    declares: bool,
}

const STRICTLY: Rule = Rule { room: 2, declares: true };
const BY_USES: Rule = Rule { room: 1, declares: false };
/// A crate that is one room.
const ONE_ROOM: Rule = Rule { room: 0, declares: false };

/// What is built for the tests of other crates, too.
const SAMPLES: &str = "#[cfg(any(test, feature = \"samples\"))]";

/// Each use that lies in a circle of files of one room.
fn circles(sources: &[Source], rule: Rule) -> Vec<Complaint> {
    let tests: Vec<_> = sources.iter().flat_map(modules_of_tests).collect();
    let files: BTreeMap<Vec<String>, Source> = sources
        .iter()
        .map(|source| (module_of(&source.path), Source::made_up(&source.path, before_tests(&source.text))))
        .filter(|(module, _)| module.len() > rule.room.min(1) && !tests.iter().any(|test| module.starts_with(test)))
        .collect();
    let uses: Vec<_> = files.iter().flat_map(|(module, source)| uses_of(module, source, &files, rule.room)).collect();
    let mut edges: BTreeMap<&[String], BTreeSet<&[String]>> = BTreeMap::new();
    for (from, to, _) in &uses {
        edges.entry(from).or_default().insert(to);
    }
    for module in files.keys().filter(|_| rule.declares) {
        edges.entry(&module[..module.len() - 1]).or_default().insert(module);
    }
    uses.iter().filter(|(from, to, _)| leads(&edges, to, from)).map(|(_, _, complaint)| complaint.clone()).collect()
}

/// The text of a file without the module of tests at its end.
fn before_tests(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

/// The modules that a file declares for tests alone, of its crate or of others.
fn modules_of_tests(source: &Source) -> Vec<Vec<String>> {
    let text = source.text.replace(SAMPLES, "#[cfg(test)]");
    let declared = text.split("#[cfg(test)]\nmod ").skip(1).filter_map(|rest| rest.split_once(';'));
    let home = module_of(&source.path);
    declared.map(|(name, _)| [home.as_slice(), &[name.to_owned()]].concat()).collect()
}

/// Each use of an `actor.rs`; its own `mod.rs` shows the actor to others.
fn turns_used(sources: &[Source]) -> Vec<Complaint> {
    let found = sources.iter().flat_map(|source| used(source).into_iter().map(move |used| (source, used)));
    found
        .filter(|(_, used)| matches!(&used.path[..], [_, _, file, ..] if used.path[0] == "actors" && file == "actor"))
        .map(|(source, used)| format!("{}: uses `crate::{}`", source.at(used.line), used.path.join("::")))
        .collect()
}

/// What a file uses of its own room: from, to, and what there is to say of it.
fn uses_of<'a>(
    module: &'a [String],
    source: &Source,
    files: &'a BTreeMap<Vec<String>, Source>,
    room: usize,
) -> Vec<(&'a [String], &'a [String], Complaint)> {
    let found = used(source).into_iter().filter_map(|used| {
        let lengths = (room.min(1) + 1..=used.path.len()).rev();
        let (to, _) = lengths.filter_map(|length| files.get_key_value(&used.path[..length])).next()?;
        let same_room = to[..room] == module[..room] && to != module;
        let complaint =
            || format!("{}: uses `crate::{}`, which leads back here", source.at(used.line), used.path.join("::"));
        same_room.then(|| (module, to.as_slice(), complaint()))
    });
    found.collect()
}

/// Whether one file leads to another, directly or over further ones.
fn leads(edges: &BTreeMap<&[String], BTreeSet<&[String]>>, from: &[String], to: &[String]) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(here) = open.pop() {
        if here == to {
            return true;
        }
        open.extend(edges.get(here).into_iter().flatten().filter(|next| seen.insert(**next)));
    }
    false
}
