//! A schedule, and one of each record of one, for tests.

#![expect(clippy::unwrap_used, reason = "built for tests alone, and the texts are fixed")]

use serde_json::json;

use super::sample_ids::{at, principal, task_id};
use crate::domain::ids::TaskId;
use crate::domain::schedule::{Due, Ended, Schedule, ScheduleDraft, ScheduleRecord, SkipReason};
use crate::domain::task::TaskStateName;

fn draft(name: &str) -> ScheduleDraft {
    let draft = json!({
        "name": name, "cron": "0 9 * * MON-FRI", "timezone": "Europe/Berlin", "target": "role:fullstack",
        "prompt": "run the tests of {date}", "overlap": "queue", "catchUp": "all",
    });
    serde_json::from_value(draft).unwrap()
}

fn created(name: &str) -> ScheduleRecord {
    let spec = Box::new(draft(name).parse(None).unwrap());
    ScheduleRecord::Created { spec, by: principal("person:ann"), from_file: false, seen: 41 }
}

/// A schedule of this name.
pub fn schedule(name: &str) -> Schedule {
    Schedule::from_created(at(0), &created(name)).unwrap()
}

/// One of each record.
pub(super) fn schedule_records() -> Vec<ScheduleRecord> {
    let name = || "nightly".to_owned();
    let due = Due { moment: at(1), ended: None, by_hand: false };
    let ended = Ended { seq: 42, task: task_id(1), state: TaskStateName::Completed };
    let task: TaskId = task_id(2);
    let after = Due { moment: at(1), ended: Some(ended), by_hand: true };
    let ScheduleRecord::Created { spec, .. } = created("nightly") else { unreachable!() };
    let mut records = vec![
        created("nightly"),
        ScheduleRecord::Changed { spec, paused: true, anew: false, seen: 43, by: Some(principal("operator")) },
        ScheduleRecord::Due { name: name(), due: due.clone() },
        ScheduleRecord::Fired { name: name(), due: after, task: task.clone() },
    ];
    let refused = SkipReason::Refused { code: "TARGET_UNKNOWN".to_owned(), message: "nobody".to_owned() };
    for reason in [SkipReason::Overlap { task }, SkipReason::Waiting, SkipReason::Full, refused] {
        records.push(ScheduleRecord::Skipped { name: name(), due: due.clone(), reason });
    }
    records.push(ScheduleRecord::Missed { name: name(), first: at(1), last: at(2), count: 3, caught_up: 1 });
    records.push(ScheduleRecord::Removed { name: name() });
    records
}
