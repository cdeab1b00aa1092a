//! The data of a schedule's event. Its text is the task's, and stands in none.

use super::fields::Data;
use crate::domain::schedule::{Due, ScheduleRecord};

/// Fills in what happened to a schedule.
pub(super) fn of<'a>(data: &'a mut Data, record: &ScheduleRecord) -> &'a mut Data {
    let data = data.put("schedule", record.name());
    match record {
        ScheduleRecord::Created { spec, by, .. } => {
            data.put("when", spec.trigger.to_string()).put("target", &spec.target).put("madeBy", by)
        }
        ScheduleRecord::Changed { spec, paused, .. } => {
            data.put("when", spec.trigger.to_string()).put("target", &spec.target).put("paused", paused)
        }
        ScheduleRecord::Due { due, .. } => moment(data, due),
        ScheduleRecord::Fired { due, task, .. } => moment(data, due).put("taskId", task).put("byHand", due.by_hand),
        ScheduleRecord::Skipped { due, reason, .. } => moment(data, due).text("reason", &reason.to_string()),
        ScheduleRecord::Missed { first, last, count, caught_up, .. } => {
            data.put("first", first).put("last", last).put("count", count).put("caughtUp", caught_up)
        }
        ScheduleRecord::Removed { .. } => data,
    }
}

fn moment<'a>(data: &'a mut Data, due: &Due) -> &'a mut Data {
    data.put("moment", due.moment).put("after", due.ended.as_ref().map(|ended| &ended.task))
}
