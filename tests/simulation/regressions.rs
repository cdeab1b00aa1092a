//! Scripts that once found something: the files of `regressions/`, each with why it is kept in its first line. They
//! were made by `schedule`, and hold whatever it writes today.

use std::fs;
use std::path::Path;

use crate::schedule::script;
use crate::script::Script;
use crate::world::play;

#[test]
fn what_was_found_once_is_not_found_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulation/regressions");
    let mut played = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let kept = Script::read(&text).unwrap_or_else(|error| panic!("cannot read `{}`: {error}", path.display()));
        let outcome = play(&kept, None);
        let (findings, trace) = (outcome.findings.join("\n  "), outcome.trace.join("\n"));
        assert!(outcome.findings.is_empty(), "`{}` finds:\n  {findings}\nit goes:\n{trace}", path.display());
        played += 1;
    }
    assert!(played >= 8, "only {played} scripts were found");
}

#[test]
fn the_same_script_plays_the_same_way() {
    let kept = script(7);
    assert_eq!(play(&kept, None).trace, play(&kept, None).trace);
}

#[test]
fn a_script_is_read_as_it_was_written() {
    let made = script(11);
    assert_eq!(Script::read(&made.written()).unwrap(), made);
}
