//! Who approved a pull request, on the forge and in the hub. One whose commit or base is not known is no approval.
//!
//! - *On the forge.* Its answer of this moment is the truth. People count who may write there; programs, the hub's own
//!   account and the author never do. An approval from before the base was changed is void, and while the forge does
//!   not say when that was, none counts.
//! - *In the hub.* The newest round in which it was handed in says commit and base; the reviewer's verdict says who,
//!   and by which right. A copy of a verdict on the forge counts while the forge says the same of that commit.
//! - *The base may go on, and not back.* A base that no longer holds the commit at which the change parted from it was
//!   rewound: a merge would bring back what was taken out of it, so what was approved before is void.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::{Approval, ApprovalRight, TakenBack};
use super::look::{PullLook, Reviewed, ReviewerRole, Verdict};
use super::names::Branch;
use super::state::PullRequest;
use crate::review::{Review, ReviewState, Round, VerdictKind};
use crate::time::Timestamp;

/// Where the hub's own review of a pull request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HubReview {
    /// It was not handed in.
    NotAsked,
    /// Its reviewer did not judge it yet.
    Open,
    /// Its reviewer wants changes.
    ChangesRequested,
    /// Its reviewer approved it as it is.
    Approved,
    /// Its reviewer approved it, and its branch moved on since.
    Outdated,
    /// Its reviewer approved it for another base than it has now.
    BaseChanged,
    /// Its reviewer approved it, and its base was rewound since.
    BaseRewound,
    /// Its reviewer approved it on the forge, and the forge shows that no more.
    TakenBack,
    /// Its reviewer approved it, and in which commit, for which base or by which right is not known.
    Unknown,
}

/// Every approval of a pull request that has a commit and a base: those that the forge shows, and that of the hub.
pub fn approvals(pull: &PullRequest, look: &PullLook, reviews: &[Review]) -> Vec<Approval> {
    let on_forge = look.reviews.iter().filter_map(|review| of_forge(pull, look, review, reviews));
    on_forge.chain(of_hub(pull, look, reviews)).collect()
}

fn of_forge(pull: &PullRequest, look: &PullLook, review: &Reviewed, reviews: &[Review]) -> Option<Approval> {
    if review.verdict != Verdict::Approved || review.standing != ReviewerRole::Writer {
        return None;
    }
    let changed = look.base_changed_at.as_ref().ok()?;
    let before = changed.is_some_and(|changed| review.at.is_none_or(|at| at <= changed));
    let head = review.commit.clone()?;
    let fork = fork_of(pull, reviews, &head, review.at);
    let taken_back = before.then_some(TakenBack::BaseChanged).or_else(|| rewound(look, fork.as_ref()));
    Some(Approval {
        who: review.who.clone(),
        right: ApprovalRight::Writes,
        pull: pull.id.clone(),
        base: look.seen.base.clone()?,
        head,
        fork,
        at: review.at,
        taken_back,
    })
}

/// Where a commit had parted from its base when it was approved, as far as it was handed in by then; else at first.
fn fork_of(pull: &PullRequest, reviews: &[Review], head: &str, at: Option<Timestamp>) -> Option<String> {
    let rounds = reviews.iter().flat_map(|review| &review.rounds);
    let mut of: Vec<&Round> = rounds.filter(|round| is_of(pull, round)).collect();
    of.retain(|round| round.change.commit.as_deref() == Some(head) && round.change.fork.is_some());
    of.sort_by_key(|round| round.at);
    let known = of.iter().rev().find(|round| at.is_some_and(|at| round.at <= at)).or(of.first());
    known.and_then(|round| round.change.fork.clone())
}

fn rewound(look: &PullLook, fork: Option<&String>) -> Option<TakenBack> {
    fork.is_some_and(|fork| look.lost.contains(fork)).then_some(TakenBack::BaseRewound)
}

