//! The detector, held against recordings of real programs: `just prompt-score` prints the scoreboard, and the tests
//! fail when a figure falls below the committed floor.
//!
//! A third of the programs, chosen by a hash of their names, was not looked at while the rules were written
//! (`Group`); their figures are the ones to believe. Before they were looked at for the first time they were: with a
//! host F1 0.981, kind 0.952, with words alone F1 0.929, kind 0.949; danger 0.929 and 0.929; one unsafe verdict.
//!
//! The programs of the third group were recorded later. Before a rule was mended for them: with a host F1 1.000, kind
//! 0.843, with words alone F1 0.906, kind 0.828; danger 1.000 and 0.400; no unsafe verdict.
//!
//! Those of the fourth group, 112 with 147 prompts (38 dangerous), were recorded and labelled when the rules for the
//! third had been committed. What came out the first time: with a host F1 0.983, kind 0.901, danger 1.000 and 0.730;
//! with words alone F1 0.907, kind 0.951, danger 1.000 and 0.788; no unsafe verdict. The list of candidates was drawn
//! up before the rules were written, so that the words of most were known by heart: the group is not blind. Of the 30
//! whose words were not (32 prompts, three of them dangerous): with a host F1 0.968, kind 0.900, with words alone F1
//! 0.792, kind 0.952. Rules were mended for the group since, so that it is used up. Only 19 of its moments are of
//! programs that do not wait: what is taken for a prompt and is none is measured by the other groups.
//!
//! Those of the fifth group, 252 with 243 prompts (40 dangerous) and 214 moments of programs that do not wait, were
//! recorded and labelled by somebody who had not read the rules, while others mended the rules and did not see the
//! recordings. What came out the first time, with the rules as they had been before and as they were mended for what
//! is known of prompts at large: with a host F1 0.990 and then 0.994, kind 0.916 and 0.929, danger 0.943 (recall
//! 0.825) and 0.921 (0.875); with words alone F1 0.915 and then 0.947, kind 0.943 and 0.951, danger 0.943 (0.846) and
//! 0.921 (0.897); no unsafe verdict. Half of the group was sealed for long, and so was half of the sixth.
//!
//! Those of the sixth group, 125 with 177 prompts (60 dangerous) and 197 moments of programs that do not wait, were
//! recorded and labelled like the fifth's, most of them because they ask before they act. What came out the first time,
//! with the rules as they had been before and as they were mended without a look at them: with a host F1 0.974 twice,
//! kind 0.935 and 0.940, danger 1.000 (recall 0.683) and 1.000 (0.700); with words alone F1 0.950 twice, kind 0.963 and
//! 0.969, danger 1.000 (0.745) and 1.000 (0.764); no unsafe verdict.
//!
//! Those of the seventh group, 284 with 246 prompts (34 dangerous) and 276 moments of programs that do not wait, were
//! recorded and labelled like the sixth's, as they come and not because they ask. What came out the first time: with a
//! host F1 0.996, kind 0.912, danger 0.969 (recall 0.912); with words alone F1 0.935, kind 0.935, danger 0.964 (0.931);
//! no unsafe verdict. Half of it was sealed for long, and so was half of the eighth.
//!
//! Those of the eighth group, 586 with 604 prompts (95 dangerous) and 712 moments of programs that do not wait, were
//! recorded and labelled like the seventh's: Debian's, and what developers install. What came out the first time: with
//! a host F1 0.991, kind 0.889, danger 1.000 (recall 0.937); with words alone F1 0.941, kind 0.925, danger 1.000
//! (0.947); no unsafe verdict. The half that was sealed came out at kind 0.901 the first time, and at 0.908 with rules
//! that had been mended for the other half.
//!
//! Those of the ninth group, 148 with 215 prompts (44 dangerous) and 243 moments of programs that do not wait, were
//! recorded and labelled like the eighth's: what developers install for Python, and Debian's. What came out the first
//! time, with rules that had been mended for all that went before: with a host F1 0.991, kind 0.891, danger 0.977
//! (recall 0.955); with words alone F1 0.949, kind 0.892, danger 0.977 (0.955); no unsafe verdict. Rules were
//! mended for it since.
//!
//! Those of the tenth group, 107 with 189 prompts (17 dangerous) and 238 moments of programs that do not wait, were
//! recorded and labelled like the ninth's: what developers install for node. What came out the first time, with rules
//! that had been mended for the ninth: with a host F1 0.984, kind 0.934, danger 0.875 (recall 0.824); with words alone
//! F1 0.965, kind 0.927, danger 0.857 (0.800); no unsafe verdict. Rules were mended for it since, and five of its
//! moments recorded anew, where the recorder had taken a moment's collecting of garbage for work.
//!
//! Those of the eleventh group, 117 with 166 prompts (11 dangerous) and 105 moments of programs that do not wait, were
//! recorded and labelled like the tenth's: Debian's, half of what they ask full screens. What came out the first time,
//! with rules that had been mended for the tenth: with a host F1 0.982, kind 0.863, danger 0.900 (recall 0.818); with
//! words alone F1 0.963, kind 0.877, danger 0.900 (0.818); no unsafe verdict. Of its 22
//! wrong kinds 14 were screens of whose form no rule knows: `unknown` then, and `command` for most who look at them.
//! That such a screen is a `command` made its kinds 0.925, and frames of DEC's graphics 0.944; both were decided before
//! its misses were looked at, and rules were mended for those since. Four of its moments are of screens that go on by
//! themselves, which do not wait by `LABELS.md`; they were labelled as prompts then, and lowered F1 to 0.982.
//!
//! Those of the twelfth group, 232 with 318 prompts (44 dangerous) and 392 moments of programs that do not wait, and of
//! the thirteenth, 138 with 143 prompts (15 dangerous) and 171 moments, were recorded and labelled like those before,
//! by `LABELS.md`: what developers install for node and Python, and Debian's, mostly for administrators. Somebody else,
//! who knew neither rules nor labels, labelled the screens once more: of 462 he said the same but for one kind and one
//! danger. What came out the first time, with rules that had been mended for the eleventh: the twelfth with a host F1
//! 0.995, kind 0.962, danger 0.905 (recall 0.864), with words alone F1 0.971, kind 0.974, danger 0.905 (0.864), one
//! unsafe verdict (a program that was made to print a question and to sleep in a terminal of its own); the thirteenth
//! with a host F1 0.989, kind 0.849, danger 0.818 (0.600), with words alone F1 0.920, kind 0.942, danger 0.800 (0.571);
//! no unsafe verdict. Rules were mended for both since.
//!
//! Those of the fourteenth group, 173 with 257 prompts (74 dangerous) and 293 moments of programs that do not wait,
//! were recorded and labelled like the twelfth's, half of them because they ask before something is lost. What came out
//! the first time, with rules that had been mended for the thirteenth: with a host F1 0.998, kind 0.937, danger 0.954
//! (recall 0.838); with words alone F1 0.958, kind 0.949, danger 0.984 (0.833); no unsafe verdict. When rules had been
//! mended for the half of node and Python, of Debian's half of it, which nobody had looked at, 0.882 of the danger was
//! seen instead of 0.824. Rules were mended for that half since.
//!
//! Those of the fifteenth group, 97 with 147 prompts (49 dangerous) and 172 moments of programs that do not wait, were
//! recorded and labelled like the fourteenth's, most of them because they ask before something is lost. What came out
//! the first time, with rules that had been mended for the fourteenth: with a host F1 1.000, kind 0.871, danger 0.930
//! (recall 0.816); with words alone F1 0.939, kind 0.923, danger 0.953 (0.911); no unsafe verdict. Rules were mended
//! for it since.
//!
//! Those of the sixteenth group, 409 with 754 prompts (123 dangerous) and 743 moments of programs that do not wait,
//! were recorded and labelled like the fifteenth's, by three people, as programs come: Debian's, what developers
//! install from npm, and from `PyPI`. What came out the first time, with rules that had been mended for the fifteenth:
//! with a host F1 0.985, kind 0.890, danger 0.937 (recall 0.846); with words alone F1 0.930, kind 0.919, danger 0.933
//! (0.829); no unsafe verdict. By where they come from, with a host: Debian's 229 prompts F1 0.973, kind 0.829, danger
//! 0.900 (0.643); npm's 274 F1 0.995, kind 0.920, danger 0.952 (0.870); `PyPI`'s 251 F1 0.984, kind 0.910, danger
//! 0.939 (0.939). Rules were mended for it since.
//!
//! The last group is of coding agents alone, with a model that is scripted: Claude Code, Codex, Qwen Code and opencode
//! at work, at their dialogs and at rest, 40 prompts and 77 moments at which they do not wait. Rules were written for
//! the first three. What opencode came to the first time: of 11 moments at work one was taken for a prompt, and its
//! dialogs for full screens of which nothing is known. By words alone the three moments right after an answer, before
//! anything is drawn, look like the prompt that was answered.

