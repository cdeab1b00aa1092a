//! Checks `people.yaml` before a person changes what belongs to somebody else, for every door; the domain decides
//! (`domain::permission`). What an agent may do follows from who holds a task and who asked for it. Of a person who is
//! not listed, the scope of the credential is all.

use super::key::used;
use super::refusal::{Refusal, Result};
use super::refuse;
use crate::actors::HubRef;
use crate::actors::common::Attempts;
use crate::actors::task::{ActError, TaskAct, TaskReceipt, TaskRef};
use crate::domain::ids::{SessionId, TaskId};
use crate::domain::permission::{Deed, Denied, Whose};
use crate::domain::principal::{Principal, Scope};
use crate::domain::review::Grounds;
use crate::domain::task::{RightsSet, Task, TaskCommand};
use crate::journal::IdempotencyKey;

/// Whether anything narrows what this principal may do.
pub(super) fn is_narrowed(hub: &HubRef, who: &Principal) -> bool {
    who.agent().is_none() && hub.settings().people.by_principal(&who.id).is_some()
}

/// Passes who may do that. Fails with `NOT_A_HUMAN` for a program's word; `NOT_PERMITTED` with the `people.yaml` key.
pub(super) async fn person(hub: &HubRef, who: &Principal, deed: Deed, whose: Whose) -> Result<()> {
    as_a_human(who, deed)?;
    if !is_narrowed(hub, who) {
        return Ok(());
    }
    let whose = with_role(hub, whose).await?;
    let settings = hub.settings();
    let Some((_, person)) = settings.people.by_principal(&who.id) else { return Ok(()) };
    let rights = person.rights();
    let passed = if deed == Deed::ApproveWork {
        rights.approves(&whose, settings.roles.need_approval(&whose)).map(drop)
    } else {
        rights.decide(deed, &whose)
    };
    passed.map_err(|denied| not_permitted(who, &denied))
}

/// By what a person may approve a task's work: the rule of `people.yaml`, else of `door`, else the credential's scope.
pub(super) async fn grounds(hub: &HubRef, who: &Principal, whose: Whose, door: Option<&Grounds>) -> Result<Grounds> {
    let whose = with_role(hub, whose).await?;
    let settings = hub.settings();
    let forge_login = door.and_then(|door| door.forge_login.clone());
    let Some((name, person)) = settings.people.by_principal(&who.id) else {
        let scope = || Grounds { rule: format!("scope {}", Scope::Operate), given: true, forge_login: None };
        return Ok(door.cloned().unwrap_or_else(scope));
    };
    let key = person.rights().approves(&whose, false).map_err(|denied| not_permitted(who, &denied))?;
    let given = person.can_approve.is_some();
    Ok(Grounds { rule: format!("people.{name}.{key}"), given, forge_login })
}

/// Gives a task an order, if `people.yaml` lets this principal; none when there is no such task. `line` is the caller's
/// own, to a task that it holds. Fails as [`person`] does, and as the task does.
///
/// What was judged travels with the order: should the task change hands meanwhile, nothing is done, and it is judged
/// anew. A repeat is answered as the first time.
pub(super) async fn order(
    hub: &HubRef,
    who: &Principal,
    line: Option<TaskRef>,
    id: &TaskId,
    act: TaskAct,
) -> Result<Option<TaskReceipt>> {
    if let Some(deed) = Deed::of_task(&act.command) {
        as_a_human(who, deed)?;
    }
    let mut attempts = Attempts::default();
    if !is_narrowed(hub, who) {
        return told(hub.order_by(line, id, act, &mut attempts).await);
    }
    loop {
        let Some(task) = hub.task(id).await.map_err(refuse::fault)? else { return Ok(None) };
        on_task(hub, who, &task, &act.command, act.key.as_ref()).await?;
        let judged = TaskAct { judged: Some(Whose::of_task(&task)), ..act.clone() };
        match hub.order_by(line.clone(), id, judged, &mut attempts).await {
            Err(ActError::ChangedHands(_)) if attempts.again() => {}
            outcome => return told(outcome),
        }
    }
}

/// A program's credential gives no person's word, whatever its scopes.
fn as_a_human(who: &Principal, deed: Deed) -> Result<()> {
    if who.agent().is_some() || who.is_person() || !deed.is_a_persons_word() {
        return Ok(());
    }
    let said = format!("`{}` is a program: only people {} an agent", who.id, deed.words());
    Err(Refusal::new("NOT_A_HUMAN", said)
        .advise("Send it with a person's credential: `callboard token create --name NAME`."))
}

fn told(outcome: Result<Option<TaskReceipt>, ActError>) -> Result<Option<TaskReceipt>> {
    match outcome {
        Ok(receipt) => Ok(receipt),
        Err(ActError::Repeated(first)) => Ok(Some(*first)),
        Err(error) => Err(refuse::act(error)),
    }
}

/// The same for a task that is known. A repeat under its key is answered as the first time, whose ever the task is now.
pub(super) async fn on_task(
    hub: &HubRef,
    who: &Principal,
    task: &Task,
    command: &TaskCommand,
    key: Option<&IdempotencyKey>,
) -> Result<()> {
    let Some(deed) = Deed::of_task(command) else { return Ok(()) };
    match person(hub, who, deed, Whose::of_task(task)).await {
        Err(no) if used(hub, key, refuse::read).await?.is_some_and(|first| first.is_ok()) => {
            tracing::debug!(principal = %who.id, "a repeat is answered, and nothing is done: {no}");
            Ok(())
        }
        passed => passed,
    }
}

/// The same for something in a session that is known by its id; one that is not there is for the order to find.
pub(super) async fn in_session(hub: &HubRef, who: &Principal, session: &SessionId, deed: Deed) -> Result<()> {
    if !is_narrowed(hub, who) {
        return Ok(());
    }
    let wanted = session.clone();
    let found = hub.journal.read(move |reader| reader.session(&wanted)).await.map_err(|error| refuse::read(&error))?;
    match found {
        Some(session) => person(hub, who, deed, Whose::Agent { agent: session.agent, role: None }).await,
        None => Ok(()),
    }
}

/// Whom a person may hand work to, and whoever gets it may hand it on to. Fails when the hub cannot say who is there.
pub(super) async fn assignable(hub: &HubRef, who: &Principal) -> Result<RightsSet> {
    let settings = hub.settings();
    let Some((_, person)) = settings.people.by_principal(&who.id) else { return Ok(RightsSet::All) };
    let roster = hub.dispatcher.roster().await.map_err(refuse::fault)?;
    Ok(person.rights().assignable(&roster))
}

fn not_permitted(who: &Principal, denied: &Denied) -> Refusal {
    Refusal::new("NOT_PERMITTED", format!("{} {denied}", who.display_name))
        .detail("right", denied.key)
        .detail("agent", denied.whose.clone())
}

/// With the role that the agent is registered in, where the thing itself does not say one.
async fn with_role(hub: &HubRef, whose: Whose) -> Result<Whose> {
    let Whose::Agent { agent, role: None } = whose else { return Ok(whose) };
    let role = match hub.agent(&agent).await.map_err(refuse::fault)? {
        Some(line) => line.show().await.map_err(refuse::fault)?.agent.registration.map(|known| known.role),
        None => None,
    };
    Ok(Whose::Agent { agent, role })
}
