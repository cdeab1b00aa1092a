//! The forge as a destination of the outbox: what came of a request is written down before the delivery is done.
//!
//! *What is not sent any more* (the outbox gave up, or a person dropped it) is owed to the pull request, too: a row in
//! the append of that end lets go of it, so that no crash leaves it waiting for nothing.
//!
//! *Dead letters* are for what people can do something about. What the forge refuses for what was asked is told to the
//! agent in the same call, and put away. Older dead letters are put away when a later attempt succeeds.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::error::{ForgeError, ForgeResult};
use super::handle::Forge;
use super::judge::judge_pull;
use super::port::{MergeOrder, Opened, Port};
use crate::actors::HubRef;
use crate::actors::agent::PostRequest;
use crate::actors::common::Fault;
use crate::actors::outbox::{Destination, HubSlot, OrderRequest, OutboxOrder};
use crate::actors::session::{SessionError, SessionOrder};
use crate::domain::agent::{Notice, NoticeKind};
use crate::domain::ids::{AgentId, PrincipalId, PullId, SessionId};
use crate::domain::outbox::{Delivery, DeliveryState, DeliveryStateName, NewDelivery, SendOutcome};
use crate::domain::principal::{By, Surface};
use crate::domain::pull::{
    Branch, Judged, MergeMethod, MergeSent, Missing, PullChange, PullCommand, PullDeed, PullOutcome, PullRecord,
    PullRequest, PullSpec, PullState, quiet_title,
};
use crate::domain::session::SessionCommand;
use crate::domain::task::Origin;
use crate::domain::time::Timestamp;
use crate::journal::{Append, DeliveryFilter, Page, Record, Stream};
use crate::settings::ForgeKind;

/// The name under which the outbox knows it.
const NAME: &str = "forge";
/// For how long one thing is tried.
const TRIED_FOR: Duration = Duration::from_hours(24);
/// For how long an agent waits for what it asked for.
pub const AGENT_WAITS: Duration = Duration::from_secs(8);
/// Who drops what nobody needs any more.
const HUB: &str = "hub";

#[derive(Debug, Clone)]
pub struct ForgeDestination {
    forge: Forge,
    hub: HubSlot,
}

/// What a row holds.
#[derive(Debug, Serialize, Deserialize)]
struct Body {
    session: SessionId,
    id: PullId,
    ask: Ask,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    Open(Box<PullSpec>),
    Change(Box<PullChange>),
    /// Merge it; as an older hub wrote it, that did not say into what.
    Merge(MergeMethod, String),
    MergeInto {
        method: MergeMethod,
        commit: String,
        base: Option<Branch>,
    },
    /// Look at it: news of it came while the forge could not be asked.
    Look,
    /// Nothing: this was asked then, and is not sent any more.
    LetGo(PullDeed, Timestamp, String),
}

impl ForgeDestination {
    pub fn new(forge: Forge) -> Self {
        Self { forge, hub: HubSlot::default() }
    }

    /// Asks for this hub from now on. Rows from before wait for it.
    pub fn begin(&self, hub: &HubRef) {
        self.hub.begin(hub);
    }

    async fn carry_out(&self, delivery: &Delivery) -> SendOutcome {
        let (hub, body) = match self.hub.open::<Body>(delivery) {
            Ok(opened) => opened,
            Err(outcome) => return outcome,
        };
        let deed = body.ask.deed();
        // Whoever waits for what was asked of it hears how that goes; nobody waits for a look.
        let tells = |trouble: Option<String>| {
            if deed.is_some() {
                self.forge.tells(&body.id, trouble);
            }
        };
        let (command, sent) = match self.asked(hub, &body).await {
            Ok((command, receipt)) => (command, SendOutcome::Delivered { receipt }),
            Err(error) => match error.passes() {
                Some(after) => {
                    tells(Some(error.to_string()));
                    return SendOutcome::Retry { error: error.to_string(), after };
                }
                None => {
                    let reason = error.to_string();
                    let failed = deed.map(|deed| body.settled(PullOutcome::Failed { deed, reason: reason.clone() }));
                    let is_heard = deed.is_some() && hub.clock.now().since(delivery.created_at) < AGENT_WAITS;
                    let by = hub_itself().ok().filter(|_| is_heard && !error.is_for_people());
                    let told = |by| SendOutcome::Unwanted { by, reason: format!("its agent was told: {reason}") };
                    (failed, by.map_or_else(|| SendOutcome::Refused { reason: reason.clone() }, told))
                }
            },
        };
        let Some(command) = command else { return sent };
        let is_done =
            matches!(command, PullCommand::Settle { outcome: PullOutcome::Created { .. } | PullOutcome::Done(_), .. });
        match order_session(hub, &body, command).await {
            Ok(()) => {
                tells(None);
                if is_done {
                    put_away(hub, delivery, &body).await;
                }
                sent
            }
            // Asked again under the same mark, the forge answers the same.
            Err(SessionError::Refused(refusal)) => SendOutcome::Refused { reason: refusal.to_string() },
            Err(error) => SendOutcome::Retry { error: error.to_string(), after: None },
        }
    }