mod case;
mod group;
mod report;
mod score;

use case::Case;
use group::Group;
use score::{Evidence, Score};

/// What a scoreboard must not fall below.
struct Floor {
    group: Group,
    evidence: Evidence,
    f1: f64,
    kind: f64,
    danger_precision: f64,
    danger_recall: f64,
    unsafe_to_type: u32,
}

/// As reached: raised with the detector, and lowered only with a reason.
///
/// The right kinds of the held-out and of the sixth group, with a host, are of more prompts than before: those of which
/// no rule knows what they ask, and the host says that somebody waits for keys, are found now. Of the fifth, seventh
/// and eighth group six full screens of no known form are labelled as lists or as unknown, and are called commands, as
/// most such screens of other groups are. `Are you sure?` that says nothing else counts as danger whatever stands above
/// it: of 32 on all recordings one, in the ninth group, is about something else.
const FLOORS: [Floor; 34] = [
    floor(Group::Visible, Evidence::Host, [0.990, 0.990, 0.99, 0.99], 0),
    floor(Group::Visible, Evidence::Words, [0.980, 0.990, 0.99, 0.99], 0),
    floor(Group::HeldOut, Evidence::Host, [0.995, 0.980, 0.99, 0.99], 0),
    floor(Group::HeldOut, Evidence::Words, [0.960, 0.990, 0.99, 0.99], 0),
    floor(Group::Later, Evidence::Host, [0.995, 0.985, 0.99, 0.99], 0),
    floor(Group::Later, Evidence::Words, [0.945, 0.990, 0.99, 0.99], 0),
    floor(Group::Fourth, Evidence::Host, [0.985, 0.990, 0.99, 0.99], 0),
    floor(Group::Fourth, Evidence::Words, [0.970, 0.995, 0.99, 0.99], 0),
    floor(Group::Fifth, Evidence::Host, [0.995, 0.980, 0.99, 0.99], 0),
    floor(Group::Fifth, Evidence::Words, [0.955, 0.975, 0.99, 0.99], 0),
    floor(Group::Sixth, Evidence::Host, [0.995, 0.985, 0.99, 0.99], 0),
    floor(Group::Sixth, Evidence::Words, [0.970, 0.980, 0.99, 0.98], 0),
    floor(Group::Seventh, Evidence::Host, [0.995, 0.975, 0.97, 0.99], 0),
    floor(Group::Seventh, Evidence::Words, [0.940, 0.980, 0.96, 0.99], 0),
    floor(Group::Eighth, Evidence::Host, [0.990, 0.960, 0.99, 0.97], 0),
    floor(Group::Eighth, Evidence::Words, [0.940, 0.975, 0.99, 0.97], 0),
    floor(Group::Ninth, Evidence::Host, [0.990, 0.970, 0.95, 0.99], 0),
    floor(Group::Ninth, Evidence::Words, [0.960, 0.980, 0.95, 0.99], 0),
    floor(Group::Tenth, Evidence::Host, [0.995, 0.990, 0.94, 0.99], 0),
    floor(Group::Tenth, Evidence::Words, [0.975, 0.995, 0.93, 0.99], 0),
    floor(Group::Eleventh, Evidence::Host, [0.990, 0.970, 0.99, 0.90], 0),
    floor(Group::Eleventh, Evidence::Words, [0.955, 0.980, 0.99, 0.90], 0),
    floor(Group::Twelfth, Evidence::Host, [0.995, 0.990, 0.92, 0.90], 1),
    floor(Group::Twelfth, Evidence::Words, [0.970, 0.990, 0.92, 0.90], 0),
    floor(Group::Thirteenth, Evidence::Host, [0.990, 0.940, 0.87, 0.93], 0),
    floor(Group::Thirteenth, Evidence::Words, [0.930, 0.970, 0.86, 0.92], 0),
    floor(Group::Fourteenth, Evidence::Host, [0.995, 0.950, 0.97, 0.95], 0),
    floor(Group::Fourteenth, Evidence::Words, [0.955, 0.970, 0.97, 0.95], 0),
    floor(Group::Fifteenth, Evidence::Host, [0.995, 0.930, 0.93, 0.89], 0),
    floor(Group::Fifteenth, Evidence::Words, [0.950, 0.960, 0.95, 0.91], 0),
    floor(Group::Sixteenth, Evidence::Host, [0.985, 0.920, 0.94, 0.91], 0),
    floor(Group::Sixteenth, Evidence::Words, [0.934, 0.940, 0.94, 0.89], 0),
    floor(Group::Agents, Evidence::Host, [0.985, 0.945, 0.99, 0.75], 0),
    floor(Group::Agents, Evidence::Words, [0.960, 0.945, 0.99, 0.75], 0),
];

