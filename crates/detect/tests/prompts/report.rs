//! The scoreboard as a table.

#![expect(clippy::print_stdout, reason = "a scoreboard is there to be read")]

use std::collections::{BTreeMap, BTreeSet};

use super::recordings::Group;
use super::score::{Score, share};

/// The figures of a group, a row for each kind of evidence.
pub(super) fn group(group: &Group, scores: &[Score]) {
    let programs: BTreeSet<&str> = group.recordings.iter().map(|it| it.program.as_str()).collect();
    let moments: usize = group.recordings.iter().map(|it| it.moments.len()).sum();
    let recordings = group.recordings.len();
    println!("\n{}: {} programs, {recordings} recordings, {moments} moments", group.name, programs.len());
    for score in scores {
        row(score);
        if wanted("PROMPT_COUNTS") {
            println!("    counts {} {} {:?}", group.name, score.evidence.name(), score.counts());
        }
        if wanted("PROMPT_MISSES") {
            score.misses.iter().for_each(|miss| println!("    {}: {miss}", score.evidence.name()));
        }
        if wanted("PROMPT_VERDICTS") {
            score.verdicts.iter().for_each(|verdict| println!("    {} {verdict}", score.evidence.name()));
        }
    }
}

/// How each rule fared, over all groups.
pub(super) fn rules(groups: &[[Score; 2]]) {
    if !wanted("PROMPT_RULES") {
        return;
    }
    for evidence in 0..2 {
        let mut rules: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
        for (rule, labels) in groups.iter().flat_map(|scores| &scores[evidence].rules) {
            let sums = rules.entry(rule).or_default();
            labels.iter().for_each(|(label, count)| *sums.entry(label).or_default() += count);
        }
        println!("\nby rule, {}:", groups[0][evidence].evidence.name());
        rules.iter().for_each(|(rule, labels)| println!("  {rule:<32} {labels:?}"));
    }
}

fn wanted(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "1")
}

fn row(score: &Score) {
    println!(
        "  {:<6} precision {:.3}  recall {:.3}  F1 {:.3}  kind {:.3}  \
         danger precision {:.3} recall {:.3}  unsafe {}",
        score.evidence.name(),
        score.waits.precision(),
        score.waits.recall(),
        score.f1(),
        score.kind_accuracy(),
        score.danger.precision(),
        score.danger.recall(),
        score.unsafe_to_type,
    );
    let kinds = score.kinds.iter().map(|(kind, [all, found, right])| {
        format!("{} {found}/{all} found, {:.2} right", kind.as_str(), share(*right, *found))
    });
    println!("         {}", kinds.collect::<Vec<_>>().join("; "));
    let sure = score.sure.iter().enumerate().filter(|(_, [all, _])| *all > 0);
    let sure = sure.map(|(tenth, [all, right])| format!("0.{tenth}: {right}/{all}"));
    println!("         sure to {}", sure.collect::<Vec<_>>().join("  "));
}
