//! `list_prs`: the pull requests of a session, opened through the hub or handed in with their links.

use super::prelude::*;
use crate::domain::pull::{PullDeed, PullRequest, PullState};
use crate::domain::review::{Review, ReviewState};
use crate::journal::{Page, ReviewFilter};

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ListPrs {
    /// Only those that stand so, or whose review does.
    status: Option<Status>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Each pull request once, the newest first.
    prs: Vec<Pr>,
}

/// A pull request.
#[derive(Debug, Serialize, JsonSchema)]
struct Pr {
    /// As its forge names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pr_id: Option<String>,
    /// As a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pr_url: Option<String>,
    /// The task that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    /// Where it stands; where its review does, if it was not opened with `create_pr`.
    status: Status,
    /// Where the review of one stands that was opened with `create_pr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Status>,
    /// What the forge is being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<PullDeed>,
    /// Why what was asked of the forge last came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
    /// When it was handed in, or opened, RFC 3339.
    submitted_at: String,
}

/// Where a pull request, or its review, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// The forge is being asked.
    Opening,
    /// Open, or its review is.
    Open,
    /// Sent back by its reviewer.
    ChangesRequested,
    /// Approved by its reviewer.
    Approved,
    /// Its review is needed no more.
    Withdrawn,
    /// Merged on the forge.
    Merged,
    /// Closed, and not merged.
    Closed,
    /// Refused by the forge.
    Failed,
}

impl Verb for ListPrs {
    const NAME: &'static str = "list_prs";
    const TITLE: &'static str = "List your pull requests";
    const DESCRIPTION: &'static str = "\
        The pull requests that you opened or handed in with submit_for_review in this session, and where they stand.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let (agent, session) = call.speaker().await?;
        let filter = ReviewFilter { states: Vec::new(), agent: Some(agent) };
        let found = call.hub.journal.read(move |reader| Page::all(|page| reader.reviews(&filter, page))).await;
        let reviews = found.map_err(|error| refuse::read(&error))?;
        let ours = |review: &&Review| review.round().is_some_and(|round| round.session == session);
        let pulls = call.whole_session().await?.pulls;
        let mut prs: Vec<Pr> = pulls.iter().map(Pr::opened).collect();
        for review in reviews.iter().filter(ours) {
            let Some(pr) = Pr::of(review) else { continue };
            match pulls.iter().position(|pull| pr.is(pull)) {
                Some(place) => prs[place].review = Some(pr.status),
                None => prs.push(pr),
            }
        }
        prs.retain(|pr| input.status.is_none_or(|status| pr.status == status || pr.review == Some(status)));
        prs.sort_by(|one, other| other.submitted_at.cmp(&one.submitted_at));
        let message = match prs.len() {
            0 => "No pull request of this session is known.".to_owned(),
            1 => "There is 1 pull request.".to_owned(),
            many => format!("There are {many} pull requests."),
        };
        Ok(Answer::new(message, Output { prs }))
    }
}

impl From<ReviewState> for Status {
    fn from(state: ReviewState) -> Self {
        match state {
            ReviewState::Open => Self::Open,
            ReviewState::ChangesRequested => Self::ChangesRequested,
            ReviewState::Approved => Self::Approved,
            ReviewState::Withdrawn => Self::Withdrawn,
        }
    }
}

impl From<PullState> for Status {
    fn from(state: PullState) -> Self {
        match state {
            PullState::Opening => Self::Opening,
            PullState::Open => Self::Open,
            PullState::Merged => Self::Merged,
            PullState::Closed => Self::Closed,
            PullState::Failed => Self::Failed,
        }
    }
}

impl Pr {
    fn opened(pull: &PullRequest) -> Self {
        Self {
            pr_id: Some(pull.id.to_string()),
            pr_url: pull.url.clone(),
            task_id: pull.task.as_ref().map(ToString::to_string),
            status: pull.state.into(),
            review: None,
            pending: pull.pending,
            trouble: pull.trouble.clone(),
            submitted_at: pull.requested_at.to_string(),
        }
    }

    fn is(&self, pull: &PullRequest) -> bool {
        self.pr_id.iter().chain(&self.pr_url).any(|given| pull.is_called(given))
    }

    /// The newest pull request of a review, where there is one.
    fn of(review: &Review) -> Option<Self> {
        let named =
            |round: &&crate::domain::review::Round| round.change.pr_id.is_some() || round.change.pr_url.is_some();
        let round = review.rounds.iter().rev().find(named)?;
        Some(Self {
            pr_id: round.change.pr_id.clone(),
            pr_url: round.change.pr_url.clone(),
            task_id: Some(review.task.to_string()),
            status: review.state.into(),
            review: None,
            pending: None,
            trouble: None,
            submitted_at: round.at.to_string(),
        })
    }
}
