//! The path of a call: whose agent, is it alive, do the arguments fit, do it, and what is there to hear.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;
use tracing::Instrument as _;

use super::arguments::normalise;
use super::caller::Caller;
use super::common::Common;
use super::denied;
use super::follow::{follow, followed};
use super::is_left_out;
use super::key::digest;
use super::on_call;
use super::prelude::*;
use super::reply::{FORM, NUDGE, Reply};
use super::run::{Ran, Running};
use super::table::{ToolEntry, find, table};
use super::verb::Calling;
use crate::actors::agent::{AgentRef, AnswerGuard, CallId, Called};
use crate::domain::agent::AgentRefusal;
use crate::domain::text::Sanitized;
use crate::journal::IdempotencyKey;

/// Carries out one call. Dropping the future ends a wait, and takes back what it was about to hand over.
pub async fn call(hub: &HubRef, caller: &Caller, name: &str, arguments: Value) -> Result<Reply> {
    let entry = find(name).ok_or_else(|| refuse::unknown_tool(name, table().iter().map(|entry| entry.name)))?;
    let call = async {
        let began = Instant::now();
        let mut outcome = called(hub, caller, entry, arguments).await;
        // Nearly no call goes on with a workflow: those that wait keep no room for it.
        if let Some(followed) = followed(hub, caller, entry.name) {
            let told = Box::pin(follow(hub, caller, entry.name, followed, &outcome)).await.map(Box::new);
            match &mut outcome {
                Ok(reply) => reply.workflow = told,
                Err(refusal) => refusal.workflow = told,
            }
        }
        log(caller, entry.name, outcome.as_ref().err(), began);
        outcome
    };
    call.instrument(caller.span(entry.name)).await
}

async fn called(hub: &HubRef, caller: &Caller, entry: &'static ToolEntry, arguments: Value) -> Result<Reply> {
    let name = entry.name;
    let id = hub.next_call();
    let (line, running) = {
        let agent = whose(hub, caller, entry.whom).await;
        let agent =
            agent.map_err(|no| denied::told(hub, caller, name, without_session(entry, caller, &arguments, no)))?;
        if let Some(agent) = &agent {
            on_call::begins(hub, caller, agent).await?;
        }
        (agent.as_ref().map(|agent| agent.line.clone()), begin(hub, caller, id, entry, agent, arguments))
    };
    let outcome = match running {
        Ok(running) => running.await,
        Err(refusal) => Err(refusal),
    };
    let (mut outcome, mut own, mut answers, mut guard) = (outcome, Vec::new(), None, None);
    if let Ok(ran) = &mut outcome {
        (own, answers, guard) = (std::mem::take(&mut ran.notices), ran.answers.take(), ran.guard.take());
    }
    // Nobody reads what is said to a client alone: an offer goes back, and notices stay unheard.
    let form = |ran: &Ran| ran.fields.get(FORM).is_some_and(|form| form == NUDGE);
    let to_client = entry.to_client || outcome.as_ref().is_ok_and(form);
    if to_client {
        (own, guard) = (Vec::new(), None);
    }
    let offered = guard.as_ref().is_some_and(AnswerGuard::has_offer);
    let (notices, guard) = match guard.or_else(|| line.filter(|_| !to_client).map(|line| AnswerGuard::new(line, id))) {
        Some(mut guard) => {
            let notices = merge(own, guard.collect(answers).await);
            guard.carries(notices.iter().map(|notice| notice.id.clone()));
            (notices, guard.whole().map(Arc::new))
        }
        None => (own, None),
    };
    match outcome {
        Ok(mut ran) => {
            ran.fit(entry.rest, &notices);
            Ok(Reply {
                message: ran.message,
                prompt: ran.prompt,
                fields: ran.fields,
                notices,
                // A task is more than its text: answers, results of what it waited for, and whatever its asker added.
                tells: entry.tells || offered,
                words: ran.words,
                guard,
                workflow: None,
            }
            .in_its_form())
        }
        Err(refusal) => {
            let refusal = denied::told(hub, caller, name, refusal);
            Err(Refusal { notices: notices.into(), guard, ..refusal })
        }
    }
}

/// One line of each call, for who looks for what became of it.
fn log(caller: &Caller, name: &str, refused: Option<&Refusal>, began: Instant) {
    let (who, code) = (&caller.principal.id, refused.map_or("OK", |refusal| refusal.code));
    let duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(principal = %who, code, duration_ms, "`{name}` of `{who}` was answered: {code}");
}

