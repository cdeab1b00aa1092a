//! What `forms` does, tried.

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
