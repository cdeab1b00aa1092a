//! Each due moment exactly once, over any story of looks, restarts, failed writes and clocks that are set.

use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// A step of a story.
#[derive(Debug, Clone)]
enum Step {
    /// So many seconds go by, and the hub looks.
    Look(u64),
    /// The hub is down for so many seconds.
    Down(u64),
    /// The clock is set back by so many seconds, and the hub looks.
    SetBack(u64),
    /// The hub is killed before what it decided was written.
    KilledBeforeWriting,
    /// The hub makes what is due, and is killed before it wrote that down: it makes it again, under the same key.
    KilledBetween,
    /// The hub makes what is due.
    Makes,
    /// The task made last is closed.
    Closes,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_u64..1_000).prop_map(Step::Look),
        1 => (1_000_u64..20_000).prop_map(Step::Down),
        1 => (1_u64..100_000).prop_map(Step::SetBack),
        1 => Just(Step::KilledBeforeWriting),
        1 => Just(Step::KilledBetween),
        4 => Just(Step::Makes),
        2 => Just(Step::Closes),
    ]
}

fn fields() -> impl Strategy<Value = Value> {
    let when = prop_oneof![
        Just(json!({"every": "60s"})),
        Just(json!({"every": "17m"})),
        Just(json!({"at": "2026-11-28T01:00:00Z"})),
        Just(json!({"cron": "*/7 * * * *", "timezone": "Europe/Berlin"})),
        Just(json!({"cron": "30 2 * * *", "timezone": "Europe/Berlin"})),
    ];
    let overlap = prop_oneof![Just("skip"), Just("queue")];
    let catch_up = prop_oneof![Just("none"), Just("one"), Just("all")];
    (when, overlap, catch_up).prop_map(|(mut when, overlap, catch_up)| {
        (when["overlap"], when["catchUp"]) = (json!(overlap), json!(catch_up));
        when
    })
}

/// A hub with one schedule: what is on disk, and what is in memory.
struct World {
    written: Vec<(Timestamp, ScheduleRecord)>,
    schedule: Schedule,
    now: Timestamp,
    /// Every key under which a task was made.
    made: BTreeSet<String>,
    open: Option<TaskId>,
}

impl World {
    fn write(&mut self, record: ScheduleRecord) {
        assert_eq!(due_once(&self.schedule, &record), Ok(()));
        self.schedule.apply(self.now, &record);
        self.written.push((self.now, record));
    }

    fn looks(&mut self) {
        for record in self.schedule.tick(self.now, self.open.as_ref()) {
            self.write(record);
        }
    }

    /// Makes what is due; `told` whether that it did so is written.
    fn makes(&mut self, told: bool) {
        let Some(due) = self.schedule.ready(self.open.is_some()).cloned() else { return };
        let first = self.made.insert(self.schedule.key(&due));
        if !told {
            return;
        }
        let made = task(self.made.len() as u64);
        if first {
            self.open = Some(made.clone());
        }
        self.write(ScheduleRecord::Fired { name: "nightly".to_owned(), due, task: made });
    }

    /// The state that the records come to.
    fn replayed(&self) -> Schedule {
        let mut written = self.written.iter();
        let (at, created) = written.next().expect("how it began");
        let mut schedule = Schedule::from_created(*at, created).expect("a schedule");
        written.for_each(|(at, record)| schedule.apply(*at, record));
        schedule
    }

    /// Each moment up to the cursor is due, skipped, or told as missed; and no moment is two of the first.
    fn judge(&self) {
        let (mut decided, mut spans) = (BTreeSet::new(), Vec::new());
        for (_, record) in &self.written {
            match record {
                ScheduleRecord::Due { due, .. } | ScheduleRecord::Skipped { due, .. } => {
                    assert!(decided.insert(due.moment), "{due:?} was decided twice");
                }
                ScheduleRecord::Missed { first, last, .. } => spans.push((*first, *last)),
                ScheduleRecord::Created { .. }
                | ScheduleRecord::Changed { .. }
                | ScheduleRecord::Fired { .. }
                | ScheduleRecord::Removed { .. } => {}
            }
        }
        let mut moment = Timestamp(NOW.0);
        while let Some(next) = self.schedule.moment_after(moment).filter(|next| *next <= self.schedule.cursor) {
            let told = spans.iter().any(|(first, last)| (*first..=*last).contains(&next));
            assert!(told || decided.contains(&next), "{next} was forgotten");
            moment = next;
        }
        let all = self.written.iter().filter(|(_, record)| matches!(record, ScheduleRecord::Due { .. })).count();
        assert_eq!(all as u64, self.schedule.fired + self.schedule.due.len() as u64);
    }
}

proptest! {
    #[test]
    fn each_moment_is_decided_exactly_once(fields in fields(), steps in vec(step(), 1..40)) {
        let (schedule, created) = schedule(&fields);
        let written = vec![(NOW, created)];
        let mut world = World { written, schedule, now: NOW, made: BTreeSet::new(), open: None };
        for step in steps {
            match step {
                Step::Look(seconds) => {
                    world.now = Timestamp(world.now.0 + seconds * 1_000);
                    world.looks();
                }
                Step::Down(seconds) => {
                    world.now = Timestamp(world.now.0 + seconds * 1_000);
                    world.schedule = world.replayed();
                    world.looks();
                }
                Step::SetBack(seconds) => {
                    world.now = Timestamp(world.now.0.saturating_sub(seconds * 1_000).max(NOW.0));
                    world.looks();
                }
                Step::KilledBeforeWriting => {
                    let _ = world.schedule.tick(world.now, world.open.as_ref());
                    world.schedule = world.replayed();
                }
                Step::KilledBetween => {
                    world.makes(false);
                    world.schedule = world.replayed();
                }
                Step::Makes => world.makes(true),
                Step::Closes => world.open = None,
            }
            prop_assert_eq!(world.replayed(), world.schedule.clone(), "J1: replay equals life");
        }
        while world.schedule.ready(false).is_some() {
            world.open = None;
            world.makes(true);
        }
        world.judge();
        prop_assert_eq!(world.made.len() as u64, world.schedule.fired, "one task for each due moment");
    }
}
