//! The scoreboard as a table.

use super::case::Case;
use super::group::Group;
use super::score::{Evidence, Score, share};

#[expect(clippy::print_stdout, reason = "a scoreboard is there to be read")]
pub(super) fn show(cases: &[Case]) {
    let misses = std::env::var("PROMPT_MISSES").unwrap_or_default();
    for group in Group::ALL {
        let own: Vec<&Case> = cases.iter().filter(|case| Group::of(&case.program) == group).collect();
        let programs: std::collections::BTreeSet<&str> = own.iter().map(|case| case.program.as_str()).collect();
        let states = own.iter().map(|case| case.states.len()).sum::<usize>();
        println!("\n{}: {} programs, {} recordings, {states} states", group.name(), programs.len(), own.len());
        for (told, evidence) in [("host", Evidence::Host), ("words", Evidence::Words)] {
            let score = Score::of(own.iter().copied(), evidence);
            row(told, &score);
            if misses == "1" {
                score.misses.iter().for_each(|miss| println!("    {told}: {miss}"));
            }
        }
    }
    if std::env::var("PROMPT_RULES").is_ok_and(|wanted| wanted == "1") {
        for (told, evidence) in [("host", Evidence::Host), ("words", Evidence::Words)] {
            println!("\nby rule, {told}:");
            for (rule, labels) in Score::of(cases, evidence).rules {
                println!("  {rule:<32} {labels:?}");
            }
        }
    }
}

#[expect(clippy::print_stdout, reason = "a scoreboard is there to be read")]
fn row(told: &str, score: &Score) {
    println!(
        "  {told:<6} precision {:.3}  recall {:.3}  F1 {:.3}  kind {:.3}  \
         danger precision {:.3} recall {:.3}  unsafe {}",
        score.waits.precision(),
        score.waits.recall(),
        score.f1(),
        score.kind_accuracy(),
        score.danger.precision(),
        score.danger.recall(),
        score.unsafe_to_type,
    );
    let kinds = score.kinds.iter().map(|(kind, [all, found, right])| {
        format!("{} {found}/{all} found, {:.2} right", kind.name(), share(*right, *found))
    });
    println!("         {}", kinds.collect::<Vec<_>>().join("; "));
    let sure = score.sure.iter().enumerate().filter(|(_, [all, _])| *all > 0);
    let sure = sure.map(|(tenth, [all, right])| format!("0.{tenth}: {right}/{all}"));
    println!("         sure to {}", sure.collect::<Vec<_>>().join("  "));
}
