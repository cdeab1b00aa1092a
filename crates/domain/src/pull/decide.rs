//! What a command to the pull requests of a session means; changes nothing.

use thiserror::Error;

use super::names::{Branch, Repository};
use super::record::{Adoption, MergeMethod, MergeSent, PullChange, PullDeed, PullRecord};
use super::spec::{PullSpec, PullState};
use super::state::PullRequest;
use crate::ids::{PullId, TaskId};
use crate::names::codes;
use crate::text::shorten;
use crate::time::Timestamp;

/// How many may be open in one session.
const LIVE: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullCommand {
    Open {
        /// Its name, if it is a new one.
        id: PullId,
        spec: Box<PullSpec>,
    },
    /// The agent wants something of one that stands there.
    Ask { id: PullId, ask: PullAsk },
    /// A merge that was asked for was judged again, and is sent now.
    Send { id: PullId, sent: Box<MergeSent> },
    /// This came of what was asked of the forge.
    Settle { id: PullId, outcome: PullOutcome },
    /// It was looked at on the forge.
    See { id: PullId, seen: PullSeen },
    /// News of it came, and the forge cannot be asked now.
    Outdate { id: PullId },
}

/// What may be asked of one that stands on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullAsk {
    Change(PullChange),
    /// To merge it, in this way, if it ends in this commit and leads into this base.
    Merge(MergeMethod, String, Option<Branch>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PullOutcome {
    Created {
        number: Option<u64>,
        url: Option<String>,
        base: Branch,
        /// Whose it was, where somebody had opened it before.
        adopted: Option<Adoption>,
        commit: Option<String>,
        /// Which folder of this disk its repository is.
        place: Option<String>,
    },
    /// The forge did it, and shows it so now.
    Done(PullSeen),
    /// It never will.
    Failed { deed: PullDeed, reason: String },
    /// It is not asked any more: the outbox gave up, or a person had it not sent.
    Dropped {
        deed: PullDeed,
        /// When it was asked. What was asked later goes on.
        since: Timestamp,
        reason: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullSeen {
    pub title: String,
    pub draft: bool,
    pub state: PullState,
    /// What it is to be merged into, where the forge says so.
    pub base: Option<Branch>,
    /// The commit that it ends in, where the forge says so.
    pub commit: Option<String>,
    /// Which folder of this disk its repository is; none on a forge.
    pub place: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PullRefusal {
    #[error("pull request `{given}` does not exist, or is not of this session")]
    NotFound { given: String },
    #[error("this session has {LIVE} open pull requests, and no more than that at once")]
    TooMany,
    #[error("pull request `{id}` is {state}")]
    NotOpen { id: PullId, state: PullState },
    #[error("the forge did not answer yet what it was asked of pull request `{id}` before")]
    Busy { id: PullId },
    /// Nobody asked for the merge that is to be sent, or it stands on no living approval of this commit and base (F1).
    #[error("pull request `{id}` may not be merged: no approval of this commit and this base is alive")]
    NotApproved { id: PullId },
    #[error("`{branch}` cannot be merged into itself: head and base of a pull request differ")]
    SameBranch { branch: Branch },
}

impl PullRefusal {
    pub fn not_found(given: &str) -> Self {
        Self::NotFound { given: shorten(given, 80) }
    }
}

codes!(PullRefusal {
    NotFound = "PR_NOT_FOUND", TooMany = "PR_LIMIT", NotOpen = "PR_NOT_OPEN", Busy = "PR_BUSY",
    NotApproved = "MERGE_BLOCKED", SameBranch = "INVALID_ARGUMENTS",
});

/// The record that a command comes to, none where it is so already, and which pull request it is about.
pub(crate) fn decide(
    pulls: &[PullRequest],
    task: Option<&TaskId>,
    command: &PullCommand,
) -> Result<(PullId, Option<PullRecord>), PullRefusal> {
    match command {
        PullCommand::Open { id, spec } => {
            if spec.base.as_ref() == Some(&spec.head) {
                return Err(PullRefusal::SameBranch { branch: spec.head.clone() });
            }
            if let Some(known) = live_of(pulls, &spec.repository, &spec.head) {
                return Ok((known.id.clone(), None));
            }
            if pulls.iter().filter(|pull| pull.is_live()).count() >= LIVE {
                return Err(PullRefusal::TooMany);
            }
            let record = PullRecord::Requested { id: id.clone(), task: task.cloned(), spec: spec.clone() };
            Ok((id.clone(), Some(record)))
        }
        PullCommand::Ask { id, ask } => Ok((id.clone(), Some(asked(known(pulls, id)?, ask)?))),
        PullCommand::Send { id, sent } => {
            let asked = known(pulls, id)?.pending == Some(PullDeed::Merge);
            if !asked || !sent.is_approved() {
                return Err(PullRefusal::NotApproved { id: id.clone() });
            }
            Ok((id.clone(), Some(PullRecord::MergeSent { id: id.clone(), sent: sent.clone() })))
        }
        PullCommand::Settle { id, outcome } => {
            let record = settle(known(pulls, id)?, outcome);
            Ok((id.clone(), record))
        }
        PullCommand::See { id, seen } => {
            let pull = known(pulls, id)?;
            // What the forge is being asked for is written down with its answer, and not by who looked meanwhile.
            let waits = |record: &PullRecord| pull.pending.is_some() && matches!(record, PullRecord::Updated { .. });
            Ok((id.clone(), see(pull, seen).filter(|record| !waits(record))))
        }
        PullCommand::Outdate { id } => {
            let pull = known(pulls, id)?;
            let stands_there = !matches!(pull.state, PullState::Opening | PullState::Failed);
            let record = PullRecord::Outdated { id: id.clone() };
            Ok((id.clone(), (stands_there && !pull.outdated).then_some(record)))
        }
    }
}

fn known<'a>(pulls: &'a [PullRequest], id: &PullId) -> Result<&'a PullRequest, PullRefusal> {
    pulls.iter().find(|pull| pull.id == *id).ok_or_else(|| PullRefusal::not_found(id.as_str()))
}

/// One branch has one pull request at a time.
fn live_of<'a>(pulls: &'a [PullRequest], repository: &Repository, head: &Branch) -> Option<&'a PullRequest> {
    pulls.iter().find(|pull| pull.is_live() && pull.repository == *repository && pull.head == *head)
}

