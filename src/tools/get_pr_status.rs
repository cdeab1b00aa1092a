//! `get_pr_status`: how a pull request stands on its forge, now.

use super::pr::PrView;
use super::prelude::*;
use crate::actors::session::SessionOrder;
use crate::domain::pull::{Check, HubReview, PullCommand, PullLook, PullRequest, PullState, Reviewed, Sizes};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GetPrStatus {
    /// The id that `create_pr` answered with, or the number on the forge.
    pr_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The pull request.
    pr: PrView,
    /// Whether the forge could merge it; left out while it does not know.
    #[serde(skip_serializing_if = "Option::is_none")]
    mergeable: Option<bool>,
    /// What was run on its last commit.
    checks: Vec<Check>,
    /// What people say of it on the forge: each one's last verdict.
    reviews: Vec<Reviewed>,
    /// Where the hub's own review of it stands; left out where nobody can say that now.
    #[serde(skip_serializing_if = "Option::is_none")]
    hub_review: Option<HubReview>,
    /// How many threads of comments are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved_threads: Option<u32>,
    /// How large it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    sizes: Option<Sizes>,
}

impl Verb for GetPrStatus {
    const NAME: &'static str = "get_pr_status";
    const TITLE: &'static str = "Look at a pull request";
    const DESCRIPTION: &'static str = "\
        How one of your pull requests stands on the forge now: state, checks, reviews, open threads, whether \
        it can be merged.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const TELLS: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let pull = call.named_pull(&input.pr_id).await?;
        if matches!(pull.state, PullState::Opening | PullState::Failed) {
            let trouble = call.hub.forge.news().borrow().get(&pull.id).cloned();
            // What was said of the last attempt is news only while there may be another.
            let trouble = trouble.filter(|_| pull.state == PullState::Opening);
            let why = trouble.clone().or_else(|| pull.trouble.clone());
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            let message = format!("Pull request {} is {}{why}.", pull.id, pull.state);
            let pr = PrView::of(&pull).in_trouble(trouble);
            let (checks, reviews, hub_review) = (Vec::new(), Vec::new(), None);
            let (unresolved_threads, sizes) = (None, None);
            let fields = Output { pr, mergeable: None, checks, reviews, hub_review, unresolved_threads, sizes };
            return Ok(Answer::new(message, fields));
        }
        let look = call.look_at(&pull).await?;
        let pull = call.sees(pull, &look).await?;
        let trouble = pull.trouble.as_ref().filter(|_| pull.pending.is_none());
        let trouble = trouble.map(|why| format!(" What was asked of the forge last came to nothing: {why}"));
        let message = format!("Pull request {} is {}.{}", pull.id, pull.state, trouble.unwrap_or_default());
        // A forge that does not say now what its base holds says all the rest.
        let hub_review = call.judged(&pull, &look).await.ok().map(|judged| judged.hub);
        Ok(Answer::new(message, Output { hub_review, ..Output::of(&pull, look) }))
    }
}

impl Output {
    fn of(pull: &PullRequest, look: PullLook) -> Self {
        Self {
            pr: PrView::of(pull),
            mergeable: look.mergeable,
            checks: look.checks,
            reviews: look.reviews,
            hub_review: None,
            unresolved_threads: look.unresolved_threads,
            sizes: Some(look.sizes),
        }
    }
}

impl Call {
    /// What was seen is written down, where it is news; the pull request after it.
    pub(super) async fn sees(&self, pull: PullRequest, look: &PullLook) -> Result<PullRequest> {
        if !pull.outdated && !pull.differs(&look.seen) {
            return Ok(pull);
        }
        let command = PullCommand::See { id: pull.id.clone(), seen: look.seen.clone() };
        let command = SessionCommand::Pull(command);
        let order = SessionOrder { who: self.origin(), ..self.caller.session_order(command) };
        let receipt = self.session_line().await?.order(order).await.map_err(refuse::session_order)?;
        Ok(receipt.session.pulls.into_iter().find(|known| known.id == pull.id).unwrap_or(pull))
    }
}
