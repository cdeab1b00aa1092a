//! What people order of schedules, and what `schedules.yaml` says of them.

use std::sync::Arc;

use serde_json::json;

use super::make::assigned;
use super::message::{ScheduleDone, ScheduleError, ScheduleOrder, ScheduleRequest};
use super::state::State;
use crate::actors::common::{Fault, Result};
use crate::actors::journal::AppendError;
use crate::domain::ids::PrincipalId;
use crate::domain::principal::By;
use crate::domain::schedule::{Due, Schedule, ScheduleRecord, ScheduleSpec};
use crate::domain::time::Timestamp;
use crate::journal::{IdempotencyKey, WriteError};

impl State {
    pub(super) async fn order(&mut self, asked: ScheduleRequest) -> Result<ScheduleDone, ScheduleError> {
        let ScheduleRequest { order, by, request, key } = asked;
        let now = self.clock.now();
        if let Some(known) = self.repeated(now, key.as_ref()).await? {
            return Ok(known);
        }
        let (name, records) = match order {
            ScheduleOrder::Run { name } => return self.run(name, by, request, key).await,
            ScheduleOrder::Add { spec, paused } => return self.add(now, spec, paused, (by, request, key)).await,
            ScheduleOrder::Change { spec, paused } => {
                let one = self.find(&spec.name)?;
                if one.from_file && *spec != one.spec {
                    return Err(ScheduleError::InFile(spec.name));
                }
                let seen = self.position().await?;
                (spec.name.clone(), self.find(&spec.name)?.change(now, *spec, paused, (&by.principal, seen)))
            }
            ScheduleOrder::Remove { name } => {
                let one = self.find(&name)?;
                if one.from_file {
                    return Err(ScheduleError::InFile(name));
                }
                let records = one.remove();
                (name, records)
            }
        };
        let before = self.find(&name)?.clone();
        self.keep(now, records, &name, (by, request, key)).await?;
        let schedule = Box::new(self.all.get(&name).cloned().unwrap_or(before));
        Ok(ScheduleDone { schedule, task: None })
    }

    async fn add(
        &mut self,
        now: Timestamp,
        spec: Box<ScheduleSpec>,
        paused: bool,
        asked: (By, Option<String>, Option<IdempotencyKey>),
    ) -> Result<ScheduleDone, ScheduleError> {
        let name = spec.name.clone();
        // A name is free again once nothing comes of its schedule any more.
        if self.all.get(&name).is_some_and(|one| one.from_file || !one.is_over(now)) {
            return Err(ScheduleError::Taken(name));
        }
        let most = self.settings.borrow().hub.limits.schedules;
        if self.all.values().filter(|one| !one.is_over(now)).count() >= most {
            return Err(ScheduleError::Full(most));
        }
        let (by, seen) = (asked.0.principal.clone(), self.position().await?);
        self.keep(now, created(now, spec, paused, (by, false, seen)), &name, asked).await?;
        Ok(ScheduleDone { schedule: Box::new(self.find(&name)?.clone()), task: None })
    }

    /// Makes a task now. Its key is the caller's: a repeat finds the first.
    async fn run(
        &mut self,
        name: String,
        by: By,
        request: Option<String>,
        key: Option<IdempotencyKey>,
    ) -> Result<ScheduleDone, ScheduleError> {
        let due = Due { moment: self.clock.now(), ended: None, by_hand: true };
        let asked = self.request(self.find(&name)?, &due, (&by, key), request.clone()).await?;
        let task = assigned(self.dispatcher.assign(asked).await)??;
        // A repeat finds the task that was written down already.
        if self.find(&name)?.last.as_ref().is_none_or(|last| last.task != task) {
            let record = ScheduleRecord::Fired { name: name.clone(), due, task: task.clone() };
            self.write(self.clock.now(), vec![record], by, request, None).await.map_err(Fault::from)?;
        }
        Ok(ScheduleDone { schedule: Box::new(self.find(&name)?.clone()), task: Some(task) })
    }

    async fn keep(
        &mut self,
        now: Timestamp,
        records: Vec<ScheduleRecord>,
        name: &str,
        (by, request, key): (By, Option<String>, Option<IdempotencyKey>),
    ) -> Result<(), ScheduleError> {
        let mut after = self.all.get(name).cloned();
        for record in &records {
            after = Schedule::from_created(now, record).or(after);
            after.iter_mut().for_each(|one| one.apply(now, record));
        }
        let idempotency = key.map(|key| key.keeps(json!({ "schedule": after })));
        match self.write(now, records, by, request, idempotency).await {
            Ok(()) | Err(AppendError::Write(WriteError::Repeated { .. })) => Ok(()),
            Err(AppendError::Write(WriteError::KeyReused)) => Err(ScheduleError::KeyReused),
            Err(error) => Err(Fault::from(error).into()),
        }
    }

    /// What a repeat is answered with: the schedule as it was then. None for a new key, and for a task made by hand.
    async fn repeated(
        &self,
        now: Timestamp,
        key: Option<&IdempotencyKey>,
    ) -> Result<Option<ScheduleDone>, ScheduleError> {
        Ok(self.journal.recall(now, key).await?.and_then(ScheduleDone::of_receipt))
    }

    /// Brings what stands in `schedules.yaml` to what is in force, and takes away what stands there no more.
    pub(super) async fn compare_with_file(&mut self, now: Timestamp) -> Result<()> {
        let settings = Arc::clone(&self.settings.borrow());
        let (mut records, seen) = (Vec::new(), self.position().await?);
        let gone = |one: &&Schedule| one.from_file && !settings.schedules.contains_key(&one.spec.name);
        records.extend(self.all.values().filter(gone).flat_map(Schedule::remove));
        for (name, (spec, paused)) in settings.schedules.iter() {
            match self.all.get(name) {
                Some(one) if !one.from_file && !one.is_over(now) => {
                    tracing::warn!("schedules.yaml: a schedule `{name}` was added by {} already", one.made_by);
                }
                // Somebody may have paused it since: that stays until the file itself changes.
                Some(one) if one.from_file && one.spec == *spec => {}
                Some(one) if one.from_file => {
                    records.extend(one.change(now, spec.clone(), *paused, (&self.hub.principal, seen)));
                }
                Some(_) | None => {
                    let by = self.hub.principal.clone();
                    records.extend(created(now, Box::new(spec.clone()), *paused, (by, true, seen)));
                }
            }
        }
        Ok(self.write(now, records, self.hub.clone(), None, None).await?)
    }

    fn find(&self, name: &str) -> Result<&Schedule, ScheduleError> {
        self.all.get(name).ok_or_else(|| ScheduleError::Unknown(name.to_owned()))
    }

    async fn position(&self) -> Result<u64> {
        Ok(self.journal.read(|reader| reader.position()).await?.0)
    }
}

/// A new schedule; and what is told of a single moment of it that had passed by then.
fn created(
    now: Timestamp,
    spec: Box<ScheduleSpec>,
    paused: bool,
    (by, from_file, seen): (PrincipalId, bool, u64),
) -> Vec<ScheduleRecord> {
    let pause = || ScheduleRecord::Changed { spec: spec.clone(), paused, anew: false, seen, by: None };
    let more = [paused.then(pause), spec.overtaken(Timestamp(0), now)];
    let first = ScheduleRecord::Created { spec, by, from_file, seen };
    std::iter::once(first).chain(more.into_iter().flatten()).collect()
}