    /// What the session is to write down, and what the forge calls it.
    async fn asked(&self, hub: &HubRef, body: &Body) -> ForgeResult<(Option<PullCommand>, Option<String>)> {
        if let Ask::LetGo(deed, since, reason) = &body.ask {
            let (deed, since, reason) = (*deed, *since, reason.clone());
            // What was answered meanwhile has told its agent by its answer.
            if let Ok((agent, known)) = pull(hub, body).await
                && known.waits_for(deed, since)
            {
                let (id, again) = (&body.id, deed.asked_by());
                let text = format!(
                    "Pull request {id}: what you asked for with {again} is not sent to the forge any more, and nothing \
                     of it was done: {reason}. Call {again} again if it is still wanted."
                );
                tell(hub, &agent, body, text).await;
            }
            return Ok((Some(body.settled(PullOutcome::Dropped { deed, since, reason })), None));
        }
        let set = hub.settings().hub.forge.clone();
        let port = self.forge.adapter(&set, hub.clock.clone())?;
        // No forge reads the titles of plain git.
        let quiet = |title: &str| if set.kind == ForgeKind::Git { title.to_owned() } else { quiet_title(title) };
        match &body.ask {
            Ask::Open(spec) => {
                let spec = PullSpec { title: quiet(&spec.title), ..(**spec).clone() };
                let opened = port.open(&body.id, &spec).await?;
                let receipt = opened.url.clone();
                let Opened { number, url, base, commit, adopted, place } = opened;
                let created = PullOutcome::Created { number, url, base, commit, adopted, place };
                Ok((Some(body.settled(created)), receipt))
            }
            Ask::Change(change) => {
                let change = PullChange { title: change.title.as_deref().map(quiet), ..(**change).clone() };
                let seen = port.change(&pull(hub, body).await?.1, &change).await?;
                Ok((Some(body.settled(PullOutcome::Done(seen))), None))
            }
            Ask::Merge(method, commit) => merged(hub, &*port, body, *method, commit, None).await,
            Ask::MergeInto { method, commit, base } => merged(hub, &*port, body, *method, commit, base.as_ref()).await,
            Ask::Look => {
                let known = pull(hub, body).await?.1;
                if !known.outdated {
                    return Ok((None, Some("it was looked at meanwhile".to_owned())));
                }
                let seen = port.look(&known).await?.seen;
                Ok((Some(PullCommand::See { id: body.id.clone(), seen }), None))
            }
            // Above, since no forge is asked.
            Ask::LetGo(..) => Ok((None, None)),
        }
    }
}

impl Body {
    /// Whether nobody needs this any more once that one succeeded.
    fn is_idle_after(&self, later: &Self) -> bool {
        let same = match (&self.ask, &later.ask) {
            (Ask::Open(one), Ask::Open(other)) => (&one.repository, &one.head) == (&other.repository, &other.head),
            _ => false,
        };
        self.session == later.session && (self.id == later.id || same)
    }

    fn settled(&self, outcome: PullOutcome) -> PullCommand {
        PullCommand::Settle { id: self.id.clone(), outcome }
    }
}

impl Ask {
    /// What it changes there; a look changes nothing.
    const fn deed(&self) -> Option<PullDeed> {
        match self {
            Self::Open(_) => Some(PullDeed::Open),
            Self::Change(_) => Some(PullDeed::Change),
            Self::Merge(..) | Self::MergeInto { .. } => Some(PullDeed::Merge),
            Self::Look | Self::LetGo(..) => None,
        }
    }
}

