//! What must be so before an agent may merge: judged when it asks, and again when the merge is sent.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use super::agreement::{HubReview, approvals};
use super::approval::{Approval, ApprovalRight, TakenBack};
use super::look::{Check, PullLook, Reviewed, ReviewerRole, Verdict};
use super::state::PullRequest;
use crate::review::Review;
use crate::text::{cut, quoted};
use crate::time::Timestamp;

/// How long after a push nothing is made of it that no check has begun.
pub const CHECKS_BEGIN_WITHIN: Duration = Duration::from_mins(2);
/// How much of a name that somebody else chose is repeated, in characters.
const NAME: usize = 60;
/// How much of a commit's name is shown, in characters.
const COMMIT: usize = 12;

/// What a role asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeTerms {
    /// Somebody approved it, and nobody who may wants changes.
    pub approval: bool,
    pub green: Green,
    /// An approval on the forge counts for later commits, too.
    pub stale: bool,
}

/// Which checks must have ended well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Green {
    pub all: bool,
    /// These, and they must be there.
    pub named: BTreeSet<String>,
}

impl Green {
    pub const NOTHING: Self = Self { all: false, named: BTreeSet::new() };
    pub const ALL: Self = Self { all: true, named: BTreeSet::new() };

    pub const fn of(named: BTreeSet<String>) -> Self {
        Self { all: false, named }
    }
}

impl Default for Green {
    fn default() -> Self {
        Self::ALL
    }
}

impl MergeTerms {
    /// What both ask for: several sessions may have opened the same pull request.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let named = self.green.named.into_iter().chain(other.green.named).collect();
        let green = Green { all: self.green.all || other.green.all, named };
        Self { approval: self.approval || other.approval, green, stale: self.stale && other.stale }
    }
}

/// One thing that keeps it from being merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    Draft,
    Conflict,
    MergeableUnknown,
    HeadUnknown,
    /// These people, who may write there, want changes.
    ChangesWanted(Vec<String>),
    ChangesWantedHere,
    /// No approval is alive for this commit and base; what comes nearest to one.
    Approval(Vec<String>),
    /// People who may write approved it, and why it is not known whether that still counts.
    ApprovalsUnknown(String),
    Check(String),
    NoSuchCheck(String),
    /// No check has begun, and it is too early to say that there is none.
    ChecksUnknown,
}

