//! Whether a pull request may be merged now: what the domain judges, of all that the hub knows of it.

use std::collections::BTreeSet;

use super::port::Port;
use crate::actors::HubRef;
use crate::actors::common::Fault;
use crate::broken::{self, Break};
use crate::domain::ids::AgentId;
use crate::domain::pull::{Judged, MergeTerms, PullLook, PullRequest, approvals, judge};
use crate::domain::review::Review;
use crate::domain::session::{Session, Tie};
use crate::journal::{Page, ReadError, Reader, ReviewFilter};

/// Judges a pull request of this agent that stands so on its forge, and by which terms.
///
/// # Errors
/// When the hub cannot say what its reviewers said, or the forge not now what its base holds.
pub async fn judge_pull(
    hub: &HubRef,
    port: &dyn Port,
    agent: &AgentId,
    pull: &PullRequest,
    look: &PullLook,
) -> Result<(MergeTerms, Judged), Fault> {
    let (of, meant) = (agent.clone(), pull.clone());
    let known = hub.journal.read(move |reader| Ok((reviews_of(reader, &of)?, others(reader, &meant)?))).await;
    let (reviews, others) = known.map_err(|error: ReadError| Fault::Unavailable(error.to_string()))?;
    let mut terms = terms_of(hub, agent, pull).await?;
    for (other, pull) in others {
        terms = terms.and(terms_of(hub, &other, &pull).await?);
    }
    if broken::by(Break::MergesUnjudged) {
        terms.approval = false;
    }
    let lost = lost(port, pull, look, &reviews).await?;
    let judged = judge(&terms, pull, &PullLook { lost, ..look.clone() }, &reviews, hub.clock.now());
    Ok((terms, judged))
}

/// Which forks of approvals its base does not hold any more. What does not pass by itself is no yes.
async fn lost(
    port: &dyn Port,
    pull: &PullRequest,
    look: &PullLook,
    reviews: &[Review],
) -> Result<BTreeSet<String>, Fault> {
    let mut lost = BTreeSet::new();
    let forks = approvals(pull, look, reviews).into_iter().filter_map(|approval| approval.fork);
    for fork in forks.collect::<BTreeSet<_>>() {
        if look.fork.as_ref() == Some(&fork) {
            continue;
        }
        match port.base_holds(pull, &fork).await {
            Ok(true) => {}
            Err(error) if error.passes().is_some() => return Err(Fault::Unavailable(error.to_string())),
            Ok(false) | Err(_) => drop(lost.insert(fork)),
        }
    }
    Ok(lost)
}

/// What the role that opened it asks for; all of it where the role is not configured. Of one that an older hub opened,
/// the role that its agent has now counts.
async fn terms_of(hub: &HubRef, agent: &AgentId, pull: &PullRequest) -> Result<MergeTerms, Fault> {
    let role = match &pull.role {
        Some(role) => Some(role.clone()),
        None => {
            let wanted = agent.clone();
            let known = hub.journal.read(move |reader| reader.agent(&wanted)).await;
            let known = known.map_err(|error| Fault::Unavailable(error.to_string()))?;
            known.and_then(|known| known.registration).map(|known| known.role)
        }
    };
    let settings = hub.settings();
    let policy = role.and_then(|role| settings.roles.find(role.as_str()).map(|(_, role)| role.merge.clone()));
    Ok(policy.unwrap_or_default().terms())
}

fn reviews_of(reader: &dyn Reader, agent: &AgentId) -> Result<Vec<Review>, ReadError> {
    let filter = ReviewFilter { states: Vec::new(), agent: Some(agent.clone()) };
    Page::all(|page| reader.reviews(&filter, page))
}

/// The same pull request as other sessions opened it: what their roles ask for holds, too.
fn others(reader: &dyn Reader, meant: &PullRequest) -> Result<Vec<(AgentId, PullRequest)>, ReadError> {
    let is_same = |pull: &PullRequest| {
        let there = pull.repository == meant.repository && pull.id != meant.id && pull.is_live();
        there && (pull.head == meant.head || (pull.number.is_some() && pull.number == meant.number))
    };
    let of = |session: Session| {
        let agent = session.agent.clone();
        session.pulls.into_iter().filter(is_same).map(move |pull| (agent.clone(), pull)).collect::<Vec<_>>()
    };
    let ties = BTreeSet::from([Tie::repository(&meant.repository.to_string())]);
    Ok(reader.sessions_tied(&ties)?.into_iter().flat_map(of).collect())
}
