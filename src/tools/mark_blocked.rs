//! `mark_blocked`: an agent cannot go on unless somebody acts.

use super::order;
use super::prelude::*;
use super::session::{Standing, standing, standing_of};
use crate::actors::on_call::UNKNOWN_LIMIT;
use crate::domain::task::Limited;
use crate::domain::time::Timestamp;

/// The most blockers that are named.
const BLOCKERS: usize = 20;

/// The reason of a run on call whose account has spent what it may for now.
const LIMITED: &str = "limited";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkBlocked {
    /// What you need, and from whom. On call, `limited` when your account is at its limit.
    reason: String,
    /// What is in the way, one by one.
    #[serde(default)]
    blockers: Vec<String>,
    /// With the reason `limited`: when the limit ends, RFC 3339.
    #[serde(default)]
    until: Option<String>,
}

impl Verb for MarkBlocked {
    const NAME: &'static str = "mark_blocked";
    const TITLE: &'static str = "Say that you cannot go on";
    const DESCRIPTION: &'static str = "\
        Say that you cannot go on and why. Your task becomes BLOCKED and whoever asked for it hears the reason; with \
        their answer it comes back to you. When one question to a person would do, call request_input instead.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Standing;

    async fn run(call: Call, input: Self) -> Result<Answer<Standing>> {
        let reason = words(Self::NAME, "reason", &input.reason, LINE_LIMIT)?;
        if input.blockers.len() > BLOCKERS {
            let what = format!("has {} entries; {BLOCKERS} is the most", input.blockers.len());
            return Err(refuse::bad_argument(Self::NAME, "blockers", what));
        }
        if let Some(limit) = limit(&call, &reason, input.until.as_deref())? {
            return limited(call, limit).await;
        }
        let blockers = input.blockers.iter().map(|blocker| words(Self::NAME, "blockers", blocker, LINE_LIMIT));
        let blockers = blockers.collect::<Result<Vec<_>, _>>()?;
        let receipt = call.order_session(SessionCommand::Block { reason, blockers }).await?;
        let fields = standing(&receipt);
        Ok(Answer::new("You are blocked, and people can see why.", fields).prompt(crate::domain::reminder::next_task()))
    }
}

/// The limit that is meant; none where something else is in the way.
fn limit(call: &Call, reason: &str, until: Option<&str>) -> Result<Option<Limited>> {
    let bad = |what: &str| refuse::bad_argument(MarkBlocked::NAME, "until", what);
    let on_call = call.caller.principal.run().is_some();
    if reason != LIMITED || !on_call {
        let why = if on_call { "goes with the reason `limited` only" } else { "is for agents on call only" };
        return until.map_or(Ok(None), |_| Err(bad(why)));
    }
    let now = call.hub.clock.now();
    let Some(until) = until else { return Ok(Some(Limited { until: Some(now + UNKNOWN_LIMIT), account: None })) };
    let until = Timestamp::parse(until.trim());
    let until = until.ok_or_else(|| bad("is no moment; write it as 2027-01-31T09:00:00Z, or leave it out"))?;
    if until <= now {
        return Err(bad("is over; leave it out where the end of the limit is not known"));
    }
    if until.since(now) > Limited::LONGEST {
        return Err(bad("is more than 32 days ahead; leave it out where the end of the limit is not known"));
    }
    Ok(Some(Limited { until: Some(until), account: None }))
}

/// The run ends, and its account takes no work until the limit is over.
async fn limited(call: Call, limit: Limited) -> Result<Answer<Standing>> {
    let Some((run, task)) = call.caller.principal.run().map(|(run, task)| (run.clone(), task.clone())) else {
        return Err(refuse::session());
    };
    let account = call.agent.as_ref().and_then(|agent| call.hub.on_call.account(&agent.id));
    let limited = Limited { account, ..limit };
    let command = TaskCommand::LimitRun { run, limited: limited.clone() };
    let act = call.act(command, Vec::new());
    order::tell(&call, &task, act).await?.ok_or_else(|| refuse::no_such_task(task.as_str()))?;
    let (session, _) = call.session_line().await?.show().await.map_err(refuse::fault)?;
    let said = "Your task goes back to its queue, and your account takes no work until the limit is over.";
    Ok(Answer::new(said, standing_of(&session)).prompt("End your turn now."))
}