impl Missing {
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Conflict => "conflict",
            Self::MergeableUnknown => "mergeable_unknown",
            Self::HeadUnknown => "head_unknown",
            Self::ChangesWanted(_) | Self::ChangesWantedHere => "changes_wanted",
            Self::Approval(_) => "approval",
            Self::ApprovalsUnknown(_) => "approvals_unknown",
            Self::Check(_) => "check",
            Self::NoSuchCheck(_) => "check_missing",
            Self::ChecksUnknown => "checks_unknown",
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Draft => f.write_str("it is a draft: call update_pr with draft false"),
            Self::Conflict => f.write_str("it conflicts with its base: merge or rebase your branch, and push"),
            Self::MergeableUnknown => {
                f.write_str("the forge does not know yet whether it conflicts with its base: call merge_pr again soon")
            }
            Self::HeadUnknown => f.write_str("the forge does not say which commit and which base it has"),
            Self::ChangesWanted(who) => write!(f, "changes are wanted by {}", who.join(", ")),
            Self::ChangesWantedHere => f.write_str("changes are wanted in the hub's own review"),
            Self::Approval(near) if near.is_empty() => f.write_str("nobody approved it yet"),
            Self::Approval(near) => f.write_str(&near.join("; ")),
            Self::ApprovalsUnknown(why) => write!(
                f,
                "it was approved on the forge, which does not say whether its base was changed after that ({why}): \
                 call merge_pr again later, or submit_for_review for an approval in the hub"
            ),
            Self::Check(trouble) => f.write_str(trouble),
            Self::NoSuchCheck(name) => write!(f, "check `{name}`, which your role asks for, is not there"),
            Self::ChecksUnknown => {
                f.write_str("no check has begun for its newest commit yet: call merge_pr again in two minutes")
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The approval that it may be merged by, where there is one.
    pub approval: Option<Approval>,
    pub hub: HubReview,
    pub missing: Vec<Missing>,
}

/// Whether a pull request that stands so on its forge, and was reviewed so in the hub, may be merged now.
///
/// A commit without any check is green, once it had time to get one: a repository may have none.
pub fn judge(terms: &MergeTerms, pull: &PullRequest, look: &PullLook, reviews: &[Review], now: Timestamp) -> Judged {
    let hub = HubReview::of(pull, look, reviews);
    let mut missing = Vec::new();
    if look.seen.draft {
        missing.push(Missing::Draft);
    }
    match look.mergeable {
        Some(true) => {}
        Some(false) => missing.push(Missing::Conflict),
        // A draft is not looked at.
        None if look.seen.draft => {}
        None => missing.push(Missing::MergeableUnknown),
    }
    let all = approvals(pull, look, reviews);
    let alive = look.seen.commit.as_deref().zip(look.seen.base.as_ref()).and_then(|(head, base)| {
        let lives = |approval: &&Approval| approval.lives_for(head, base, terms.stale);
        all.iter().find(lives)
    });
    if look.seen.commit.is_none() || look.seen.base.is_none() {
        missing.push(Missing::HeadUnknown);
    }
    if terms.approval {
        let wanted = changes_wanted(look, hub);
        if alive.is_none() && wanted.is_empty() {
            let approves =
                |review: &Reviewed| review.verdict == Verdict::Approved && review.standing == ReviewerRole::Writer;
            missing.push(match &look.base_changed_at {
                Err(why) if look.reviews.iter().any(approves) => Missing::ApprovalsUnknown(why.clone()),
                Ok(_) | Err(_) => Missing::Approval(nearest(look, &all, hub)),
            });
        }
        missing.extend(wanted);
    }
    missing.extend(not_green(&terms.green, pull, look, now).unwrap_or_default());
    Judged { approval: alive.cloned(), hub, missing }
}

/// Wishes of people who may write hold it up; those of others are told, and do not.
fn changes_wanted(look: &PullLook, hub: HubReview) -> Vec<Missing> {
    let holds = look
        .reviews
        .iter()
        .filter(|review| review.verdict == Verdict::ChangesRequested && review.standing == ReviewerRole::Writer);
    let who: Vec<String> = holds.map(|review| review.who.clone()).collect();
    let on_forge = (!who.is_empty()).then_some(Missing::ChangesWanted(who));
    let here = (hub == HubReview::ChangesRequested).then_some(Missing::ChangesWantedHere);
    on_forge.into_iter().chain(here).collect()
}

/// Which words come nearest to an approval, and why each is none.
fn nearest(look: &PullLook, all: &[Approval], hub: HubReview) -> Vec<String> {
    let mut near = Vec::new();
    let again = "call submit_for_review with its pr_id again";
    match hub {
        HubReview::Outdated => near.push(format!("its branch moved on after it was approved: {again}")),
        HubReview::BaseRewound => near.push(format!(
            "its base holds no more what it held when it was approved, and a merge would bring that back: {again}"
        )),
        HubReview::BaseChanged => near.push(format!("its base was changed after it was handed in: {again}")),
        HubReview::TakenBack => near.push(format!("its approval was taken back on the forge: {again}")),
        HubReview::Unknown => {
            near.push(format!(
                "it was approved in the hub, and it is not known in which commit or by which right: {again}"
            ));
        }
        HubReview::NotAsked | HubReview::Open | HubReview::ChangesRequested | HubReview::Approved => {}
    }
    for approval in all.iter().filter(|approval| approval.right == ApprovalRight::Writes) {
        let (who, head) = (quoted(&approval.who, NAME), cut(&approval.head, COMMIT));
        near.push(match approval.taken_back {
            Some(TakenBack::BaseChanged) => format!("{who} approved it before its base was changed"),
            Some(TakenBack::BaseRewound) => format!("{who} approved it before its base was rewound: {again}"),
            Some(TakenBack::OnForge) | None => format!("{who} approved another commit ({head})"),
        });
    }
    let others = look.reviews.iter().filter(|review| review.verdict == Verdict::Approved);
    near.extend(others.filter_map(|review| {
        let who = quoted(&review.who, NAME);
        match review.standing {
            ReviewerRole::Writer => {
                review.commit.is_none().then(|| format!("{who} approved a commit that is not known"))
            }
            ReviewerRole::Reader => Some(format!("{who} approved it, and may not write there")),
            ReviewerRole::Program => Some(format!("{who} approved it, and is a program")),
            ReviewerRole::Own => {
                Some(format!("{who} approved it, and it is the account that opened it or the hub's own"))
            }
        }
    }));
    let told = 5;
    if near.len() > told {
        let more = near.len() - told;
        near.truncate(told);
        near.push(format!("and {more} more"));
    }
    near
}

/// What is not green of these checks; none where there is no check, and nothing says that one will come.
pub fn not_green(green: &Green, pull: &PullRequest, look: &PullLook, now: Timestamp) -> Option<Vec<Missing>> {
    let trouble = |check: &Check| Some(Missing::Check(format!("check `{}` {}", check.name, check.trouble()?)));
    let Green { all, named } = green;
    if *all && named.is_empty() && look.checks.is_empty() {
        return (look.runs_checks && is_fresh(pull, look, now)).then(|| vec![Missing::ChecksUnknown]);
    }
    let absent = named.iter().filter(|name| look.checks.iter().all(|check| check.name != **name));
    let counts = |check: &&Check| *all || named.contains(&check.name);
    let troubles = look.checks.iter().filter(counts).filter_map(trouble);
    let missing = absent.cloned().map(Missing::NoSuchCheck).chain(troubles).collect();
    (*all || !named.is_empty()).then_some(missing)
}

/// Whether the hub saw its newest commit only a moment ago; a commit's own time is its author's word.
fn is_fresh(pull: &PullRequest, look: &PullLook, now: Timestamp) -> bool {
    let known = pull.tip.as_ref().filter(|tip| Some(&tip.commit) == look.seen.commit.as_ref());
    known.is_none_or(|tip| now.since(tip.at) < CHECKS_BEGIN_WITHIN)
}