/// Those of the hub's reviewers: of the newest round in which it was handed in, since anybody wanted changes in that.
fn of_hub(pull: &PullRequest, look: &PullLook, reviews: &[Review]) -> Vec<Approval> {
    let Some((round, ReviewState::Approved)) = handed_in_last(pull, reviews) else { return Vec::new() };
    let named = round.change.base.as_deref().and_then(|base| Branch::parse(base).ok());
    let (Some(head), Some(base)) = (&round.change.commit, named) else { return Vec::new() };
    let shown = |login: &String| look.reviews.iter().any(|review| says_yes(review, login, head));
    let agreed = round.verdicts.iter().rev().take_while(|verdict| verdict.kind == VerdictKind::Approved);
    let approvals = agreed.filter_map(|verdict| {
        let grounds = verdict.grounds.as_ref().filter(|grounds| grounds.given)?;
        let taken_back = grounds.forge_login.as_ref().filter(|login| !shown(login)).map(|_| TakenBack::OnForge);
        let fork = round.change.fork.clone();
        Some(Approval {
            who: verdict.by.id.clone(),
            right: ApprovalRight::Given { rule: grounds.rule.clone() },
            pull: pull.id.clone(),
            base: base.clone(),
            head: head.clone(),
            taken_back: taken_back.or_else(|| rewound(look, fork.as_ref())),
            fork,
            at: Some(verdict.at),
        })
    });
    approvals.collect()
}

/// Whether the forge shows that this person approves this commit: then the hub's copy of that is alive.
fn says_yes(review: &Reviewed, login: &str, head: &str) -> bool {
    review.who.eq_ignore_ascii_case(login)
        && review.verdict == Verdict::Approved
        && matches!(review.standing, ReviewerRole::Writer | ReviewerRole::Reader)
        && review.commit.as_deref() == Some(head)
}

/// The newest round in which it was handed in, and where the review of that stands.
fn handed_in_last<'a>(pull: &PullRequest, reviews: &'a [Review]) -> Option<(&'a Round, ReviewState)> {
    let rounds = reviews.iter().filter_map(|review| Some((review.round()?, review.state)));
    rounds.filter(|(round, _)| is_of(pull, round)).max_by_key(|(round, _)| round.at)
}

/// Whether a round is of this pull request, by the hub's name for it; older rounds name nothing that can be merged.
fn is_of(pull: &PullRequest, round: &Round) -> bool {
    match &round.change.pull {
        Some(id) => *id == pull.id,
        None => {
            // A bare number means one of each repository.
            let is_number = |name: &str| name.trim_start_matches('#').chars().all(|c| c.is_ascii_digit());
            let names = round.change.pr_id.iter().chain(&round.change.pr_url).map(|name| name.trim());
            names.filter(|name| !is_number(name)).any(|name| pull.is_called(name))
        }
    }
}

impl HubReview {
    /// What these reviews say of a pull request that stands so on its forge.
    pub fn of(pull: &PullRequest, look: &PullLook, reviews: &[Review]) -> Self {
        match handed_in_last(pull, reviews).map(|(_, state)| state) {
            None | Some(ReviewState::Withdrawn) => Self::NotAsked,
            Some(ReviewState::Open) => Self::Open,
            Some(ReviewState::ChangesRequested) => Self::ChangesRequested,
            Some(ReviewState::Approved) => {
                let all = of_hub(pull, look, reviews);
                let Some(first) = all.first() else { return Self::Unknown };
                if look.seen.commit.as_deref() != Some(&first.head) {
                    Self::Outdated
                } else if look.seen.base.as_ref() != Some(&first.base) {
                    Self::BaseChanged
                } else if all.iter().all(|approval| approval.taken_back.is_some()) {
                    let rewound = first.taken_back == Some(TakenBack::BaseRewound);
                    if rewound { Self::BaseRewound } else { Self::TakenBack }
                } else {
                    Self::Approved
                }
            }
        }
    }
}
