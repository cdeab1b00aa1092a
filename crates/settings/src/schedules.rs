//! `schedules.yaml`, as values: work that is handed out by itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::files::SCHEDULES;
use super::source_location::{ConfigFault, Layer, SourceLocation};
use crate::domain::schedule::{ScheduleDraft, ScheduleSpec};

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SchedulesFile {
    schedules: Vec<ScheduleDraft>,
}

/// The schedules of the file by name, and whether each is paused.
pub(super) type Schedules = BTreeMap<String, (ScheduleSpec, bool)>;

impl SchedulesFile {
    pub(super) fn checked(&self, faults: &mut Vec<ConfigFault>) -> Schedules {
        let mut found = Schedules::new();
        for (nth, draft) in self.schedules.iter().enumerate() {
            let mut fault = |field: &str, said: &str| {
                let place = SourceLocation::whole(Layer::File, SCHEDULES.name);
                faults.push(place.fault(format!("`schedules[{nth}].{field}`: {said}")));
            };
            match draft.parse(None) {
                Err(bad) => fault(bad.field, &bad.said),
                Ok(spec) => {
                    if found.insert(spec.name.clone(), (spec, draft.paused)).is_some() {
                        fault("name", "another one has this name");
                    }
                }
            }
        }
        found
    }
}
