//! A schedule as it stands.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::record::ScheduleRecord;
use super::spec::{Due, Fired, Overlap, ScheduleSpec, Trigger};
use crate::ids::{PrincipalId, TaskId};
use crate::invariants::Broken;
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    pub spec: ScheduleSpec,
    /// In whose name, and with whose rights, its tasks are made.
    pub made_by: PrincipalId,
    pub from_file: bool,
    pub paused: bool,
    pub created_at: Timestamp,
    pub changed_at: Timestamp,
    /// From where spans are counted.
    pub anchor: Timestamp,
    /// The last moment that was decided.
    pub cursor: Timestamp,
    /// The number of the last event that was decided.
    pub seen: u64,
    /// What was decided, and whose task is not made yet; the oldest first.
    pub due: VecDeque<Due>,
    pub last: Option<Fired>,
    /// The task made last for a moment of its own: whether it is open decides on the next. One made by hand does not.
    pub before: Option<TaskId>,
    pub fired: u64,
    pub skipped: u64,
    pub missed: u64,
    /// Why the last moment that passed without a task has none, and when that was decided.
    pub last_unused: Option<(Timestamp, String)>,
}

impl Schedule {
    /// A new one; none where the record does not begin one.
    pub fn from_created(at: Timestamp, record: &ScheduleRecord) -> Option<Self> {
        let ScheduleRecord::Created { spec, by, from_file, seen } = record else { return None };
        Some(Self {
            spec: (**spec).clone(),
            made_by: by.clone(),
            from_file: *from_file,
            paused: false,
            created_at: at,
            changed_at: at,
            anchor: at,
            cursor: at,
            seen: *seen,
            due: VecDeque::new(),
            last: None,
            before: None,
            fired: 0,
            skipped: 0,
            missed: 0,
            last_unused: None,
        })
    }

    pub fn apply(&mut self, at: Timestamp, record: &ScheduleRecord) {
        match record {
            ScheduleRecord::Created { .. } | ScheduleRecord::Removed { .. } => {}
            ScheduleRecord::Changed { spec, paused, anew, seen, by } => {
                self.spec = (**spec).clone();
                self.made_by = by.clone().unwrap_or_else(|| self.made_by.clone());
                (self.paused, self.changed_at) = (*paused, at);
                if *anew {
                    (self.anchor, self.cursor) = (at, self.cursor.max(at));
                    self.seen = self.seen.max(*seen);
                }
            }
            ScheduleRecord::Due { due, .. } => {
                self.decided(due);
                self.due.push_back(due.clone());
            }
            ScheduleRecord::Fired { due, task, .. } => {
                self.due.retain(|waiting| waiting != due);
                self.fired += 1;
                if !due.by_hand {
                    self.before = Some(task.clone());
                }
                self.last = Some(Fired { moment: due.moment, task: task.clone(), at });
            }
            ScheduleRecord::Skipped { due, reason, .. } => {
                self.decided(due);
                self.due.retain(|waiting| waiting != due);
                self.skipped += 1;
                self.last_unused = Some((at, reason.to_string()));
            }
            ScheduleRecord::Missed { first, last, count, caught_up, .. } => {
                // Otherwise what is caught up moves it: the newest of them are.
                if *caught_up == 0 {
                    self.cursor = self.cursor.max(*last);
                }
                self.missed += u64::from(*count);
                let span = if first == last { first.to_string() } else { format!("{first} to {last}") };
                self.last_unused = Some((at, format!("missed: {count}, {span}")));
            }
        }
    }

    fn decided(&mut self, due: &Due) {
        match &due.ended {
            Some(ended) => self.seen = self.seen.max(ended.seq),
            None if due.by_hand => {}
            None => self.cursor = self.cursor.max(due.moment),
        }
    }

    /// The next moment that is not decided yet; none where it is paused, waits for a task, or is over.
    pub fn next(&self) -> Option<Timestamp> {
        if self.paused {
            return None;
        }
        self.moment_after(self.cursor)
    }

    /// The first moment of its trigger after `after`, up to its end.
    pub(super) fn moment_after(&self, after: Timestamp) -> Option<Timestamp> {
        let next = self.spec.trigger.after(self.anchor, after)?;
        self.spec.until.is_none_or(|until| next <= until).then_some(next)
    }

    /// Whether nothing comes of it any more.
    pub fn is_over(&self, now: Timestamp) -> bool {
        let waits = match self.spec.trigger {
            Trigger::After(_) => self.spec.until.is_none_or(|until| now <= until),
            Trigger::At { .. } | Trigger::Every { .. } | Trigger::Cron { .. } => {
                self.moment_after(self.cursor).is_some()
            }
        };
        !waits && self.due.is_empty()
    }

    /// What is due and may be made now, where the task before is open or not.
    pub fn ready(&self, last_is_open: bool) -> Option<&Due> {
        let waits = self.paused || (last_is_open && self.spec.overlap == Overlap::Queue);
        self.due.front().filter(|_| !waits)
    }

    /// The key of a due moment: one of each makes one task.
    pub fn key(&self, due: &Due) -> String {
        match &due.ended {
            Some(ended) => format!("schedule:{}@{}", self.spec.name, ended.seq),
            None => format!("schedule:{}@{}", self.spec.name, due.moment),
        }
    }
}

/// C1 due-once: no record makes a moment due that was decided before. Fails with the moment that was due before.
pub fn due_once(before: &Schedule, record: &ScheduleRecord) -> Result<(), Broken> {
    let ScheduleRecord::Due { due, .. } = record else { return Ok(()) };
    let again = match &due.ended {
        Some(ended) => ended.seq <= before.seen,
        None => due.moment <= before.cursor,
    };
    if !again {
        return Ok(());
    }
    let what = format!("`{}` is due again at {}", before.spec.name, due.moment);
    Err(Broken { name: "C1 due-once", what })
}
