//! The script of a seed.
//!
//! Each seed leaves out some kinds of trouble: in a schedule where everything breaks, nothing else can be judged.

use crate::rng::Rng;
use crate::script::{CAST, Deed, Gap, HubSetup, Script, Speech, Step, TARGETS, Target};

/// Which kinds of trouble a schedule has.
struct Mood {
    kills: bool,
    restarts: bool,
    faults: bool,
    hang_ups: bool,
    jumps: bool,
    evictions: bool,
    steps: bool,
    crowded: bool,
    /// Agents are on call.
    hosts: bool,
    /// Leases are left to run out, again and again.
    idles: bool,
}

/// The script of a seed.
pub(crate) fn script(seed: u64) -> Script {
    let mut rng = Rng::new(seed);
    let mood = Mood {
        kills: rng.percent(35),
        restarts: rng.percent(30),
        faults: rng.percent(25),
        hang_ups: rng.percent(70),
        jumps: rng.percent(60),
        evictions: rng.percent(30),
        steps: rng.percent(25),
        crowded: rng.percent(12),
        idles: rng.percent(15),
        hosts: rng.percent(20),
    };
    let house = if mood.crowded { HubSetup::Crowded } else { HubSetup::Mixed };
    let mut steps: Vec<Step> = (0..CAST.len())
        .filter(|_| rng.percent(85))
        .map(|agent| Step { deed: Deed::Register { agent }, gap: Gap::Turns(3) })
        .collect();
    let length = 40 + rng.below(80);
    steps.extend((0..length).map(|_| Step { deed: deed(&mut rng, &mood), gap: gap(&mut rng, &mood) }));
    Script { ids: seed, house, steps }
}

fn gap(rng: &mut Rng, mood: &Mood) -> Gap {
    match rng.below(100) {
        0..15 => Gap::None,
        15..55 => Gap::Turns(1 + rng.below(12)),
        55..88 => Gap::Quiet,
        88..93 if mood.idles => Gap::Seconds(1_801),
        88..94 => Gap::Seconds(1 + rng.next() % 40),
        _ if mood.jumps => Gap::Seconds(rng.one_of(&[31, 299, 302, 1_801, 1_860, 700])),
        _ => Gap::Quiet,
    }
}

fn deed(rng: &mut Rng, mood: &Mood) -> Deed {
    let agent = rng.below(CAST.len());
    let pick = rng.below(1_000);
    match rng.below(100) {
        0..3 => Deed::Register { agent },
        3..24 => Deed::Wait { agent, seconds: rng.one_of(&[1, 45, 280, 280]) },
        24..32 => Deed::Acknowledge { agent, pick },
        32..46 => Deed::Say { agent, pick, speech: speech(rng) },
        46..49 => Deed::SayLate { agent, pick, speech: speech(rng) },
        49..51 => Deed::SayAgain { agent },
        51..52 => Deed::Meddle { agent, pick, speech: speech(rng) },
        52..53 => Deed::Collect { agent },
        53..54 => Deed::Linger { agent, seconds: rng.below(4) as u64, lost: mood.hang_ups && rng.percent(50) },
        54..67 => {
            let after = rng.percent(25).then(|| rng.below(1_000));
            let urgency = rng.one_of(&[0, 0, 0, 1, 2]);
            Deed::Assign { target: target(rng), keyed: rng.percent(40), after, urgency }
        }
        67..70 => Deed::AssignAgain { pick },
        70..74 => Deed::Delegate { agent, target: target(rng) },
        74..88 => order(rng, agent, pick),
        88..90 => rng.one_of(&[Deed::Post { agent }, Deed::PostAgain { pick }]),
        _ => trouble(rng, mood, agent, pick),
    }
}

fn target(rng: &mut Rng) -> Target {
    Target(rng.one_of(&TARGETS))
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

fn order(rng: &mut Rng, agent: usize, pick: usize) -> Deed {
    match rng.below(20) {
        0 | 1 => Deed::Cancel { pick },
        2..6 => Deed::Answer { pick },
        6 | 7 => Deed::Retry { pick },
        8 | 9 => Deed::Requeue { pick },
        10 => Deed::Approve { pick },
        11 => Deed::RequestChanges { pick },
        12 => Deed::Remark { pick },
        13 => Deed::Prioritise { pick, urgency: rng.one_of(&[0, 1, 2]) },
        14 => Deed::CallOff { agent, pick },
        15 => Deed::Reply { agent, pick },
        16 | 17 => Deed::Watch { pick },
        _ => Deed::Reassign { pick, target: target(rng) },
    }
}

fn trouble(rng: &mut Rng, mood: &Mood, agent: usize, pick: usize) -> Deed {
    let instead = Deed::Wait { agent, seconds: 280 };
    if mood.hosts && rng.percent(50) {
        let host = Deed::Host { same: rng.percent(30), fresh: rng.percent(40) };
        return if rng.percent(25) { Deed::HostLost } else { host };
    }
    match rng.below(13) {
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
        9 if mood.evictions => Deed::Evict { agent, shutdown: rng.percent(50) },
        10 => Deed::TakeOver { agent },
        11 => Deed::Echo { agent },
        12 if mood.crowded => Deed::Flood { agent },
        12 if mood.steps && rng.percent(50) => Deed::StepClock { seconds: rng.one_of(&[-3_600, -70, 7_200, 172_800]) },
        12 if mood.steps => Deed::Kill,
        _ => instead,
    }
}
