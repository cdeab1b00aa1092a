//! Schedules, as people see them, add them, change them and run them.

use serde::Deserializer;

use super::prelude::*;
use crate::actors::dispatcher::{AssignError, AssignRefusal};
use crate::actors::schedules::{ScheduleDone, ScheduleError, ScheduleOrder, ScheduleRequest};
use crate::domain::ids::RoleId;
use crate::domain::routing::TargetUnknown;
use crate::domain::schedule::{AfterDraft, CatchUp, Overlap, Schedule, ScheduleDraft, ScheduleSpec, Trigger};
use crate::domain::task::Priority;
use crate::domain::time::Timestamp;

/// Has a task made at its time, or when another one ends.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct AddSchedule(pub ScheduleDraft);

/// Changes a schedule, pauses or resumes it. What is left out stays.
#[derive(Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeSchedule {
    /// Once, at this moment; in the place of what said when before, as each of the next three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    /// Again after each span.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    every: Option<String>,
    /// At the times of a pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cron: Option<String>,
    /// When another task ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    after: Option<AfterDraft>,
    /// The time zone of `cron` or `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timezone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// What is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    /// A line for lists; an empty one or null for none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "null_is_empty")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    priority: Option<Priority>,
    /// What happens while the task before is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    overlap: Option<Overlap>,
    /// What happens to moments that passed while the hub was down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    catch_up: Option<CatchUp>,
    /// The last moment; an empty text or null for none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "null_is_empty")]
    until: Option<String>,
    /// Whether it waits until somebody resumes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paused: Option<bool>,
}

/// `null` clears, as an empty text does; what is left out stays.
fn null_is_empty<'de, D: Deserializer<'de>>(given: D) -> Result<Option<String>, D::Error> {
    Ok(Some(Option::deserialize(given)?.unwrap_or_default()))
}

/// Removes a schedule. Tasks that it made stay.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveSchedule {}

/// Makes a task of a schedule now, beside its moments.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunSchedule {}

/// A schedule, as people see it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleView {
    pub name: String,
    /// `active`, `paused`, or `over`: nothing comes of it any more.
    pub state: String,
    /// When it makes a task, in words.
    pub when: String,
    /// All of it, as it would be written.
    pub definition: ScheduleDraft,
    /// The next moment; none where it is paused or over, or waits for a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub next: Option<Timestamp>,
    /// The same in its own time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_local: Option<String>,
    /// How many moments came whose task is still to be made.
    pub due: usize,
    /// The task that was made last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_task: Option<String>,
    /// For which moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub last_moment: Option<Timestamp>,
    /// How many tasks were made.
    pub fired: u64,
    /// How many moments passed without a task although the hub was there.
    pub skipped: u64,
    /// How many passed while it was not.
    pub missed: u64,
    /// Why the last of these has no task of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_unused: Option<String>,
    /// In whose name its tasks are made.
    pub made_by: String,
    /// Whether it stands in schedules.yaml, which alone changes and removes it.
    pub in_settings: bool,
    /// When it was made.
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

/// A schedule after an order.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleAfter {
    /// The schedule; as it was, where it is removed.
    pub schedule: ScheduleView,
    /// The task that was made by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl ScheduleView {
    fn of(one: &Schedule, now: Timestamp) -> Self {
        let state = match (one.is_over(now), one.paused) {
            (true, _) => "over",
            (false, true) => "paused",
            (false, false) => "active",
        };
        let next = one.next();
        Self {
            name: one.spec.name.clone(),
            state: state.to_owned(),
            when: one.spec.trigger.to_string(),
            definition: ScheduleDraft::of(&one.spec, one.paused),
            next,
            next_local: next.map(|next| one.spec.trigger.local(next)),
            due: one.due.len(),
            last_task: one.last.as_ref().map(|last| last.task.to_string()),
            last_moment: one.last.as_ref().map(|last| last.moment),
            fired: one.fired,
            skipped: one.skipped,
            missed: one.missed,
            last_unused: one.last_unused.as_ref().map(|(at, why)| format!("{at}: {why}")),
            made_by: one.made_by.to_string(),
            in_settings: one.from_file,
            created_at: one.created_at,
        }
    }
}

