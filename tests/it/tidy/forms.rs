//! The stages of `crates/detect/words/forms.txt`: each is asked for by the detector, and what it asks for is there.

use std::collections::BTreeSet;

use super::none_of;
use super::tree;

const ASKS: [&str; 6] = ["read(\"", "fits(\"", "parts(\"", "each(\"", "holds(\"", "without(\""];

#[test]
fn every_stage_of_the_forms_is_asked_for_and_there() {
    let sources = tree::read("crates/detect/src/prompt", &[".rs"]);
    let calls = sources.iter().filter(|source| !source.path.ends_with("tests.rs"));
    let asked = calls.flat_map(|source| ASKS.iter().flat_map(|call| source.text.split(call).skip(1)));
    let asked: BTreeSet<&str> = asked.filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
    let file = tree::read("crates/detect/words", &["forms.txt"]);
    let heads = file[0].text.lines().filter_map(|line| line.strip_prefix("[[")?.strip_suffix("]]"));
    let there: BTreeSet<&str> = heads.filter_map(|head| head.split_whitespace().next()).collect();
    assert!(there.len() > 10, "{there:?}");
    let odd = there.symmetric_difference(&asked).map(|stage| format!("`{stage}`")).collect::<Vec<_>>();
    none_of("a stage is in forms.txt and asked for by a rule, or it goes", &odd);
}
