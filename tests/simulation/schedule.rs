//! The script of a schedule: what is done, in which order, with how much time between.
//!
//! Each seed leaves out some kinds of trouble: in a schedule where everything breaks, nothing else can be judged.
//! `pick` chooses among what there is when the step comes, so a script stays good when a step is taken out of it.

use crate::rng::Rng;

/// Who plays: two engineers, two testers, a manager.
pub(crate) const CAST: [(&str, &str); 5] = [
    ("coder-1", "full-stack-engineer"),
    ("coder-2", "full-stack-engineer"),
    ("tester-1", "test-engineer"),
    ("tester-2", "test-engineer"),
    ("manager-1", "project-manager"),
];
const TARGETS: [&str; 8] = [
    "coder-1",
    "tester-1",
    "manager-1",
    "role:full-stack-engineer",
    "role:test-engineer",
    "role:test-engineer",
    "any",
    "any",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    Progress,
    Complete,
    Fail,
    Block,
    Submit,
}

/// What somebody does. Agents are places in [`CAST`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    Register { agent: usize },
    Wait { agent: usize, seconds: u64 },
    HangUp { agent: usize },
    NotWritten { agent: usize },
    Collect { agent: usize },
    Acknowledge { agent: usize, pick: usize },
    Say { agent: usize, pick: usize, speech: Speech },
    SayLate { agent: usize, pick: usize, speech: Speech },
    SayAgain { agent: usize },
    Crash { agent: usize },
    Evict { agent: usize },
    Post { agent: usize },
    Delegate { agent: usize, target: &'static str },
    Assign { target: &'static str, keyed: bool, after: Option<usize> },
    AssignAgain { pick: usize },
    Cancel { pick: usize },
    Answer { pick: usize },
    Retry { pick: usize },
    Requeue { pick: usize },
    Approve { pick: usize },
    Reassign { pick: usize, target: &'static str },
    Restart { pick: usize },
    Kill,
    Cut { writes: usize, kept: bool },
    End,
    FailNext,
    Fill,
    Mend,
}

/// How much happens before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing: the next step races with this one.
    None,
    /// Others get so many turns.
    Turns(usize),
    /// Everything comes to rest.
    Quiet,
    /// Time passes.
    Seconds(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) deed: Deed,
    pub(crate) gap: Gap,
}

/// Which kinds of trouble a schedule has.
struct Mood {
    kills: bool,
    restarts: bool,
    faults: bool,
    hang_ups: bool,
    jumps: bool,
    evictions: bool,
}

/// The script of a seed.
pub(crate) fn script(seed: u64) -> Vec<Step> {
    let mut rng = Rng::new(seed);
    let mood = Mood {
        kills: rng.percent(35),
        restarts: rng.percent(30),
        faults: rng.percent(25),
        hang_ups: rng.percent(70),
        jumps: rng.percent(60),
        evictions: rng.percent(30),
    };
    let mut steps: Vec<Step> = (0..CAST.len())
        .filter(|_| rng.percent(85))
        .map(|agent| Step { deed: Deed::Register { agent }, gap: Gap::Turns(3) })
        .collect();
    let length = 40 + rng.below(80);
    steps.extend((0..length).map(|_| Step { deed: deed(&mut rng, &mood), gap: gap(&mut rng, &mood) }));
    steps
}

fn gap(rng: &mut Rng, mood: &Mood) -> Gap {
    match rng.below(100) {
        0..15 => Gap::None,
        15..55 => Gap::Turns(1 + rng.below(12)),
        55..90 => Gap::Quiet,
        90..95 => Gap::Seconds(1 + rng.next() % 40),
        _ if mood.jumps => Gap::Seconds(rng.one_of(&[31, 299, 302, 1_801, 1_860, 700])),
        _ => Gap::Quiet,
    }
}

fn deed(rng: &mut Rng, mood: &Mood) -> Deed {
    let agent = rng.below(CAST.len());
    let pick = rng.below(1_000);
    match rng.below(100) {
        0..4 => Deed::Register { agent },
        4..26 => Deed::Wait { agent, seconds: rng.one_of(&[1, 45, 280, 280]) },
        26..34 => Deed::Acknowledge { agent, pick },
        34..50 => Deed::Say { agent, pick, speech: speech(rng) },
        50..53 => Deed::SayLate { agent, pick, speech: speech(rng) },
        53..56 => Deed::SayAgain { agent },
        56..58 => Deed::Collect { agent },
        58..72 => {
            let after = rng.percent(20).then(|| rng.below(1_000));
            Deed::Assign { target: rng.one_of(&TARGETS), keyed: rng.percent(40), after }
        }
        72..75 => Deed::AssignAgain { pick },
        75..78 => Deed::Delegate { agent, target: rng.one_of(&TARGETS) },
        78..89 => order(rng, pick),
        89..90 => Deed::Post { agent },
        _ => trouble(rng, mood, agent, pick),
    }
}

fn speech(rng: &mut Rng) -> Speech {
    rng.one_of(&[
        Speech::Progress,
        Speech::Progress,
        Speech::Complete,
        Speech::Complete,
        Speech::Complete,
        Speech::Fail,
        Speech::Block,
        Speech::Block,
        Speech::Submit,
    ])
}

fn order(rng: &mut Rng, pick: usize) -> Deed {
    match rng.below(11) {
        0 | 1 => Deed::Cancel { pick },
        2..6 => Deed::Answer { pick },
        6 | 7 => Deed::Retry { pick },
        8 => Deed::Requeue { pick },
        9 => Deed::Approve { pick },
        _ => Deed::Reassign { pick, target: rng.one_of(&TARGETS) },
    }
}

fn trouble(rng: &mut Rng, mood: &Mood, agent: usize, pick: usize) -> Deed {
    let instead = Deed::Wait { agent, seconds: 280 };
    match rng.below(10) {
        0..3 if mood.hang_ups => Deed::HangUp { agent },
        3 if mood.hang_ups => Deed::NotWritten { agent },
        4 if mood.hang_ups => Deed::Crash { agent },
        5 if mood.kills => match rng.below(6) {
            0 => Deed::End,
            1 => Deed::Kill,
            _ => Deed::Cut { writes: rng.below(8), kept: rng.percent(50) },
        },
        6 if mood.restarts => Deed::Restart { pick },
        7 if mood.faults => rng.one_of(&[Deed::FailNext, Deed::FailNext, Deed::Fill, Deed::Mend]),
        8 if mood.faults => Deed::Mend,
        9 if mood.evictions => Deed::Evict { agent },
        _ => instead,
    }
}
