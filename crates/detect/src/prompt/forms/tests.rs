//! What `forms` does, tried.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;

#[test]
fn each_form_is_the_first_of_its_stage_that_fits_its_examples() {
    let lines: Vec<_> = lines().collect();
    for (at, (header, line)) in lines.iter().enumerate().filter(|(_, (_, line))| !line.starts_with("= ")) {
        let (stage, verdict) = header.split_once(' ').unwrap_or((header, ""));
        assert_eq!(says(verdict).is_some(), !matches!(verdict, "" | "none"), "`{header}` says nothing");
        let built = says(verdict).is_none_or(|(rule, _)| matches!(rule, RuleId::Built(..)));
        assert!(built, "`{header}` is no rule");
        let examples = lines[at + 1..].iter().map_while(|(_, line)| line.strip_prefix("= "));
        let examples: Vec<&str> = examples.map(|text| text.trim_end_matches('|')).collect();
        assert!(!examples.is_empty(), "`{line}` has no example");
        for example in examples {
            let found = first(stage, example).map(|form| form.regex.as_str());
            assert_eq!(found, Some(*line), "`{example}` of [{header}]");
        }
    }
}

#[test]
fn every_stage_is_read_and_every_stage_that_is_read_is_there() {
    let folders = ["src/prompt", "src/prompt/rule"].map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let text: String = files.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect();
    let calls = ["read(\"", "fits(\"", "parts(\"", "each(\"", "holds(\"", "without(\""]
        .into_iter()
        .flat_map(|call| text.split(call).skip(1));
    let named: BTreeSet<&str> = calls.filter_map(|rest| Some(rest.split_once('"')?.0)).collect();
    assert_eq!(named, STAGES.keys().copied().collect());
}
