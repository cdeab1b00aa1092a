//! The detector of input prompts, held against recordings of real programs: `just prompt-score` prints the scoreboard.
//!
//! The recordings, their labels and the tool for both are in `tests/corpus`. They come in groups, of programs that were
//! recorded together; `tests/corpus/figures.md` says how each group was chosen and what the detector found in it before
//! a rule was changed for it. Rules have been changed for every group since, so the floors here notice what gets worse,
//! and do not say how well the detector does on programs that nobody has looked at.

#![expect(clippy::unwrap_used, reason = "a test says what broke by panicking")]

mod files;
mod report;
mod score;

#[path = "../../../../tests/corpus/recordings/mod.rs"]
mod recordings;
#[path = "../../../../tests/it/tidy/registries.rs"]
mod registries;

use std::sync::LazyLock;
use std::thread;

use recordings::{Group, Recording, all_groups};
use score::{Evidence, Score};

/// Every recording, read once for all tests.
static CORPUS: LazyLock<Vec<Group>> = LazyLock::new(|| all_groups().unwrap());

/// What the scores of a group must not fall below, with one kind of evidence.
struct Floor {
    f1: f64,
    kind: f64,
    danger_precision: f64,
    danger_recall: f64,
    /// The one figure that must not rise above: how often a program that did not wait would have been typed into.
    unsafe_to_type: u32,
}

/// As reached, with a host and by words alone: raised with the detector, and lowered only with a reason.
///
/// The right kinds of the held-out and of the sixth group, with a host, are of more prompts than before: those of which
/// no rule knows what they ask, and the host says that somebody waits for keys, are found now. Of the fifth, seventh
/// and eighth group six full screens of no known form are labelled as lists or as unknown, and are called commands, as
/// most such screens of other groups are. `Are you sure?` that says nothing else counts as danger whatever stands above
/// it: of 32 on all recordings one, in the ninth group, is about something else. Without the five rules that help on no
/// group left out, the fifth group and the fifteenth have a few right kinds less, and others as many more.
const FLOORS: [(&str, Floor, Floor); 17] = [
    ("visible", floor([0.990, 0.990, 0.99, 0.99], 0), floor([0.980, 0.990, 0.99, 0.99], 0)),
    ("held-out", floor([0.995, 0.980, 0.99, 0.99], 0), floor([0.960, 0.990, 0.99, 0.99], 0)),
    ("later", floor([0.995, 0.985, 0.99, 0.99], 0), floor([0.945, 0.990, 0.99, 0.99], 0)),
    ("fourth", floor([0.985, 0.990, 0.99, 0.99], 0), floor([0.970, 0.995, 0.99, 0.99], 0)),
    ("fifth", floor([0.995, 0.975, 0.99, 0.99], 0), floor([0.955, 0.970, 0.99, 0.99], 0)),
    ("sixth", floor([0.995, 0.985, 0.99, 0.99], 0), floor([0.970, 0.980, 0.99, 0.98], 0)),
    ("seventh", floor([0.995, 0.975, 0.97, 0.99], 0), floor([0.940, 0.980, 0.96, 0.99], 0)),
    ("eighth", floor([0.990, 0.960, 0.99, 0.97], 0), floor([0.940, 0.975, 0.99, 0.97], 0)),
    ("ninth", floor([0.990, 0.970, 0.95, 0.99], 0), floor([0.960, 0.980, 0.95, 0.99], 0)),
    ("tenth", floor([0.995, 0.990, 0.94, 0.99], 0), floor([0.975, 0.995, 0.93, 0.99], 0)),
    ("eleventh", floor([0.990, 0.970, 0.99, 0.90], 0), floor([0.955, 0.980, 0.99, 0.90], 0)),
    ("twelfth", floor([0.995, 0.990, 0.92, 0.90], 1), floor([0.970, 0.990, 0.92, 0.90], 0)),
    ("thirteenth", floor([0.990, 0.940, 0.87, 0.93], 0), floor([0.930, 0.970, 0.86, 0.92], 0)),
    ("fourteenth", floor([0.995, 0.950, 0.97, 0.95], 0), floor([0.955, 0.970, 0.97, 0.95], 0)),
    ("fifteenth", floor([0.995, 0.925, 0.93, 0.89], 0), floor([0.950, 0.960, 0.95, 0.91], 0)),
    ("sixteenth", floor([0.985, 0.920, 0.94, 0.91], 0), floor([0.934, 0.940, 0.94, 0.89], 0)),
    ("agents", floor([0.985, 0.945, 0.99, 0.75], 0), floor([0.960, 0.945, 0.99, 0.75], 0)),
];

const fn floor(least: [f64; 4], unsafe_to_type: u32) -> Floor {
    let [f1, kind, danger_precision, danger_recall] = least;
    Floor { f1, kind, danger_precision, danger_recall, unsafe_to_type }
}

/// What of a score is worse than its floor.
fn below(score: &Score, floor: &Floor) -> Vec<String> {
    let reached = [
        ("F1", score.f1(), floor.f1),
        ("right kind", score.kind_accuracy(), floor.kind),
        ("precision of danger", score.danger.precision(), floor.danger_precision),
        ("recall of danger", score.danger.recall(), floor.danger_recall),
    ];
    let worse = reached.iter().filter(|(_, is, least)| is < least);
    let mut worse: Vec<_> = worse.map(|(what, is, least)| format!("{what} {is:.3}, at least {least:.3}")).collect();
    if score.unsafe_to_type > floor.unsafe_to_type {
        worse.push(format!("typed into what does not wait {} times", score.unsafe_to_type));
    }
    worse
}

/// Prints the scoreboard as it goes. `PROMPT_MISSES=1` also lists what was judged wrongly, `PROMPT_RULES=1` how each
/// rule fares, `PROMPT_VERDICTS=1` every verdict: two versions of the rules are compared by it.
#[test]
fn what_is_found_does_not_fall_below_what_was_found_before() {
    let (mut complaints, mut all) = (Vec::new(), Vec::new());
    for (name, with_host, by_words) in &FLOORS {
        let group = CORPUS.iter().find(|group| group.name == *name).unwrap_or_else(|| panic!("no group `{name}`"));
        let score = |evidence| Score::of(&group.recordings, evidence);
        let scores = thread::scope(|scope| {
            let host = scope.spawn(|| score(Evidence::Host));
            [host.join().unwrap(), score(Evidence::Words)]
        });
        report::group(group, &scores);
        for (score, floor) in scores.iter().zip([with_host, by_words]) {
            complaints
                .extend(below(score, floor).into_iter().map(|it| format!("{name}, {}: {it}", score.evidence.name())));
        }
        all.push(scores);
    }
    report::rules(&all);
    assert!(complaints.is_empty(), "worse than before:\n  {}", complaints.join("\n  "));
}

#[test]
fn a_score_below_its_floor_is_told() {
    let group = CORPUS.iter().find(|group| group.name == "agents").unwrap();
    let score = Score::of(&group.recordings, Evidence::Words);
    assert!(below(&score, &floor([0.9, 0.9, 0.9, 0.7], 0)).is_empty());
    assert_eq!(below(&score, &floor([1.0, 1.0, 1.1, 1.0], 0)).len(), 4);
}

#[test]
fn every_group_has_its_floors() {
    let mut floors = FLOORS.map(|(name, ..)| name);
    floors.sort_unstable();
    assert!(CORPUS.iter().map(|group| group.name.as_str()).eq(floors), "groups and floors differ");
}

fn recordings() -> impl Iterator<Item = &'static Recording> {
    CORPUS.iter().flat_map(|group| &group.recordings)
}