/// Merges it, if it may be merged now: it may have waited for a day. What it stands on is written down first.
async fn merged(
    hub: &HubRef,
    port: &dyn Port,
    body: &Body,
    method: MergeMethod,
    commit: &str,
    base: Option<&Branch>,
) -> ForgeResult<(Option<PullCommand>, Option<String>)> {
    let (agent, known) = pull(hub, body).await?;
    let look = port.look_to_merge(&known).await?;
    if look.seen.state != PullState::Open {
        return Ok((Some(body.settled(PullOutcome::Done(look.seen))), None));
    }
    let base = base.or(look.seen.base.as_ref()).cloned();
    let base = base.ok_or_else(|| ForgeError::Unreadable("it does not say what it leads into".to_owned()))?;
    let mut order = MergeOrder { method, head: commit.to_owned(), base: base.clone(), fork: None };
    let [head, onto] = [look.seen.commit.clone(), look.seen.base.as_ref().map(ToString::to_string)];
    order.fits(&head.unwrap_or_default(), &onto.unwrap_or_default())?;
    let busy = |fault: Fault| ForgeError::Unreachable(fault.to_string());
    let (terms, Judged { approval, missing, .. }) = judge_pull(hub, port, &agent, &known, &look).await.map_err(busy)?;
    let passes = |missing: &Missing| matches!(missing, Missing::MergeableUnknown | Missing::ApprovalsUnknown(_));
    if !missing.is_empty() && missing.iter().all(passes) {
        let said: Vec<String> = missing.iter().map(ToString::to_string).collect();
        return Err(ForgeError::Unreachable(said.join("; ")));
    }
    if !missing.is_empty() {
        let missing = missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let reason = format!("it was not merged, as this changed since it was asked for: {missing}");
        tell(hub, &agent, body, format!("Pull request {}: {reason}. See get_pr_status.", body.id)).await;
        let failed = PullOutcome::Failed { deed: PullDeed::Merge, reason: reason.clone() };
        return Ok((Some(body.settled(failed)), Some(reason)));
    }
    order.fork = approval.as_ref().and_then(|approval| approval.fork.clone());
    let sent = MergeSent { head: commit.to_owned(), base, required: terms.approval, stale: terms.stale, approval };
    let send = PullCommand::Send { id: body.id.clone(), sent: Box::new(sent) };
    order_session(hub, body, send).await.map_err(|error| {
        let why = error.to_string();
        if matches!(error, SessionError::Refused(_)) { ForgeError::Refused(why) } else { ForgeError::Unreachable(why) }
    })?;
    let seen = port.merge(&known, &order).await?;
    Ok((Some(body.settled(PullOutcome::Done(seen))), Some(commit.to_owned())))
}

/// The agent hears what became of it, though its call may be long over; once for each pull request and commit.
async fn tell(hub: &HubRef, agent: &AgentId, body: &Body, text: String) {
    let (Ok(Some(line)), Ok(principal)) = (hub.agent(agent).await, PrincipalId::parse("hub")) else { return };
    let notice = Notice::new(hub.ids.notice(), NoticeKind::Message, text, Origin::hub(), hub.clock.now());
    let by = By { principal, surface: Surface::Hub };
    if let Err(error) = line.post(PostRequest { notice, by, request: None, key: None }).await {
        tracing::warn!("`{agent}` does not hear that {} was not merged: {error}", body.id);
    }
}

/// Whose the pull request is, and how its session knows it.
async fn pull(hub: &HubRef, body: &Body) -> ForgeResult<(AgentId, PullRequest)> {
    let busy = |fault: Fault| ForgeError::Unreachable(fault.to_string());
    let line = hub.supervisor.session(&body.session).await.map_err(busy)?;
    let gone = || ForgeError::Refused("its session is not there".to_owned());
    let (session, _) = line.ok_or_else(gone)?.show().await.map_err(busy)?;
    let pull = session.pulls.into_iter().find(|pull| pull.id == body.id).ok_or_else(gone)?;
    Ok((session.agent, pull))
}

/// What came of it is known to its session.
async fn order_session(hub: &HubRef, body: &Body, command: PullCommand) -> Result<(), SessionError> {
    let unavailable = |why: &str| SessionError::Fault(Fault::Unavailable(why.to_owned()));
    let line = hub.supervisor.session(&body.session).await?;
    let line = line.ok_or_else(|| unavailable("its session is not there"))?;
    let principal = hub_itself().map_err(|why| unavailable(&why))?;
    let by = By { principal, surface: Surface::Hub };
    let order = SessionOrder::new(SessionCommand::Pull(command), by, Origin::hub());
    line.order(order).await.map(drop)
}

