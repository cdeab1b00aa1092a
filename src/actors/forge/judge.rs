//! Whether a pull request may be merged now: what the domain judges, of all that the hub knows of it.

use std::collections::BTreeSet;

use super::port::Port;
use crate::actors::HubRef;
use crate::actors::common::{Fault, Result};
use crate::broken::{self, Break};
use crate::domain::ids::{AgentId, PrincipalId, PullId};
use crate::domain::permission::Whose;
use crate::domain::pull::{Judged, MergeTerms, PullLook, PullRequest, Verdict, approvals, judge};
use crate::domain::review::{Review, ReviewState};
use crate::domain::session::{Session, Tie};
use crate::domain::task::TaskState;
use crate::journal::{Page, ReadError, Reader, ReviewFilter};
use crate::settings::People;

/// Judges an agent's pull request as it stands, and by which terms. Fails when its reviews or base cannot be read.
pub async fn judge_pull(
    hub: &HubRef,
    port: &dyn Port,
    agent: &AgentId,
    pull: &PullRequest,
    look: &PullLook,
) -> Result<(MergeTerms, Judged)> {
    let (of, meant) = (agent.clone(), pull.clone());
    let known =
        hub.journal.read(move |reader| Ok((reviews_of(reader, &of, &meant.id)?, others(reader, &meant)?))).await;
    let (mut reviews, others) = known.map_err(|error: ReadError| Fault::Unavailable(error.to_string()))?;
    let mut terms = terms_of(hub, agent, pull).await?;
    for (other, pull) in others {
        terms = terms.and(terms_of(hub, &other, &pull).await?);
    }
    if broken::by(Break::MergesUnjudged) {
        terms.approval = false;
    }
    let mut look = look.clone();
    let whose = Whose::Agent { agent: agent.clone(), role: pull.role.clone() };
    drop_denied(&hub.settings().people, &whose, &mut look, &mut reviews);
    look.lost = lost(port, pull, &look, &reviews).await?;
    let judged = judge(&terms, pull, &look, &reviews, hub.clock.now());
    Ok((terms, judged))
}

/// Takes out what people say whom `people.yaml` now lets approve nothing of this agent's, in the hub or on the forge.
fn drop_denied(people: &People, whose: &Whose, look: &mut PullLook, reviews: &mut [Review]) {
    for review in look.reviews.iter_mut().filter(|review| review.verdict == Verdict::Approved) {
        if people.all_called(&review.who).any(|person| person.rights().approves(whose, false).is_err()) {
            review.verdict = Verdict::Commented;
        }
    }
    for verdict in reviews.iter_mut().flat_map(|review| &mut review.rounds).flat_map(|round| &mut round.verdicts) {
        let person = PrincipalId::parse(&verdict.by.id).ok().and_then(|id| people.by_principal(&id));
        if person.is_some_and(|(_, person)| person.rights().approves(whose, false).is_err()) {
            verdict.grounds = None;
        }
    }
}

/// Which forks of approvals its base does not hold any more. What does not pass by itself is no yes.
async fn lost(port: &dyn Port, pull: &PullRequest, look: &PullLook, reviews: &[Review]) -> Result<BTreeSet<String>> {
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

/// What the role that opened it asks for; all where it is not configured. For an older hub's, the agent's role now.
async fn terms_of(hub: &HubRef, agent: &AgentId, pull: &PullRequest) -> Result<MergeTerms> {
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

/// What was said of the agent's work; not of a task that a person cancelled since: an approval of that merges nothing.
fn reviews_of(reader: &dyn Reader, agent: &AgentId, pull: &PullId) -> Result<Vec<Review>, ReadError> {
    let filter = ReviewFilter { states: Vec::new(), agent: Some(agent.clone()) };
    let mut reviews = Page::all(|page| reader.reviews(&filter, page))?;
    let is_of = |review: &Review| review.round().is_some_and(|round| round.change.pull.as_ref() == Some(pull));
    for review in reviews.iter_mut().filter(|review| review.state == ReviewState::Approved && is_of(review)) {
        let task = reader.task(&review.task)?;
        if task.is_some_and(|task| matches!(task.state, TaskState::Cancelled { .. })) {
            review.state = ReviewState::Withdrawn;
        }
    }
    Ok(reviews)
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
