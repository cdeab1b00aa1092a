//! What a review on the forge means for the hub's own reviews.

use std::fmt;
use std::time::Duration;

use super::change::{Change, SaidReview};
use crate::pull::{PullRequest, Verdict};
use crate::review::Review;
use crate::session::Session;

/// Which way the hub's own review is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    Approve,
    RequestChanges,
}

/// Why a review on the forge moves none of the hub's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoJudgement {
    NoVerdict,
    ByProgram,
    Earlier,
    OtherCommit,
}

/// Forges give the time of a review in whole seconds.
const SECOND: Duration = Duration::from_secs(1);

/// What a review on the forge says of work that was handed in. The error says why it is no verdict on that.
pub fn judgement(said: &SaidReview, on: &Review) -> Result<Judgement, NoJudgement> {
    let judgement = match said.verdict {
        Verdict::Approved => Judgement::Approve,
        Verdict::ChangesRequested => Judgement::RequestChanges,
        Verdict::Commented | Verdict::Dismissed => return Err(NoJudgement::NoVerdict),
    };
    if said.by_program {
        return Err(NoJudgement::ByProgram);
    }
    let is_earlier = said.at.zip(on.round()).is_some_and(|(at, round)| at + SECOND <= round.at);
    if is_earlier {
        return Err(NoJudgement::Earlier);
    }
    let is_of_it = match on.round().and_then(|round| round.change.commit.as_ref()) {
        // Wishes are as true of the next commit. One that says no time may be as old as can be.
        Some(handed_in) => {
            said.commit.as_ref() == Some(handed_in) || (judgement == Judgement::RequestChanges && said.at.is_some())
        }
        // The hub cannot merge it: nobody of its agents opened it.
        None => said.at.is_some(),
    };
    if is_of_it { Ok(judgement) } else { Err(NoJudgement::OtherCommit) }
}

/// Whether this review's work was handed in with the change's pull request. `sessions`: those that opened it.
///
/// What was handed in last counts: by the pull request that it names, and where it names none, by the one that was
/// opened for its task. A bare number means one of the session that handed it in: another repository has the same.
pub fn is_handed_in(review: &Review, change: &Change, sessions: &[Session]) -> bool {
    let Some(round) = review.round() else { return false };
    let handed_in_by = |session: &Session| match &round.session {
        Some(id) => session.id == *id,
        None => session.agent == round.agent,
    };
    let mut pulls: Vec<(bool, &PullRequest)> = Vec::new();
    for session in sessions {
        let touched = session.pulls.iter().filter(|pull| change.touches(pull));
        pulls.extend(touched.map(|pull| (handed_in_by(session), pull)));
    }
    let mut named = round.change.pr_id.iter().chain(&round.change.pr_url).peekable();
    if named.peek().is_none() {
        return pulls.iter().any(|(_, pull)| pull.task.as_ref() == Some(&review.task));
    }
    named.any(|name| {
        let is_number = name.trim_start_matches('#').chars().all(|c| c.is_ascii_digit());
        change.is_called(name) || pulls.iter().any(|(own, pull)| (*own || !is_number) && pull.is_called(name.trim()))
    })
}

impl fmt::Display for NoJudgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoVerdict => "it says neither yes nor no",
            Self::ByProgram => "a program wrote it",
            Self::Earlier => "it was written before the work was handed in",
            Self::OtherCommit => {
                "it is not of the commit that was handed in: call submit_for_review with its pr_id again"
            }
        })
    }
}
