//! Schedules, by tables and by stories of many moments.

mod drafts;
mod promises;
mod steps;

use serde_json::{Value, json};

use super::*;
use crate::ids::{PrincipalId, TaskId};
use crate::time::Timestamp;

pub(super) const NOW: Timestamp = Timestamp(1_795_824_000_000);

pub(super) const MINUTE: u64 = 60_000;

/// A draft with these fields.
pub(super) fn draft(fields: &Value) -> ScheduleDraft {
    let mut all = json!({"name": "nightly", "target": "role:fullstack", "prompt": "run the tests"});
    let (all_fields, given) = (all.as_object_mut().expect("an object"), fields.as_object().expect("an object"));
    all_fields.extend(given.clone());
    serde_json::from_value(all).expect("a draft")
}

/// A schedule with these fields that was made at `NOW`, with the record of that.
pub(super) fn schedule(fields: &Value) -> (Schedule, ScheduleRecord) {
    let spec = Box::new(draft(fields).parse(None).expect("a schedule"));
    let by = PrincipalId::parse("person:ann").expect("a person");
    let created = ScheduleRecord::Created { spec, by, from_file: false, seen: 7 };
    (Schedule::from_created(NOW, &created).expect("a schedule"), created)
}

pub(super) fn task(number: u64) -> TaskId {
    TaskId::parse(&format!("task{number:04}")).expect("a task's id")
}

/// A moment that is written so.
pub(super) fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a moment")
}