fn hub_itself() -> Result<PrincipalId, String> {
    PrincipalId::parse(HUB).map_err(|error| error.to_string())
}

/// Older dead letters that this one makes idle are dropped: about the same pull request, or to open one of this branch.
async fn put_away(hub: &HubRef, delivery: &Delivery, body: &Body) {
    let (states, destination) = (vec![DeliveryStateName::DeadLetter], Some(NAME.to_owned()));
    let filter = DeliveryFilter { states, destination, lane: None };
    let dead = hub.journal.read(move |reader| Page::all(|page| reader.deliveries(&filter, page))).await;
    let (Ok(dead), Ok(principal)) = (dead, hub_itself()) else {
        // They stay, as they would after a crash here: the next success looks again.
        return;
    };
    let is_idle = |row: &&Delivery| {
        let of = serde_json::from_value::<Body>(row.body.clone());
        row.id < delivery.id && of.is_ok_and(|of| of.is_idle_after(body))
    };
    for row in dead.iter().filter(is_idle) {
        let by = By { principal: principal.clone(), surface: Surface::Hub };
        let order = OutboxOrder::Drop { reason: format!("a later attempt succeeded ({})", delivery.id) };
        // A person may have retried or dropped it meanwhile.
        drop(hub.outbox.order(OrderRequest { id: row.id, order, by, request: None, key: None }).await);
    }
}

/// What is owed to a pull request of which something is not sent any more. What the hub itself drops is settled before.
fn let_go(over: &Delivery) -> Option<NewDelivery> {
    let reason = match &over.state {
        DeliveryState::DeadLetter { reason, .. } => reason.clone(),
        DeliveryState::Dropped { by, reason, .. } if by.as_str() != HUB => {
            format!("{by} had it not sent to the forge: {reason}")
        }
        DeliveryState::Pending { .. }
        | DeliveryState::Sending { .. }
        | DeliveryState::Delivered { .. }
        | DeliveryState::Dropped { .. } => return None,
    };
    let body: Body = serde_json::from_value(over.body.clone()).ok()?;
    let deed = body.ask.deed()?;
    let (lane, summary) = (format!("let go of {}", body.id), format!("let go of pull request {}", body.id));
    let body = Body { ask: Ask::LetGo(deed, over.created_at, reason), ..body };
    Some(NewDelivery { destination: NAME.to_owned(), lane, summary, body: serde_json::to_value(body).ok()? })
}

impl Destination for ForgeDestination {
    fn name(&self) -> &str {
        NAME
    }

    fn wants(&self, append: &Append) -> Vec<NewDelivery> {
        let rows = append.entries.iter().filter_map(|entry| {
            let (Stream::Session(session), Record::Pull(record)) = (&entry.stream, &entry.record) else { return None };
            let (ask, summary) = match record {
                PullRecord::Requested { spec, .. } => {
                    (Ask::Open(spec.clone()), format!("open a pull request in {}", spec.repository))
                }
                PullRecord::ChangeRequested { change, .. } => {
                    (Ask::Change(change.clone()), format!("change pull request {}", record.id()))
                }
                PullRecord::MergeRequested { method, commit, base, .. } => {
                    let ask = Ask::MergeInto { method: *method, commit: commit.clone(), base: base.clone() };
                    (ask, format!("merge pull request {}", record.id()))
                }
                PullRecord::Outdated { id } => (Ask::Look, format!("look at pull request {id}")),
                PullRecord::Created { .. }
                | PullRecord::Failed { .. }
                | PullRecord::MergeSent { .. }
                | PullRecord::Updated { .. }
                | PullRecord::Merged { .. }
                | PullRecord::Closed { .. } => return None,
            };
            let id = record.id().clone();
            // What an agent asks for does not wait for a look.
            let lane = if ask.deed().is_some() { id.to_string() } else { format!("look at {id}") };
            let body = serde_json::to_value(Body { session: session.clone(), id, ask }).ok()?;
            Some(NewDelivery { destination: NAME.to_owned(), lane, summary, body })
        });
        rows.collect()
    }

    fn owed(&self, over: &Delivery) -> Option<NewDelivery> {
        let_go(over)
    }

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.carry_out(delivery).boxed()
    }
}

#[cfg(test)]
mod tests;