pub async fn schedules(hub: &HubRef) -> Result<Vec<ScheduleView>> {
    let now = hub.clock.now();
    Ok(hub.schedules.list().await.map_err(fault)?.iter().map(|one| ScheduleView::of(one, now)).collect())
}

/// The one of this name. Fails with `SCHEDULE_NOT_FOUND`, or when the schedules are busy or gone.
pub async fn find_schedule(hub: &HubRef, name: &str) -> Result<ScheduleView> {
    Ok(ScheduleView::of(&find(hub, name).await?, hub.clock.now()))
}

async fn find(hub: &HubRef, name: &str) -> Result<Schedule> {
    let all = hub.schedules.list().await.map_err(fault)?;
    let found = all.into_iter().find(|one| one.spec.name == name);
    found.ok_or_else(|| refused(ScheduleError::Unknown(shown(name))))
}

impl PersonVerb for AddSchedule {
    const NAME: &'static str = "add_schedule";
    type Reply = ScheduleAfter;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<ScheduleAfter> {
        if let Some(first) = repeated(call, name, self).await? {
            return Ok(first);
        }
        let spec = Box::new(checked(call, &self.0, Some(call.hub.clock.now())).await?);
        order(call, ScheduleOrder::Add { spec, paused: self.0.paused }, name, self).await
    }
}

impl PersonVerb for ChangeSchedule {
    const NAME: &'static str = "change_schedule";
    type Reply = ScheduleAfter;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<ScheduleAfter> {
        if let Some(first) = repeated(call, name, self).await? {
            return Ok(first);
        }
        let one = find(&call.hub, name).await?;
        let draft = self.over(ScheduleDraft::of(&one.spec, one.paused));
        // Who may not assign to whom it was for does not get at it by naming another target.
        permitted(call, &one.spec).await?;
        let when_changes = self.says_when() || self.until.is_some();
        let now = when_changes.then(|| call.hub.clock.now());
        let spec = Box::new(checked(call, &draft, now).await?);
        order(call, ScheduleOrder::Change { spec, paused: draft.paused }, name, self).await
    }
}

impl PersonVerb for RemoveSchedule {
    const NAME: &'static str = "remove_schedule";
    type Reply = ScheduleAfter;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<ScheduleAfter> {
        if let Some(first) = repeated(call, name, self).await? {
            return Ok(first);
        }
        // A target that is nobody any more keeps nobody from removing it.
        let one = find(&call.hub, name).await?;
        match permitted(call, &one.spec).await {
            Err(no) if no.code != TargetUnknown::CODE => return Err(no),
            Err(_) | Ok(()) => {}
        }
        order(call, ScheduleOrder::Remove { name: name.to_owned() }, name, self).await
    }
}

impl PersonVerb for RunSchedule {
    const NAME: &'static str = "run_schedule";
    type Reply = ScheduleAfter;

    async fn act(&self, call: &PersonCall, name: &str) -> Result<ScheduleAfter> {
        permitted(call, &find(&call.hub, name).await?.spec).await?;
        order(call, ScheduleOrder::Run { name: name.to_owned() }, name, self).await
    }
}

impl ChangeSchedule {
    const fn says_when(&self) -> bool {
        self.at.is_some() || self.every.is_some() || self.cron.is_some() || self.after.is_some()
    }

    fn over(&self, was: ScheduleDraft) -> ScheduleDraft {
        let mut draft = was.clone();
        if self.says_when() {
            draft = ScheduleDraft {
                at: self.at.clone(),
                every: self.every.clone(),
                cron: self.cron.clone(),
                after: self.after.clone(),
                timezone: was.timezone.filter(|_| self.cron.is_some()),
                ..draft
            };
        }
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        ScheduleDraft {
            timezone: self.timezone.clone().or(draft.timezone),
            target: self.target.clone().unwrap_or(draft.target),
            prompt: self.prompt.clone().unwrap_or(draft.prompt),
            title: self.title.as_ref().map_or(draft.title, given),
            priority: self.priority.unwrap_or(draft.priority),
            overlap: self.overlap.unwrap_or(draft.overlap),
            catch_up: self.catch_up.unwrap_or(draft.catch_up),
            until: self.until.as_ref().map_or(draft.until, given),
            paused: self.paused.unwrap_or(draft.paused),
            ..draft
        }
    }
}

