//! What is due is made: one task for each moment, by the way that people's requests go.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::message::EndedTask;
use super::state::State;
use crate::actors::common::{Fault, Result};
use crate::actors::dispatcher::{Asker, AssignError, AssignReceipt, AssignRefusal, AssignRequest};
use crate::actors::task::ActError;
use crate::domain::ids::TaskId;
use crate::domain::principal::{By, Surface};
use crate::domain::schedule::{Due, Schedule, ScheduleRecord, SkipReason, Trigger, fill};
use crate::domain::task::{Origin, OriginKind, RightsSet, Task};
use crate::journal::IdempotencyKey;

impl State {
    /// A task ended: what waits for that is decided; and a moment that waited for this task is made in the turn.
    pub(super) async fn task_ended(&mut self, EndedTask { ended, at }: EndedTask) -> Result<()> {
        let waits = |one: &&Schedule| matches!(one.spec.trigger, Trigger::After(_)) && one.seen < ended.seq;
        let names: Vec<String> = self.all.values().filter(waits).map(|one| one.spec.name.clone()).collect();
        if names.is_empty() {
            return Ok(());
        }
        let Some(task) = self.task(&ended.task).await? else { return Ok(()) };
        let mut records = Vec::new();
        for name in names {
            let open = self.open_task(&name).await?;
            let decided = self.all.get(&name).and_then(|one| one.task_ended(at, &ended, &task, open.as_ref()));
            records.extend(decided);
        }
        Ok(self.write(self.clock.now(), records, self.hub.clone(), None, None).await?)
    }

    /// Makes whatever of this schedule is due and may go on.
    pub(super) async fn make(&mut self, name: &str) -> Result<()> {
        loop {
            let open = self.open_task(name).await?.is_some();
            let Some(one) = self.all.get(name) else { return Ok(()) };
            let Some(due) = one.ready(open).cloned() else { return Ok(()) };
            let key = one.key(&due);
            let key = IdempotencyKey { principal: self.hub.principal.clone(), digest: key.clone(), key };
            let by = By { principal: one.made_by.clone(), surface: Surface::Timer };
            let outcome = if one.from_file || self.credentials.operates(&one.made_by) {
                let request = self.request(one, &due, (&by, Some(key)), None).await?;
                assigned(self.dispatcher.assign(request).await)?.map_err(|no| (no.code, no.message))
            } else {
                let message = format!("`{}` has no token any more that may hand out work", one.made_by);
                Err(("NOT_PERMITTED", message))
            };
            let name = name.to_owned();
            let record = match outcome {
                Ok(task) => ScheduleRecord::Fired { name, due, task },
                Err((code, message)) => {
                    let reason = SkipReason::Refused { code: code.to_owned(), message };
                    ScheduleRecord::Skipped { name, due, reason }
                }
            };
            self.write(self.clock.now(), vec![record], by, None, None).await?;
        }
    }

    /// The request for a task, with the present rights of who last said what it makes, or who runs it by hand.
    pub(super) async fn request(
        &self,
        one: &Schedule,
        due: &Due,
        (by, key): (&By, Option<IdempotencyKey>),
        request: Option<String>,
    ) -> Result<AssignRequest> {
        let ended = match &due.ended {
            Some(ended) => self.task(&ended.task).await?,
            None => None,
        };
        let rights = {
            let settings = Arc::clone(&self.settings.borrow());
            match settings.people.by_principal(&by.principal) {
                Some((_, person)) => person.rights().assignable(&*self.dispatcher.roster().await?),
                None => RightsSet::All,
            }
        };
        let text = |text: &str| fill(text, one, due, ended.as_ref());
        let name = &one.spec.name;
        Ok(AssignRequest {
            asker: Asker {
                by: by.clone(),
                origin: Origin {
                    kind: OriginKind::Schedule,
                    id: name.clone(),
                    display_name: format!("the schedule {name} of {}", by.principal),
                },
                rights,
                agent: None,
            },
            target: one.spec.target.clone(),
            capabilities: BTreeSet::new(),
            prompt: text(&one.spec.prompt),
            title: Some(one.spec.title.as_deref().map_or_else(|| name.clone(), text)),
            spec: None,
            context: None,
            priority: one.spec.priority,
            dependencies: Vec::new(),
            workspace: None,
            ttl: None,
            worktree: None,
            key,
            request,
            sanitized: None,
            after: ended.map(|task| task.spec),
        })
    }

    async fn task(&self, id: &TaskId) -> Result<Option<Task>> {
        let wanted = id.clone();
        Ok(self.journal.read(move |reader| reader.task(&wanted)).await?)
    }
}

/// The task that was made, now or before under the same key; or the refusal. A full queue is a fault: it may pass.
pub(super) fn assigned(outcome: Result<AssignReceipt, AssignError>) -> Result<Result<TaskId, AssignRefusal>> {
    match outcome {
        Ok(receipt) => Ok(Ok(receipt.task_id)),
        Err(AssignError::Repeated(first)) => Ok(Ok(first.task_id)),
        Err(AssignError::Refused(refusal)) if refusal.code == "QUEUE_FULL" => Err(Fault::Unavailable(refusal.message)),
        Err(AssignError::Refused(refusal)) => Ok(Err(refusal)),
        Err(AssignError::Act(ActError::Fault(fault))) => Err(fault),
        Err(AssignError::Act(error)) => Err(Fault::Unavailable(error.to_string())),
    }
}