/// Prepares a read-only call, if the resource is for `caller`; else fails as [`call`] does.
pub(super) async fn looks(hub: &HubRef, caller: &Caller, whom: For) -> Result<Call> {
    let agent = whose(hub, caller, whom).await?;
    let session = session(caller, agent.as_ref(), &Common::default())?;
    let (id, settings) = (hub.next_call(), hub.settings());
    let (hub, caller, agent) = (hub.clone(), Box::new(caller.clone()), agent.map(Box::new));
    Ok(Call { id, hub, caller, settings, agent, key: None, session, sanitized: None })
}

/// The agent that calls: alive from now on, and stopped here when it may not go on.
async fn whose(hub: &HubRef, caller: &Caller, whom: For) -> Result<Option<Calling>> {
    let Some(id) = caller.principal.agent() else {
        return match whom {
            For::Anybody(scope) | For::People(scope) if caller.principal.may(scope) => Ok(None),
            For::Anybody(scope) | For::People(scope) => Err(refuse::scope(caller, scope)),
            For::Newcomers | For::Waiters | For::Agents => Err(refuse::not_an_agent(caller)),
        };
    };
    if let For::People(scope) = whom {
        return Err(refuse::scope(caller, scope));
    }
    if !caller.principal.may(Scope::Agent) {
        return Err(refuse::scope(caller, Scope::Agent));
    }
    let line = match whom {
        For::Newcomers => hub.dispatcher.hire(id).await.map_err(refuse::fault)?.map(|known| known.agent),
        For::Waiters | For::Agents | For::Anybody(_) | For::People(_) => hub.agent(id).await.map_err(refuse::fault)?,
    };
    let line = line.ok_or_else(|| not_registered(id))?;
    let called = match (line.called(caller.instance.clone()).await, whom) {
        (Ok(called), _) => called,
        // Whoever registers speaks for the agent from then on, whatever was before.
        (Err(error), For::Newcomers) => newcomer(&line, error).await?,
        (Err(error), For::Waiters | For::Agents | For::Anybody(_) | For::People(_)) => {
            return Err(refuse::agent(id, error));
        }
    };
    match (whom, &called.evicted) {
        (For::Newcomers | For::Waiters, Some(_)) | (For::Newcomers, None) => {}
        (For::Waiters | For::Agents | For::Anybody(_) | For::People(_), None) if called.registration.is_some() => {}
        (For::Waiters | For::Agents | For::Anybody(_) | For::People(_), None) => return Err(not_registered(id)),
        (For::Agents | For::Anybody(_) | For::People(_), Some(eviction)) => return Err(refuse::evicted(id, eviction)),
    }
    Ok(Some(Calling { id: id.clone(), line, called }))
}

/// Of an agent that never registered a verb of its session asks for that session; another's is not there for it.
fn without_session(entry: &ToolEntry, caller: &Caller, arguments: &Value, no: Refusal) -> Refusal {
    if !entry.in_session || no.code != "NOT_REGISTERED" {
        return no;
    }
    let names_one =
        ["session_id", "sessionId"].iter().any(|name| arguments.get(name).is_some_and(|id| !is_left_out(id)));
    if names_one || caller.session.is_some() { refuse::session() } else { refuse::session_required() }
}

async fn newcomer(line: &AgentRef, error: crate::actors::agent::AgentError) -> Result<Called> {
    use crate::actors::agent::AgentError;
    match error {
        AgentError::Refused(_) | AgentError::Repeated(_) | AgentError::KeyReused => {
            let standing = line.show().await.map_err(refuse::fault)?;
            let (registration, evicted) = (standing.agent.registration, standing.agent.eviction);
            Ok(Called { registration, held: standing.held, evicted, wait_limit: None })
        }
        AgentError::Fault(fault) => Err(refuse::fault(fault)),
    }
}

/// Looks at the arguments, and gives them to the verb. Not async, so that none of this is kept while the verb waits.
fn begin(
    hub: &HubRef,
    caller: &Caller,
    id: CallId,
    entry: &'static ToolEntry,
    agent: Option<Calling>,
    arguments: Value,
) -> Result<Running> {
    let fitting = normalise(&entry.input_schema, without_key(entry, arguments))
        .map_err(|misfit| refuse::misfit(entry.name, &entry.input_schema, &misfit))?;
    let (common, own) = split(entry, fitting)?;
    check_identity(entry, caller, agent.as_ref(), &common, &own)?;
    on_call::names_its_own(&caller.principal, &own)?;
    let key = key(entry, caller, &common, &own)?;
    let session = session(caller, agent.as_ref(), &common)?;
    let call = Call {
        id,
        hub: hub.clone(),
        caller: Box::new(caller.clone()),
        settings: hub.settings(),
        agent: agent.map(Box::new),
        key,
        session,
        sanitized: Sanitized::of_value(&own).map(Box::new),
    };
    (entry.run)(call, own)
}

