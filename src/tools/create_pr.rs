//! `create_pr`: an agent hands its branch to the forge.

use super::pr::{PrView, branch, repository};
use super::prelude::*;
use super::texts::text;
use crate::domain::pull::{PullCommand, PullRequest, PullSpec, PullState, with_work_item};
use crate::domain::session::SessionOutcome;
use crate::domain::text::{for_forge, quoted};

/// How much of a name on the forge is repeated, in characters.
const NAME: usize = 60;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreatePr {
    /// What the change does, in a line.
    title: String,
    /// What it is about, for whoever reviews it.
    #[serde(default)]
    body: String,
    /// Whether it is not ready to be reviewed.
    #[serde(default)]
    draft: bool,
    /// The branch with your change, pushed; your workspace's branch when left out.
    #[serde(default)]
    head_branch: Option<String>,
    /// What it is to be merged into; the repository's default branch when left out.
    #[serde(default)]
    base_branch: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The pull request.
    pr: PrView,
}

impl Verb for CreatePr {
    const NAME: &'static str = "create_pr";
    const TITLE: &'static str = "Open a pull request";
    const DESCRIPTION: &'static str = "\
        Open a pull request for the branch that you pushed. The repository is your workspace's. A branch has one pull \
        request at a time: calling again answers with the one that is open.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ADDS;
    const IN_SESSION: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let spec = spec(&call, input).await?;
        // Refused at once where no forge is set: the outbox would only find the same.
        let forge = call.forge()?;
        let unseen = call.looks_again(&spec).await?;
        let (new, head, title) = (call.hub.ids.pull(), spec.head.clone(), spec.title.clone());
        let wanted = spec.base.clone();
        let command = PullCommand::Open { id: new.clone(), spec: Box::new(spec) };
        let receipt = call.order_session(SessionCommand::Pull(command)).await?;
        let SessionOutcome::Pull(id) = receipt.outcome else {
            return Err(refuse::fault(crate::actors::common::Fault::Unavailable("nothing was opened".to_owned())));
        };
        let (pull, trouble) = call.await_forge(&id).await?;
        let message = match (pull.state, &pull.url) {
            (PullState::Failed, _) => {
                let why = pull.trouble.clone().unwrap_or_default();
                let said = Refusal::new("FORGE_REFUSED", format!("no pull request was opened: {why}"));
                return Err(said.detail("prId", id.as_str()));
            }
            (PullState::Opening, _) => {
                let why = trouble.clone().map(|why| format!(" ({why})")).unwrap_or_default();
                format!("Pull request {id} is being opened; the forge did not answer yet{why}. The hub goes on asking.")
            }
            (PullState::Open | PullState::Merged | PullState::Closed, Some(url)) => {
                format!("Pull request {id} is {}: {url}", pull.state)
            }
            (PullState::Open | PullState::Merged | PullState::Closed, None) => {
                let into = pull.base.as_ref().map(|base| format!(" into `{base}`")).unwrap_or_default();
                format!("Pull request {id} is {}: `{}`{into}.", pull.state, pull.head)
            }
        };
        // Asked for before: what is said otherwise this time changes nothing.
        let stays = id != new && pull.title != title;
        let message = match stays {
            true => format!("{message} It is that of `{head}` already, as `{}`: update_pr changes it.", pull.title),
            false => message,
        };
        let other_base = pull.base.as_ref().zip(wanted).filter(|(base, wanted)| *base != wanted).map(|(base, wanted)| {
            format!(
                " It leads into `{base}`, and not into `{wanted}`, as you asked: a branch has one pull request at a \
                 time. Close it with update_pr, state `closed`, and call create_pr again for the other base."
            )
        });
        let adopted = pull.adopted.as_ref().filter(|_| id == new).map(|adopted| {
            let (by, title) = (quoted(&adopted.by, NAME), quoted(&adopted.title, LINE_LIMIT));
            format!(" It was there before: {by} opened it as {title}, and it is yours now. update_pr changes it.")
        });
        let unseen = unseen.filter(|_| id != new).map(|why| format!(" So it was when it was last looked at: {why}."));
        let more = [other_base, adopted, unseen].into_iter().flatten().collect::<String>();
        let message = message + &more;
        let next = match pull.state {
            PullState::Opening => "Go on with other work, and call get_pr_status later.",
            PullState::Open | PullState::Merged | PullState::Closed | PullState::Failed => {
                "Call submit_for_review with this pr_id when the change is ready, or get_pr_status to see its checks."
            }
        };
        // Where it has no page, whoever reviews it looks in the repository.
        let hint = pull.url.is_none().then(|| forge.hint(&pull)).flatten();
        let next = hint.map(|hint| format!("{hint} {next}")).unwrap_or_else(|| next.to_owned());
        Ok(Answer::new(message, Output { pr: PrView::of(&pull).in_trouble(trouble) }).prompt(next))
    }
}

impl Call {
    /// What is remembered of the branch is looked at before it is answered with: people merge and close by hand. Why it
    /// could not be looked at, where that is so.
    async fn looks_again(&self, spec: &PullSpec) -> Result<Option<String>> {
        let pulls = self.whole_session().await?.pulls;
        let is_it = |pull: &PullRequest| {
            pull.state == PullState::Open && pull.repository == spec.repository && pull.head == spec.head
        };
        for pull in pulls.iter().filter(|pull| pull.repository == spec.repository && pull.head == spec.head) {
            self.let_go_of_idle(pull).await?;
        }
        let Some(pull) = pulls.into_iter().find(is_it) else { return Ok(None) };
        match self.look_at(&pull).await {
            Ok(look) => self.sees(pull, &look).await.map(|_| None),
            Err(refusal) => Ok(Some(refusal.message)),
        }
    }
}

async fn spec(call: &Call, input: CreatePr) -> Result<PullSpec> {
    let verb = CreatePr::NAME;
    let session = call.whole_session().await?;
    let workspaces = call.workspaces(&session).await?;
    let repository = repository(verb, &workspaces)?;
    call.allowed(&repository)?;
    // What the agent says it works on is newer than what its task began from.
    let known = workspaces.iter().rev().filter(|known| known.repo == workspaces[0].repo);
    let head = match input.head_branch.or_else(|| known.filter_map(|known| known.branch.clone()).next()) {
        Some(head) => branch(verb, "head_branch", &head)?,
        None => return Err(refuse::bad_argument(verb, "head_branch", "is needed: your workspace names no branch")),
    };
    let body = text(verb, "body", &input.body, TEXT_LIMIT)?;
    Ok(PullSpec {
        repository,
        head,
        base: input.base_branch.map(|base| branch(verb, "base_branch", &base)).transpose()?,
        title: words(verb, "title", &input.title, LINE_LIMIT)?.replace(['\n', '\r'], " "),
        body: with_work_item(&for_forge(&body), session.work_item.as_ref()),
        draft: input.draft,
        work_item: session.work_item,
        role: call.registration().map(|known| known.role.clone()),
    })
}