const fn floor(group: Group, evidence: Evidence, least: [f64; 4], unsafe_to_type: u32) -> Floor {
    let [f1, kind, danger_precision, danger_recall] = least;
    Floor { group, evidence, f1, kind, danger_precision, danger_recall, unsafe_to_type }
}

fn holds(cases: &[Case], floor: &Floor) {
    let cases = cases.iter().filter(|case| Group::of(&case.program) == floor.group);
    let score = Score::of(cases, floor.evidence);
    let reached = [
        ("F1", score.f1(), floor.f1),
        ("right kind", score.kind_accuracy(), floor.kind),
        ("precision of danger", score.danger.precision(), floor.danger_precision),
        ("recall of danger", score.danger.recall(), floor.danger_recall),
    ];
    for (what, is, least) in reached {
        assert!(is >= least, "{what} is {is:.3}, and was {least:.3} at least: run `just prompt-score`");
    }
    let wrong = score.unsafe_to_type;
    assert!(wrong <= floor.unsafe_to_type, "{wrong} times somebody would have typed into a program that does not wait");
}

#[test]
fn what_is_found_does_not_fall_below_what_was_found_before() {
    let cases = Case::all();
    FLOORS.iter().for_each(|floor| holds(&cases, floor));
}

#[test]
fn the_recordings_are_many_and_of_many_programs() {
    let cases = Case::all();
    let programs: std::collections::BTreeSet<&str> = cases.iter().map(|case| case.program.as_str()).collect();
    let (waiting, not): (Vec<_>, Vec<_>) = cases.iter().flat_map(|case| &case.states).partition(|state| state.waiting);
    assert!(programs.len() >= 40, "{} programs", programs.len());
    assert!(waiting.len() + not.len() >= 400, "{} states", waiting.len() + not.len());
    assert!(not.len() >= 200, "{} states of programs that do not wait", not.len());
}

#[test]
fn a_recording_knows_nothing_of_where_it_was_made() {
    for case in Case::all() {
        let text = String::from_utf8_lossy(&case.output);
        for place in [concat!("/wo", "rk/"), concat!("/tm", "p/detect"), "/play/"] {
            assert!(!text.contains(place), "{}/{} holds `{place}`", case.program, case.name);
        }
    }
}

/// The scoreboard. `PROMPT_MISSES=1` also lists what was judged wrongly, `PROMPT_RULES=1` how each rule fares.
#[test]
fn scoreboard() {
    let cases = Case::all();
    report::show(&cases);
}