/// A verb whose repeat is answered anew has no use for the key that some clients add to every call.
fn without_key(entry: &ToolEntry, mut arguments: Value) -> Value {
    if let Some(fields) = arguments.as_object_mut().filter(|_| !entry.mutating) {
        fields.retain(|name, _| !matches!(name.as_str(), Common::KEY | "idempotency_key"));
    }
    arguments
}

/// The common arguments, and the verb's own. A field that the verb has itself is the verb's.
fn split(entry: &ToolEntry, arguments: Value) -> Result<(Common, Value)> {
    let Value::Object(mut own) = arguments else { return Ok((Common::default(), arguments)) };
    let mut common = Map::new();
    for name in Common::FIELDS {
        if !entry.own_fields.contains(&name)
            && let Some(value) = own.remove(name)
        {
            common.insert(name.to_owned(), value);
        }
    }
    let common = serde_json::from_value(Value::Object(common));
    let common = common.map_err(|error| refuse::unreadable(entry.name, &error.to_string()))?;
    Ok((common, Value::Object(own)))
}

/// Identity comes from the credential: what the arguments say of it must agree.
fn check_identity(
    entry: &ToolEntry,
    caller: &Caller,
    agent: Option<&Calling>,
    common: &Common,
    own: &Value,
) -> Result<()> {
    let claimed = match entry.whom {
        // Here the field is the verb's own, and still means the caller.
        For::Newcomers => own.get("agentId").and_then(Value::as_str),
        For::Waiters | For::Agents | For::Anybody(_) | For::People(_) => common.agent_id.as_deref(),
    };
    if let Some(claimed) = claimed
        && agent.map(|agent| agent.id.as_str()) != Some(claimed)
    {
        return Err(refuse::identity(caller));
    }
    Ok(())
}

/// The session that is meant: by argument, by header, else the agent's own. Only who may operate names another's.
fn session(caller: &Caller, agent: Option<&Calling>, common: &Common) -> Result<Option<SessionId>> {
    let ours = agent.and_then(Calling::session);
    let argued = common.session_id.as_deref().map(SessionId::parse).transpose().map_err(|_| refuse::session())?;
    let named = argued.as_ref().into_iter().chain(caller.session.as_ref());
    let any = agent.is_none() && caller.principal.may(Scope::Operate);
    if !any && named.into_iter().any(|named| Some(named) != ours) {
        return Err(refuse::session());
    }
    Ok(argued.or_else(|| caller.session.clone()).or_else(|| ours.cloned()))
}

/// The caller's key, with a digest of what is asked: the same key for another request is refused.
fn key(entry: &ToolEntry, caller: &Caller, common: &Common, own: &Value) -> Result<Option<IdempotencyKey>> {
    let Some(key) = &common.idempotency_key else { return Ok(None) };
    if key.is_empty() || key.len() > Common::KEY_LIMIT {
        return Err(refuse::bad_key());
    }
    let mut asked = canonical(own);
    if let Value::Object(fields) = &mut asked {
        fields.retain(|name, _| !entry.beside.contains(&name.as_str()));
    }
    let digest = digest([entry.name.as_bytes(), asked.to_string().as_bytes()]);
    Ok(Some(IdempotencyKey { principal: caller.principal.id.clone(), key: key.clone(), digest }))
}

/// The same value with its fields in order, whatever order they came in.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let sorted: BTreeMap<&String, Value> =
                object.iter().map(|(name, value)| (name, canonical(value))).collect();
            Value::Object(sorted.into_iter().map(|(name, value)| (name.clone(), value)).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// A verb's own notices first; none twice.
fn merge(own: Vec<Notice>, collected: Vec<Notice>) -> Vec<Notice> {
    let mut notices = own;
    for notice in collected {
        if !notices.iter().any(|known| known.id == notice.id) {
            notices.push(notice);
        }
    }
    notices
}

fn not_registered(id: &AgentId) -> Refusal {
    refuse::agent(id, AgentRefusal::NotRegistered { agent: id.to_string() }.into())
}
