//! Texts that are nearly what some rule knows: what they are instead.

use std::time::Duration;

use super::super::*;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };

fn rule(text: &str) -> String {
    let moment = Moment { host: LINES, quiet: Some(Duration::from_secs(1)), answered: false };
    detect(&Sight::of_text(text), &moment).map_or_else(String::new, |prompt| prompt.matched_pattern.into_owned())
}

const TEXTS: [(&str, &str); 81] = [
    ("rename a.txt -> ", "path.arrow"),
    ("rename a.txt ->", "command.no_room"),
    ("Go now -> ", "text.sign"),
    ("Its name › ", "text.sign"),
    ("Its long name › ", "text.sign"),
    ("version: [1.0] ", "text.default"),
    ("[input] version: [1.0] ", "text.default"),
    ("[input version: [1.0] ", "text.sign"),
    ("a: b: [c] ", "text.sign"),
    ("version: [1 0] ", "text.sign"),
    ("version: (a b) ", "text.default"),
    ("one two three four five: (x) ", "text.sign"),
    ("version: (a=b) ", "text.sign"),
    ("2 + x = ", "text.default"),
    ("2 + 6 = ", "text.default"),
    ("x + 6 = ", "text.sign"),
    ("? It ‣ Nope / Yep or", "choice.switch"),
    ("? It ‣ No such thing / Yep", "text.decorated"),
    ("? It ‣ a/b / c", "text.decorated"),
    ("Delete it? [esc to cancel] ", "yes_no.question"),
    ("Delete it?... ", "yes_no.question"),
    ("Now what> ", "command.what_now"),
    ("What now ", "text.labelled"),
    ("Option or argument> ", "command.words"),
    ("Options: ", "text.colon"),
    ("a.b: ", "text.colon"),
    ("casa 1> ", "command.angle"),
    ("sage: ", "command.name"),
    ("x[1] ", "text.sign"),
    ("root [0] ", "command.counted"),
    ("root [a] ", "text.sign"),
    ("i1 : ", "command.counted"),
    ("ix : ", "text.colon"),
    ("[zk: box(CONNECTED) 0] ", "command.counted"),
    ("[zk box(CONNECTED) 0] ", "text.sign"),
    ("[zk: box 0] ", "text.sign"),
    ("box :) ", "command.counted"),
    ("a box :) ", "text.sign"),
    ("debugfs 1.47\ndebugfs: ", "command.banner"),
    ("debugfs one two three four\ndebugfs: ", "text.colon"),
    ("the debugfs 1.47\ndebugfs: ", "text.colon"),
    ("[ada] >>> ", "command.angle"),
    ("[/home/ada] >>> ", "path.default"),
    ("/home/ada] >>> ", "command.angle"),
    ("dav:/docs/? ", "command.sign"),
    ("dav /docs/? ", "path.words"),
    ("dav:/my docs/? ", "text.question"),
    ("➜  web git:(main) ✗ ", "command.sign"),
    ("web git:(main) ✗ ", "text.labelled"),
    ("➜  web git:(main) ✗", "text.labelled"),
    ("coq < ", "command.sign"),
    ("abc› ", "command.sign"),
    ("Abc› ", "text.sign"),
    ("ada@~ @ ", "command.sign"),
    ("ada @ ", "text.labelled"),
    ("0] ", "command.debugger"),
    ("a0] ", "text.sign"),
    ("12345] ", "text.sign"),
    ("What is its name?\n   jasmine", "text.prefilled"),
    ("What is its name?\n   jasmine ", "text.labelled"),
    ("What is its name?\n   white jasmine", "text.labelled"),
    (" What is its name?\n   jasmine", "text.labelled"),
    ("What is its folder?\n   jasmine", "path.prefilled"),
    ("What is its name?\n jasmine", "text.labelled"),
    ("? What is its name?\n\n    It is written so.\n\n › jasmine", "text.offered"),
    ("? What is its name?\n\n  It is written so.\n\n › jasmine", "choice.menu"),
    ("What is its name?\n\n    It is written so.\n\n › jasmine", "choice.menu"),
    ("? What is its name?\n\n › jasmine", "text.marked"),
    ("Do you want to delete its folder?\n › my-app", "text.offered"),
    ("What is its folder?\n › my-app", "path.offered"),
    ("> one\nWhat?\n> two", "text.offered"),
    ("Press a to go\nPress b to stay\n", "unknown.silent"),
    ("Press a to go\none\n", "unknown.silent"),
    ("Accept? [y]es, [n]o, [a]ll", "choice.keys"),
    ("Accept [y]es, [n]o, [a]ll", "text.labelled"),
    ("Search (Use ESC/Arrows/Enter): ", "text.colon"),
    ("Search (ESC or Enter): ", "text.colon"),
    ("Globs? (src/*.js) ", "text.default"),
    ("Which? (a,b,c) ", "choice.brackets"),
    ("Which ones? (comma-separated) (a,b,c) ", "text.default"),
    ("Which ones? (comma separated list) (a,b,c) ", "text.default"),
];

#[test]
fn what_is_near_many_forms_is_known_by_the_one_that_it_has() {
    for (text, expected) in TEXTS {
        assert_eq!(rule(text), expected, "{text:?}");
    }
}