fn asked(pull: &PullRequest, ask: &PullAsk) -> Result<PullRecord, PullRefusal> {
    let (id, state) = (pull.id.clone(), pull.state);
    let reopens = state == PullState::Closed && matches!(ask, PullAsk::Change(PullChange { open: Some(true), .. }));
    if state != PullState::Open && !reopens {
        return Err(PullRefusal::NotOpen { id, state });
    }
    if pull.pending.is_some() {
        return Err(PullRefusal::Busy { id });
    }
    Ok(match ask {
        PullAsk::Change(change) => PullRecord::ChangeRequested { id, change: Box::new(change.clone()) },
        PullAsk::Merge(method, commit, base) => {
            PullRecord::MergeRequested { id, method: *method, commit: commit.clone(), base: base.clone() }
        }
    })
}

fn settle(pull: &PullRequest, outcome: &PullOutcome) -> Option<PullRecord> {
    let id = pull.id.clone();
    match (outcome, pull.state) {
        (
            PullOutcome::Created { number, url, base, commit, adopted, place },
            PullState::Opening | PullState::Failed,
        ) => {
            let (url, base, commit) = (url.clone(), base.clone(), commit.clone());
            let (adopted, place) = (adopted.clone(), place.clone());
            Some(PullRecord::Created { id, number: *number, url, base, commit, adopted, place })
        }
        (PullOutcome::Failed { deed: PullDeed::Open, reason }, PullState::Opening) => {
            Some(PullRecord::Failed { id, deed: PullDeed::Open, reason: reason.clone() })
        }
        (PullOutcome::Failed { deed, reason }, _) if pull.pending == Some(*deed) => {
            Some(PullRecord::Failed { id, deed: *deed, reason: reason.clone() })
        }
        // A record in any case: what was asked is no longer pending.
        (PullOutcome::Done(seen), _) => see(pull, seen).or_else(|| pull.pending.map(|_| updated(id, seen))),
        (PullOutcome::Dropped { deed, since, reason }, _) if pull.waits_for(*deed, *since) => {
            Some(PullRecord::Failed { id, deed: *deed, reason: reason.clone() })
        }
        // The answer was heard before, and written down.
        (PullOutcome::Created { .. } | PullOutcome::Failed { .. } | PullOutcome::Dropped { .. }, _) => None,
    }
}

fn see(pull: &PullRequest, seen: &PullSeen) -> Option<PullRecord> {
    let id = pull.id.clone();
    match (pull.state, seen.state) {
        (PullState::Opening | PullState::Failed, _) | (_, PullState::Opening | PullState::Failed) => None,
        (PullState::Open | PullState::Closed, PullState::Merged) => Some(PullRecord::Merged { id }),
        (PullState::Open | PullState::Merged, PullState::Closed) => Some(PullRecord::Closed { id }),
        (before, state) => {
            let looks_alike = state != PullState::Open || !pull.differs(seen);
            let is_news = before != state || !looks_alike || pull.outdated;
            is_news.then(|| updated(id, seen))
        }
    }
}

fn updated(id: PullId, seen: &PullSeen) -> PullRecord {
    let PullSeen { title, draft, state, base, commit, place } = seen.clone();
    PullRecord::Updated { id, title, draft, state, base, commit, place }
}

impl PullRequest {
    /// Whether it looks otherwise on the forge than is known here.
    pub fn differs(&self, seen: &PullSeen) -> bool {
        let base = seen.base.as_ref().is_some_and(|base| self.base.as_ref() != Some(base));
        let commit =
            seen.commit.as_ref().is_some_and(|commit| self.tip.as_ref().is_none_or(|tip| tip.commit != *commit));
        let known = (self.state, &self.title, self.draft);
        let place = self.place.is_none() && seen.place.is_some();
        known != (seen.state, &seen.title, seen.draft) || base || commit || place
    }
}
