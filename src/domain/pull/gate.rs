//! What must be so before an agent may merge.

use super::agreement::HubReview;
use super::look::{Check, PullLook, Verdict};

/// What the agent's role asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeTerms {
    /// Somebody agreed, on the forge or in the hub's own review, and nobody wants changes.
    pub approval: bool,
    /// Every check succeeded.
    pub green: bool,
}

/// What is missing, in sentences; nothing when it may be merged. `hub`: what the hub's own review says of it.
///
/// A change without any check is green: a repository may have none.
#[must_use]
pub fn missing(terms: MergeTerms, look: &PullLook, hub: HubReview) -> Vec<String> {
    let mut missing = Vec::new();
    if look.seen.draft {
        missing.push("it is a draft: call update_pr with draft false".to_owned());
    }
    if look.mergeable == Some(false) {
        missing.push("it conflicts with its base: merge or rebase your branch, and push".to_owned());
    }
    if terms.approval {
        let says = |verdict| look.reviews.iter().filter(move |review| review.verdict == verdict);
        let unhappy: Vec<&str> = says(Verdict::ChangesRequested).map(|review| review.who.as_str()).collect();
        if !unhappy.is_empty() {
            missing.push(format!("changes are wanted by {}", unhappy.join(", ")));
        }
        let is_said = !unhappy.is_empty() || says(Verdict::Approved).next().is_some();
        match hub {
            HubReview::ChangesRequested => missing.push("changes are wanted in the hub's own review".to_owned()),
            HubReview::Outdated if !is_said => {
                let why = "its branch moved on after it was approved: call submit_for_review with its pr_id again";
                missing.push(why.to_owned());
            }
            HubReview::NotAsked | HubReview::Open if !is_said => missing.push("nobody approved it yet".to_owned()),
            HubReview::NotAsked | HubReview::Open | HubReview::Approved | HubReview::Outdated => {}
        }
    }
    if terms.green {
        missing.extend(look.checks.iter().filter_map(trouble));
    }
    missing
}

/// Why a check is not green.
fn trouble(check: &Check) -> Option<String> {
    check.trouble().map(|trouble| format!("check `{}` {trouble}", check.name))
}