/// What a draft says, for somebody who may assign to whom it is for. `now` where its moments begin now.
async fn checked(call: &PersonCall, draft: &ScheduleDraft, now: Option<Timestamp>) -> Result<ScheduleSpec> {
    let prompt = words("prompt", &draft.prompt)?;
    let title = draft.title.as_deref().map(|title| words("title", title)).transpose()?;
    let draft = ScheduleDraft { prompt, title, ..draft.clone() };
    let mut spec = draft.parse(now).map_err(|bad| argument(bad.field, bad.said))?;
    permitted(call, &spec).await?;
    if let Trigger::After(after) = &mut spec.trigger
        && let Some(role) = &mut after.role
    {
        let roster = call.hub.dispatcher.roster().await.map_err(fault)?;
        let known = RoleId::parse(&roster.canonical(role.as_str())).ok();
        let known = known.filter(|known| roster.every_role().contains(known));
        *role = known.ok_or_else(|| argument("after", format!("no role is called `{role}`")))?;
    }
    Ok(spec)
}

/// Passes who may assign to whom it is for.
async fn permitted(call: &PersonCall, spec: &ScheduleSpec) -> Result<()> {
    let rights = authorize::assignable(&call.hub, call.who()).await?;
    let roster = call.hub.dispatcher.roster().await.map_err(fault)?;
    let no = |code, message: String, nearest| {
        let refusal = AssignRefusal { code, message, advice: None, nearest };
        refuse::assign(AssignError::Refused(refusal)).unadvised()
    };
    let target = roster.target(&spec.target, std::collections::BTreeSet::new());
    let target = target.map_err(|unknown| no(TargetUnknown::CODE, unknown.to_string(), Some(unknown.nearest)))?;
    if rights.allows_target(&target, &roster) {
        return Ok(());
    }
    Err(no("NOT_PERMITTED", format!("you may not assign to `{target}`; you may assign to {rights}"), None))
}

/// What the same call under its key was answered with before.
async fn repeated<V: PersonVerb>(call: &PersonCall, name: &str, verb: &V) -> Result<Option<ScheduleAfter>> {
    let first = used(&call.hub, call.key_of(name, verb).as_ref(), read).await?.transpose()?;
    let first = first.and_then(ScheduleDone::of_receipt);
    Ok(first
        .map(|done| ScheduleAfter { schedule: ScheduleView::of(&done.schedule, call.hub.clock.now()), task_id: None }))
}

async fn order<V: PersonVerb>(call: &PersonCall, order: ScheduleOrder, name: &str, verb: &V) -> Result<ScheduleAfter> {
    let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
    let asked = ScheduleRequest { order, by, request, key: call.key_of(name, verb) };
    let ScheduleDone { schedule, task } = call.hub.schedules.order(asked).await.map_err(refused)?;
    let schedule = ScheduleView::of(&schedule, call.hub.clock.now());
    Ok(ScheduleAfter { schedule, task_id: task.map(|task| task.to_string()) })
}

fn refused(error: ScheduleError) -> Refusal {
    let said = error.to_string();
    let no =
        |code, detail: (&'static str, Value)| Refusal::without_advice(code, said.clone()).detail(detail.0, detail.1);
    match error {
        ScheduleError::Unknown(name) => no("SCHEDULE_NOT_FOUND", ("schedule", json!(name))),
        ScheduleError::Taken(name) => no("SCHEDULE_EXISTS", ("schedule", json!(name))),
        ScheduleError::InFile(name) => no("SCHEDULE_IN_SETTINGS", ("schedule", json!(name))),
        ScheduleError::Full(most) => no("SCHEDULE_LIMIT", ("limit", json!(most))),
        ScheduleError::KeyReused => refuse::key_reused().unadvised(),
        ScheduleError::Refused(refusal) => refuse::assign(AssignError::Refused(refusal)).unadvised(),
        ScheduleError::Fault(error) => fault(error),
    }
}
