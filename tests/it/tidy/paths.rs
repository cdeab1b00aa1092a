//! Finds which paths of this crate a source uses: `use crate::a::{b, c::D}`, `crate::a::f()`, `super::super::b::C`.
//!
//! Not a parser of Rust: it reads what follows `crate::` and `super::` outside comments, which is all that the arrows
//! need. A `super` inside an inline module is taken from the file, one step too high; at worst that names no room.

use super::tree::Source;

/// A path that a source uses, from the root of the crate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) line: usize,
    pub(super) path: Vec<String>,
}

/// Every path of the crate that `source` uses, in the order of the text.
pub(super) fn used(source: &Source) -> Vec<Used> {
    let code = blank_comments(&source.text);
    let home = module_of(&source.path);
    let mut found = Vec::new();
    for (at, keyword) in starts(&code) {
        let line = code[..at].matches('\n').count() + 1;
        let mut rest = &code[at + keyword.len()..];
        let mut prefix = Vec::new();
        if keyword == "super::" {
            let mut up = 1;
            while let Some(further) = rest.strip_prefix("super::") {
                up += 1;
                rest = further;
            }
            prefix = home[..home.len().saturating_sub(up)].to_vec();
        }
        let mut paths = Vec::new();
        tree(rest.trim_start(), &prefix, &mut paths);
        found.extend(paths.into_iter().map(|path| Used { line, path }));
    }
    found
}

/// The module that a file is: `src/a/b/mod.rs` is `a::b`, `src/a/b.rs` too, `src/lib.rs` is the root; so in each crate.
pub(super) fn module_of(path: &str) -> Vec<String> {
    let inner = path.split_once("src/").map_or(path, |(_, inner)| inner).trim_end_matches(".rs");
    let inner = inner.strip_suffix("/mod").unwrap_or(inner);
    match inner {
        "lib" | "main" => Vec::new(),
        _ => inner.split('/').map(str::to_owned).collect(),
    }
}

/// Comments become spaces, so that lines and columns stay where they are.
fn blank_comments(text: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with("//") {
        true => String::new(),
        false => line.split(" // ").next().unwrap_or_default().to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Where a path begins; the second `super` of `super::super` is part of the first.
fn starts(code: &str) -> Vec<(usize, &'static str)> {
    let mut found: Vec<_> = ["crate::", "super::"]
        .into_iter()
        .flat_map(|keyword| code.match_indices(keyword).map(move |(at, _)| (at, keyword)))
        .filter(|(at, _)| !code[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':'))
        .collect();
    found.sort_unstable();
    found
}

/// Reads one use-tree, adds its leaves below `prefix`, and returns what follows it.
fn tree<'a>(text: &'a str, prefix: &[String], leaves: &mut Vec<Vec<String>>) -> &'a str {
    if let Some(mut rest) = text.strip_prefix('{') {
        loop {
            rest = rest.trim_start().trim_start_matches(',').trim_start();
            if let Some(after) = rest.strip_prefix('}') {
                return after;
            }
            let before = rest.len();
            rest = tree(rest, prefix, leaves);
            if rest.len() == before {
                return rest;
            }
        }
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '*')).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let mut path = prefix.to_vec();
    if !name.is_empty() && name != "self" {
        path.push(name.to_owned());
    }
    if let Some(deeper) = rest.strip_prefix("::") {
        return tree(deeper, &path, leaves);
    }
    leaves.push(path);
    match rest.trim_start().strip_prefix("as ") {
        Some(alias) => &alias[alias.find([',', '}', ';']).unwrap_or(alias.len())..],
        None => rest,
    }
}

#[test]
fn paths_are_found_in_trees_in_code_and_through_super() {
    let text = "//! crate::not::this\n\
        use crate::domain::ids::{AgentId, TaskId as Id};\n\
        use crate::{\n    clock::Clock,\n    journal,\n};\n\
        use super::super::task::TaskRef;\n\
        fn f() { crate::hub::start(); my_crate::other(); } // crate::nor::this\n";
    let found = used(&Source::made_up("src/actors/agent/actor.rs", text));
    let shown: Vec<_> = found.iter().map(|used| format!("{} {}", used.line, used.path.join("::"))).collect();
    assert_eq!(
        shown,
        [
            "2 domain::ids::AgentId", "2 domain::ids::TaskId", "3 clock::Clock", "3 journal",
            "7 actors::task::TaskRef", "8 hub::start"
        ]
    );
    assert_eq!(module_of("src/actors/agent/mod.rs"), ["actors", "agent"]);
    assert!(module_of("src/lib.rs").is_empty());
}
