//! The forge as a destination of the outbox: what is asked of it goes out here, and what came of it is written down
//! before the delivery is done.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use super::error::ForgeError;
use super::handle::Forge;
use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::actors::outbox::{Destination, HubSlot};
use crate::actors::session::{SessionError, SessionOrder};
use crate::domain::ids::{PrincipalId, PullId, SessionId};
use crate::domain::outbox::{Delivery, NewDelivery, SendOutcome};
use crate::domain::principal::{By, Surface};
use crate::domain::pull::{
    MergeMethod, PullChange, PullCommand, PullDeed, PullOutcome, PullRecord, PullRequest, PullSpec,
};
use crate::domain::session::SessionCommand;
use crate::domain::task::Origin;
use crate::journal::{Append, Record, Stream};

/// The name under which the outbox knows it.
const NAME: &str = "forge";
/// For how long one thing is tried.
const TRIED_FOR: Duration = Duration::from_hours(24);

/// The destination.
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

/// What is asked of the forge.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ask {
    /// Open it.
    Open(Box<PullSpec>),
    /// Change it.
    Change(Box<PullChange>),
    /// Merge it.
    Merge(MergeMethod, String),
    /// Look at it: news of it came while the forge could not be asked.
    Look,
}

impl ForgeDestination {
    /// Of this forge.
    #[must_use]
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
                    (failed, SendOutcome::Refused { reason })
                }
            },
        };
        let Some(command) = command else { return sent };
        match order(hub, &body, command).await {
            Ok(()) => {
                tells(None);
                sent
            }
            // Asked again under the same mark, the forge answers the same.
            Err(SessionError::Refused(refusal)) => SendOutcome::Refused { reason: refusal.to_string() },
            Err(error) => SendOutcome::Retry { error: error.to_string(), after: None },
        }
    }

    /// What the session is to write down, and what the forge calls it.
    async fn asked(&self, hub: &HubRef, body: &Body) -> Result<(Option<PullCommand>, Option<String>), ForgeError> {
        let port = self.forge.adapter(&hub.settings().hub.forge, hub.clock.clone())?;
        match &body.ask {
            Ask::Open(spec) => {
                let opened = port.open(&body.id, spec).await?;
                let receipt = opened.url.clone();
                let created = PullOutcome::Created { number: opened.number, url: opened.url, base: opened.base };
                Ok((Some(body.settled(created)), receipt))
            }
            Ask::Change(change) => {
                let seen = port.change(&pull(hub, body).await?, change).await?;
                Ok((Some(body.settled(PullOutcome::Done(seen))), None))
            }
            Ask::Merge(method, commit) => {
                let seen = port.merge(&pull(hub, body).await?, *method, commit).await?;
                Ok((Some(body.settled(PullOutcome::Done(seen))), Some(commit.clone())))
            }
            Ask::Look => {
                let known = pull(hub, body).await?;
                if !known.outdated {
                    return Ok((None, Some("it was looked at meanwhile".to_owned())));
                }
                let seen = port.look(&known).await?.seen;
                Ok((Some(PullCommand::See { id: body.id.clone(), seen }), None))
            }
        }
    }
}

impl Body {
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
            Self::Merge(..) => Some(PullDeed::Merge),
            Self::Look => None,
        }
    }
}

/// The pull request as its session knows it.
async fn pull(hub: &HubRef, body: &Body) -> Result<PullRequest, ForgeError> {
    let busy = |fault: Fault| ForgeError::Unreachable(fault.to_string());
    let line = hub.supervisor.session(&body.session).await.map_err(busy)?;
    let gone = || ForgeError::Refused("its session is not there".to_owned());
    let (session, _) = line.ok_or_else(gone)?.show().await.map_err(busy)?;
    session.pulls.into_iter().find(|pull| pull.id == body.id).ok_or_else(gone)
}

/// What came of it is known to its session.
async fn order(hub: &HubRef, body: &Body, command: PullCommand) -> Result<(), SessionError> {
    let unavailable = |why: &str| SessionError::Fault(Fault::Unavailable(why.to_owned()));
    let line = hub.supervisor.session(&body.session).await?;
    let line = line.ok_or_else(|| unavailable("its session is not there"))?;
    let principal = PrincipalId::parse("hub").map_err(|error| unavailable(&error.to_string()))?;
    let order = SessionOrder {
        command: SessionCommand::Pull(command),
        by: By { principal, surface: Surface::Hub },
        who: Origin::hub(),
        request: None,
        blobs: Vec::new(),
        key: None,
    };
    line.order(order).await.map(drop)
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
                PullRecord::MergeRequested { method, commit, .. } => {
                    (Ask::Merge(*method, commit.clone()), format!("merge pull request {}", record.id()))
                }
                PullRecord::Outdated { id } => (Ask::Look, format!("look at pull request {id}")),
                PullRecord::Created { .. }
                | PullRecord::Failed { .. }
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

    fn give_up_after(&self) -> Option<Duration> {
        Some(TRIED_FOR)
    }

    fn send<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, SendOutcome> {
        self.carry_out(delivery).boxed()
    }
}
