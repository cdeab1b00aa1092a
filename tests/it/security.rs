//! What an attacker may try, by the number of each attempt, over true sockets against the real binary.
//!
//! - `raw`: requests byte by byte, and the stage that they are sent to;
//! - `routes` (01 to 05): hosts, pages and missing credentials, on every route that there is;
//! - `likeness` (06): every way in which a token is wrong;
//! - `credentials` (07 to 09, 34, 38): tokens, and what they open;
//! - `addresses` (10, 11): where a hub listens;
//! - `identity` (20, 21, 23 to 25), `ownership` (22): who speaks for whom, and whose a task is;
//! - `nonsense`: requests that no client should send;
//! - `outward` (33): whom a hub calls;
//! - `endings` (35, 36): what a token holds open ends with it, at every door;
//! - `keeping` (37): what lies on the disk, and for whom;
//! - `pressure` (40, 42), `slow` (41), `handshakes` (43), `many` (44, 46): idle, large, slow, many;
//! - `readers` (45): who listens and never reads;
//! - `words` (52, 54 to 56), `hidden` (53), `secrets` (58): questions, texts, what nobody sees or should see;
//! - `audit` (90, 91): what is written down of it.
//!
//! A number that stands nowhere here is in [`ELSEWHERE`], with where it is held or why it does not apply.

mod addresses;
mod audit;
mod credentials;
mod endings;
mod handshakes;
mod hidden;
mod identity;
mod keeping;
mod likeness;
mod many;
mod nonsense;
#[cfg(target_os = "linux")]
mod outward;
mod ownership;
mod pressure;
mod raw;
mod readers;
mod routes;
mod secrets;
mod slow;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Numbers without a test here: held by a test elsewhere in the tree, by its name; or why it does not apply.
const ELSEWHERE: [(&str, Held); 9] = [
    ("SEC-12", Held::No("there is no Unix socket: a token is the only way in")),
    ("SEC-30", Held::No("there is no OAuth mode: tokens of this hub alone are read")),
    ("SEC-31", Held::No("there is no OAuth mode, so no header of a token names a key")),
    ("SEC-32", Held::No("there is no OAuth mode; a token's own end is held by SEC-06")),
    (
        "SEC-50",
        Held::By("src/tools/tests/assigning.rs", "fn a_chain_goes_three_deep_and_never_back_to_who_stands_in_it"),
    ),
    (
        "SEC-51",
        Held::By(
            "src/transport/http/tests/rights/mod.rs",
            "fn what_a_person_begins_goes_no_further_than_they_do_by_whatever_hands",
        ),
    ),
    (
        "SEC-57",
        Held::By(
            "src/tools/tests/learning.rs",
            "fn what_an_agent_says_was_typed_at_a_dangerous_prompt_teaches_nothing",
        ),
    ),
    ("SEC-83", Held::By("tests/it/stories/a_comment.rs", "fn who_cannot_prove_it_is_refused_and_changes_nothing")),
    ("SEC-84", Held::By("tests/it/stories/a_comment.rs", "fn a_comment_on_the_forge_answers_and_the_timer_is_void")),
];

#[derive(Debug, Clone, Copy)]
enum Held {
    /// In this file or folder stands this text.
    By(&'static str, &'static str),
    /// It does not apply.
    No(&'static str),
}

#[test]
fn every_number_is_held_here_or_elsewhere_or_does_not_apply() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here: String = rust_below(&root.join("tests/it/security")).concat();
    let numbers = (1..=12).chain(20..=25).chain(30..=38).chain(40..=46).chain(50..=58).chain(83..=84).chain(90..=91);
    let mut missing = BTreeSet::new();
    for number in numbers {
        let name = format!("SEC-{number:02}");
        let tested = here.contains(&format!("/// {name}:"));
        let elsewhere = ELSEWHERE.iter().find(|(known, _)| *known == name).map(|(_, held)| *held);
        match (tested, elsewhere) {
            (true, None) => {}
            (true, Some(_)) => panic!("{name} is held here, and said to be held elsewhere"),
            (false, Some(Held::No(why))) => assert!(!why.is_empty(), "{name}"),
            (false, Some(Held::By(place, text))) => {
                let there: String = rust_below(&root.join(place)).concat();
                assert!(there.contains(text), "{name}: nothing in {place} says `{text}`");
            }
            (false, None) => drop(missing.insert(name)),
        }
    }
    assert_eq!(missing, BTreeSet::new());
}

/// The texts of a file, or of every file below a folder.
fn rust_below(path: &Path) -> Vec<String> {
    if path.is_file() {
        return vec![fs::read_to_string(path).unwrap()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    entries.flat_map(|entry| rust_below(&entry.unwrap().path())).collect()
}
