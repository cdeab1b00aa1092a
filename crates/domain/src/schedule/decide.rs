//! What follows from the time, from the end of a task, and from people's orders.

use super::record::{ScheduleRecord, SkipReason};
use super::spec::{CatchUp, Due, Ended, Overlap, ScheduleSpec, Trigger};
use super::state::Schedule;
use super::{MOST_CAUGHT_UP, MOST_WAITING, ON_TIME};
use crate::ids::{PrincipalId, TaskId};
use crate::task::Task;
use crate::time::Timestamp;

/// How many moments of a gap are looked at one by one from its beginning on; then those of its last week.
const LOOKED_AT: usize = 2_000;

const LAST_PART: std::time::Duration = std::time::Duration::from_hours(7 * 24);

impl Schedule {
    /// The time has come to look. `open` is the task made last, where it is still open.
    pub fn tick(&self, now: Timestamp, open: Option<&TaskId>) -> Vec<ScheduleRecord> {
        let passed = self.passed(now);
        let on_time = passed.last().copied().filter(|moment| now.since(*moment) <= ON_TIME);
        let late = &passed[..passed.len() - usize::from(on_time.is_some())];
        let caught_up = match self.spec.catch_up {
            CatchUp::None => 0,
            CatchUp::One => usize::from(!late.is_empty() && on_time.is_none()),
            CatchUp::All => late.len().min(MOST_CAUGHT_UP),
        };
        let mut records = Vec::new();
        if let (Some(first), Some(last)) = (late.first(), late.last()) {
            records.push(ScheduleRecord::Missed {
                name: self.spec.name.clone(),
                first: *first,
                last: *last,
                count: u32::try_from(late.len()).unwrap_or(u32::MAX),
                caught_up: u32::try_from(caught_up).unwrap_or(u32::MAX),
            });
        }
        let made = late[late.len() - caught_up..].iter().copied().chain(on_time);
        for (nth, moment) in made.enumerate() {
            records.push(self.comes(Due { moment, ended: None, by_hand: false }, nth, open));
        }
        records
    }

    /// A task ended: whether this schedule waits for it.
    pub fn task_ended(
        &self,
        at: Timestamp,
        ended: &Ended,
        task: &Task,
        open: Option<&TaskId>,
    ) -> Option<ScheduleRecord> {
        let Trigger::After(after) = &self.spec.trigger else { return None };
        let past = ended.seq <= self.seen || self.spec.until.is_some_and(|until| at > until);
        if self.paused || past || !after.means(task, ended.state) {
            return None;
        }
        Some(self.comes(Due { moment: at, ended: Some(ended.clone()), by_hand: false }, 0, open))
    }

    /// Another form, paused, or resumed; nothing where nothing changes. `seen` is the number of the last event, `by` is
    /// who says it. Whoever changes what it makes takes it over: their rights bound its tasks from now on.
    pub fn change(
        &self,
        now: Timestamp,
        spec: ScheduleSpec,
        paused: bool,
        (by, seen): (&PrincipalId, u64),
    ) -> Vec<ScheduleRecord> {
        if spec == self.spec && paused == self.paused {
            return Vec::new();
        }
        let anew = spec.trigger != self.spec.trigger || (self.paused && !paused);
        let overtaken = spec.overtaken(self.cursor, now).filter(|_| anew);
        let by = (spec != self.spec).then(|| by.clone());
        let changed = ScheduleRecord::Changed { spec: Box::new(spec), paused, anew, seen, by };
        std::iter::once(changed).chain(overtaken).collect()
    }

    /// It goes: moments that still wait for their task pass without one.
    pub fn remove(&self) -> Vec<ScheduleRecord> {
        let name = &self.spec.name;
        let skipped =
            |due: &Due| ScheduleRecord::Skipped { name: name.clone(), due: due.clone(), reason: SkipReason::Removed };
        self.due.iter().map(skipped).chain([ScheduleRecord::Removed { name: name.clone() }]).collect()
    }

    /// A moment comes, the `nth` of those that come together.
    fn comes(&self, due: Due, nth: usize, open: Option<&TaskId>) -> ScheduleRecord {
        let name = self.spec.name.clone();
        let reason = match self.spec.overlap {
            Overlap::Skip => match open {
                Some(task) => Some(SkipReason::Overlap { task: task.clone() }),
                None => (!self.due.is_empty()).then_some(SkipReason::Waiting),
            },
            Overlap::Queue => (self.due.len() + nth >= MOST_WAITING).then_some(SkipReason::Full),
        };
        match reason {
            Some(reason) => ScheduleRecord::Skipped { name, due, reason },
            None => ScheduleRecord::Due { name, due },
        }
    }

    /// The moments that came since the cursor, in order. Of a very long gap all of its last week, and the first ones.
    fn passed(&self, now: Timestamp) -> Vec<Timestamp> {
        let mut passed = Vec::new();
        let mut cursor = self.cursor;
        if self.paused {
            return passed;
        }
        while let Some(moment) = self.moment_after(cursor).filter(|moment| *moment <= now) {
            passed.push(moment);
            cursor = if passed.len() == LOOKED_AT { moment.max(now - LAST_PART) } else { moment };
        }
        passed
    }
}

impl ScheduleSpec {
    /// A moment behind `since` that passed while nothing waited for it: before the schedule existed, or while paused.
    pub fn overtaken(&self, since: Timestamp, now: Timestamp) -> Option<ScheduleRecord> {
        let Trigger::At { at } = self.trigger else { return None };
        let missed = ScheduleRecord::Missed { name: self.name.clone(), first: at, last: at, count: 1, caught_up: 0 };
        (since < at && at <= now).then_some(missed)
    }
}
