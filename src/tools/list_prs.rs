//! `list_prs`: the pull requests that an agent handed in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::blame;
use super::refusal::Refusal;
use super::verb::{Answer, Call, For, Hints, Verb};
use crate::domain::principal::Scope;
use crate::domain::review::{Review, ReviewState};
use crate::journal::{PageRequest, ReviewFilter};

/// The verb.
pub(super) enum ListPrs {}

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Only those whose review stands so.
    #[serde(default)]
    status: Option<ReviewState>,
}

/// Its answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Each pull request once, the one that was handed in last first.
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
    task_id: String,
    /// Where its review stands.
    status: ReviewState,
    /// When it was handed in, RFC 3339.
    submitted_at: String,
}

impl Verb for ListPrs {
    const NAME: &'static str = "list_prs";
    const TITLE: &'static str = "List your pull requests";
    const DESCRIPTION: &'static str = "\
        The pull requests that you handed in with submit_for_review in this session, and where their reviews stand.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Input = Input;
    type Output = Output;

    async fn run(call: Call, input: Input) -> Result<Answer<Output>, Refusal> {
        let (agent, session) = call.speaker().await?;
        let filter = ReviewFilter { states: input.status.into_iter().collect(), agent: Some(agent) };
        let page = PageRequest { limit: PageRequest::MOST, cursor: None };
        let found = call.hub.journal.read(move |reader| reader.reviews(&filter, &page)).await;
        let reviews = found.map_err(|error| blame::read(&error))?.items;
        let ours = |review: &&Review| review.round().is_some_and(|round| round.session == session);
        let mut prs: Vec<Pr> = reviews.iter().filter(ours).filter_map(Pr::of).collect();
        prs.sort_by(|one, other| other.submitted_at.cmp(&one.submitted_at));
        let message = match prs.len() {
            0 => "No pull request of this session is known.".to_owned(),
            1 => "There is 1 pull request.".to_owned(),
            many => format!("There are {many} pull requests."),
        };
        Ok(Answer::new(message, Output { prs }))
    }
}

impl Pr {
    /// The newest pull request of a review, where there is one.
    fn of(review: &Review) -> Option<Self> {
        let named =
            |round: &&crate::domain::review::Round| round.change.pr_id.is_some() || round.change.pr_url.is_some();
        let round = review.rounds.iter().rev().find(named)?;
        Some(Self {
            pr_id: round.change.pr_id.clone(),
            pr_url: round.change.pr_url.clone(),
            task_id: review.task.to_string(),
            status: review.state,
            submitted_at: round.at.to_string(),
        })
    }
}
