//! What the verbs of pull requests share: which one is meant, where it may be, how it is shown.

use std::collections::BTreeSet;

use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::people::find_task;
use super::prelude::*;
use crate::actors::forge::{AGENT_WAITS, ForgeError, Port, judge_pull};
use crate::actors::session::SessionOrder;
use crate::domain::ids::PullId;
use crate::domain::outbox::DeliveryStateName;
use crate::domain::pull::{
    Adoption, Branch, Judged, PullAsk, PullCommand, PullDeed, PullLook, PullOutcome, PullRefusal, PullRequest,
    PullState, PullView, Repository, address, is_allowed,
};
use crate::domain::session::{Session, SessionRefusal, Tie};
use crate::domain::task::{Task, Workspace};
use crate::journal::{DeliveryFilter, PageRequest};

/// For how long a call waits for the forge to say all; and before a merge, since it may have to look for conflicts.
const LOOKS_WITHIN: Duration = Duration::from_secs(15);
const LOOKS_TO_MERGE_WITHIN: Duration = Duration::from_secs(25);

/// A pull request as it is handed in.
pub(super) struct HandedIn {
    pub(super) pull: PullId,
    /// The commit that it ends in.
    pub(super) commit: String,
    /// What it is to be merged into.
    pub(super) base: Branch,
    /// Where both parted, where the forge says so.
    pub(super) fork: Option<String>,
    /// The change, as the forge shows it; or why it shows none.
    pub(super) diff: Result<String, String>,
}

/// A pull request, as agents see it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PrView {
    /// Its id, for the other tools.
    pr_id: String,
    /// Where it stands.
    state: PullState,
    repository: String,
    /// The branch with the change.
    head_branch: String,
    /// What it is to be merged into.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_branch: Option<String>,
    title: String,
    /// Whether it is a draft.
    draft: bool,
    /// Its number on the forge.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// Where people see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The task that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    /// The work item that your session was linked to.
    #[serde(skip_serializing_if = "Option::is_none")]
    work_item: Option<String>,
    /// What the forge is being asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<PullDeed>,
    /// Who had opened it before, and as what: the hub took it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    adopted: Option<Adoption>,
    /// Why what was asked last came to nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    trouble: Option<String>,
}

impl PrView {
    pub(super) fn of(pull: &PullRequest) -> Self {
        Self {
            pr_id: pull.id.to_string(),
            state: pull.state,
            repository: pull.repository.to_string(),
            head_branch: pull.head.to_string(),
            base_branch: pull.base.as_ref().map(ToString::to_string),
            title: pull.title.clone(),
            draft: pull.draft,
            number: pull.number,
            url: pull.url.clone(),
            task_id: pull.task.as_ref().map(ToString::to_string),
            work_item: pull.work_item.as_ref().map(ToString::to_string),
            pending: pull.pending,
            adopted: pull.adopted.clone(),
            trouble: pull.trouble.clone(),
        }
    }

    /// With what the forge said while it is still being asked.
    pub(super) fn in_trouble(self, trouble: Option<String>) -> Self {
        Self { trouble: trouble.or(self.trouble), ..self }
    }
}

impl Call {
    /// The session that is meant, as it stands on disk. Fails as [`Call::session_line`] does, or when a read fails.
    pub(super) async fn whole_session(&self) -> Result<Session> {
        let id = self.session.clone().ok_or_else(refuse::session_required)?;
        let row = self.hub.journal.read(move |reader| reader.session(&id)).await;
        row.map_err(|error| refuse::read(&error))?.ok_or_else(refuse::session)
    }

    /// The pull request called so, if its forge may be asked. Fails with `PR_NOT_FOUND`, `REPOSITORY_NOT_ALLOWED`.
    pub(super) async fn named_pull(&self, given: &str) -> Result<PullRequest> {
        let pull = self.pull(given).await?;
        self.allowed(&pull.repository).map(|()| pull)
    }

    async fn pull(&self, given: &str) -> Result<PullRequest> {
        let session = self.whole_session().await?;
        // The newest first: a number may come again in another repository.
        let found = session.pulls.into_iter().rev().find(|pull| pull.is_called(given.trim()));
        found.ok_or_else(|| no_such_pull(given))
    }

    /// Whether a pull request of this session that stands so on its forge may be merged.
    pub(super) async fn judged(&self, pull: &PullRequest, look: &PullLook) -> Result<Judged> {
        let agent = self.whole_session().await?.agent;
        let port = self.forge()?;
        let (_, judged) = judge_pull(&self.hub, &*port, &agent, pull, look).await.map_err(refuse::fault)?;
        Ok(judged)
    }

    /// The pull request that is handed in, in its commit and for its base of now, with the forge's change; none where
    /// no agent of the hub opened it in this session. Fails with `PR_NOT_FOUND`, `PR_NOT_OPEN`, and the forge's own
    /// where its commit is not known: an approval of nothing in particular would approve whatever comes.
    pub(super) async fn handed_in(&self, id: Option<&str>, url: Option<&str>) -> Result<Option<HandedIn>> {
        let named: Vec<&str> = id.into_iter().chain(url).map(str::trim).collect();
        let pulls = match self.speaker().await?.1 {
            Some(_) if !named.is_empty() => self.whole_session().await?.pulls,
            Some(_) | None => Vec::new(),
        };
        let found = pulls.iter().rev().find(|pull| named.iter().any(|name| pull.is_called(name)));
        let Some(pull) = found else {
            let is_ours = id.is_some_and(|id| id.trim().starts_with("pr_"));
            return if is_ours { Err(no_such_pull(id.unwrap_or_default())) } else { Ok(None) };
        };
        let pull = if pull.state == PullState::Opening { self.await_forge(&pull.id).await?.0 } else { pull.clone() };
        match pull.state {
            PullState::Open | PullState::Merged => {}
            PullState::Opening => return Err(not_open(&pull, "Wait until get_pr_status says that it is open")),
            PullState::Closed => return Err(not_open(&pull, "Open it again with update_pr, state `open`")),
            PullState::Failed => return Err(not_open(&pull, "Call create_pr again")),
        }
        let port = self.forge()?;
        let again = |refusal: Refusal| {
            let next = "What is handed in is its newest commit, which only the forge knows. Call submit_for_review \
                        again once get_pr_status answers.";
            refusal.advise(next).detail("prId", pull.id.as_str())
        };
        let late = |_| ForgeError::Unreachable("no answer in time".to_owned());
        let looked = timeout(AGENT_WAITS, port.look(&pull)).await.unwrap_or_else(|over| Err(late(over)));
        let look = looked.map_err(|error| again(forge(&error)))?;
        let pull = self.sees(pull.clone(), &look).await?;
        let fork = look.fork;
        let (Some(commit), Some(base)) = (look.seen.commit, look.seen.base) else {
            let unknown = ForgeError::Unreadable("it does not say which commit and which base it has".to_owned());
            return Err(again(forge(&unknown)));
        };
        let diff = timeout(AGENT_WAITS, port.diff(&pull, &commit)).await.unwrap_or_else(|over| Err(late(over)));
        let diff = diff.map_err(|error| error.to_string());
        Ok(Some(HandedIn { pull: pull.id, commit, base, fork, diff }))
    }

    /// Where the session works: in its task's workspace, or in its agent's own.
    pub(super) async fn workspaces(&self, session: &Session) -> Result<Vec<Workspace>> {
        let of_task = match &session.task {
            Some(task) => find_task(&self.hub, task.as_str()).await?.spec.workspace.clone(),
            None => None,
        };
        let own = self.registration().and_then(|known| known.workspace.clone());
        Ok(of_task.into_iter().chain(own).collect())
    }

    /// The forge, for what is only looked at. Fails when none is set.
    pub(super) fn forge(&self) -> Result<Box<dyn Port>> {
        self.hub.forge.adapter(&self.settings.hub.forge, self.hub.clock.clone()).map_err(|error| forge(&error))
    }

    /// How a pull request stands on its forge now, within one limit. Fails with the forge's no, or without an answer.
    pub(super) async fn look_at(&self, pull: &PullRequest) -> Result<PullLook> {
        in_time(LOOKS_WITHIN, self.forge()?.look(pull)).await
    }

    /// The same before a merge. Fails as [`Call::look_at`] does.
    pub(super) async fn look_to_merge(&self, pull: &PullRequest) -> Result<PullLook> {
        in_time(LOOKS_TO_MERGE_WITHIN, self.forge()?.look_to_merge(pull)).await
    }

    /// Refuses a repository in which agents may open nothing. Fails with `REPOSITORY_NOT_ALLOWED`.
    pub(super) fn allowed(&self, repository: &Repository) -> Result<()> {
        let list = &self.settings.hub.forge.repositories;
        if is_allowed(list, repository) {
            return Ok(());
        }
        let said = format!("agents may open no pull requests in `{repository}`");
        Err(Refusal::new("REPOSITORY_NOT_ALLOWED", said).detail("allowed", list.clone()))
    }

    /// The pull request once the forge answered or time is over, and what went wrong. Fails as [`Call::session_line`].
    pub(super) async fn await_forge(&self, id: &PullId) -> Result<(PullRequest, Option<String>)> {
        let (until, mut news) = (Instant::now() + AGENT_WAITS, self.hub.forge.news());
        let mut draining = self.hub.draining.clone();
        loop {
            let trouble = news.borrow_and_update().get(id).cloned();
            let pull = self.pull(id.as_str()).await?;
            if (pull.state != PullState::Opening && pull.pending.is_none()) || trouble.is_some() {
                return Ok((pull, trouble));
            }
            let waited = tokio::select! {
                waited = timeout_at(until, news.changed()) => waited.is_ok_and(|told| told.is_ok()),
                _ = draining.wait_for(|down| *down) => false,
            };
            if !waited {
                return Ok((pull, None));
            }
        }
    }
}

/// What a forge says of a pull request, if it says it in time.
async fn in_time(limit: Duration, look: impl Future<Output = Result<PullLook, ForgeError>>) -> Result<PullLook> {
    let late = |_| ForgeError::Unreachable(format!("no whole answer within {} s", limit.as_secs()));
    let looked = timeout(limit, look).await.map_err(late);
    looked.and_then(|looked| looked).map_err(|error| forge(&error))
}

pub(super) fn repository(verb: &'static str, workspaces: &[Workspace]) -> Result<Repository> {
    let Some(named) = workspaces.first() else {
        let said = format!("{verb}: neither your task nor your registration names a repository");
        return Err(Refusal::new("INVALID_ARGUMENTS", said).advise(
            "Call register_agent again with workspace: {repo: \"owner/name\", branch: \"your-branch\"}, then repeat \
             the call.",
        ));
    };
    let named = address(&named.repo);
    Repository::parse(&named)
        .map_err(|error| refuse::bad_argument(verb, "workspace.repo", format!("`{named}` {error}")))
}

pub(super) fn branch(verb: &'static str, field: &str, given: &str) -> Result<Branch> {
    Branch::parse(given).map_err(|error| refuse::bad_argument(verb, field, error))
}

/// What was opened on the forge for a task's sake, by whoever had it: the newest first.
pub async fn pull_requests_of(hub: &HubRef, task: &Task) -> Result<Vec<PullView>> {
    // Nobody had it, so nobody opened anything for it.
    if task.attempts.is_empty() {
        return Ok(Vec::new());
    }
    let ties = BTreeSet::from([Tie::task(task.id())]);
    let read = hub.journal.read(move |reader| reader.sessions_tied(&ties)).await;
    let sessions = read.map_err(|error| refuse::read(&error))?;
    let theirs = |pull: &&PullRequest| pull.task.as_ref() == Some(task.id());
    let pulls = sessions.iter().flat_map(|session| &session.pulls).filter(theirs);
    let mut views: Vec<PullView> = pulls.map(PullView::from).collect();
    views.sort_by_key(|view| std::cmp::Reverse(view.requested_at));
    Ok(views)
}

/// What cannot be handed in as it stands, and what is to be done first.
fn not_open(pull: &PullRequest, first: &str) -> Refusal {
    let refusal = SessionRefusal::from(PullRefusal::NotOpen { id: pull.id.clone(), state: pull.state });
    let refusal = Refusal::new(refusal.code(), refusal.to_string()).detail("prId", pull.id.as_str());
    refusal.advise(format!("{first}, then call submit_for_review with its pr_id."))
}

/// No pull request of this session is called so.
pub(super) fn no_such_pull(given: &str) -> Refusal {
    let refusal = SessionRefusal::from(PullRefusal::not_found(given));
    Refusal::new(refusal.code(), refusal.to_string())
}

impl Call {
    /// Lets go of what no row of the outbox asks for: older hubs let rows end without telling the session.
    pub(super) async fn let_go_of_idle(&self, pull: &PullRequest) -> Result<()> {
        let Some((deed, since)) = pull.waiting() else { return Ok(()) };
        let states = vec![DeliveryStateName::Pending, DeliveryStateName::Sending];
        let filter = DeliveryFilter { states, destination: None, lane: Some(pull.id.to_string()) };
        let page = PageRequest { limit: 1, cursor: None };
        let rows = self.hub.journal.read(move |reader| reader.deliveries(&filter, &page)).await;
        if !rows.map_err(|error| refuse::read(&error))?.items.is_empty() {
            return Ok(());
        }
        let reason = "the hub asks for it no more".to_owned();
        self.settles(pull, PullOutcome::Dropped { deed, since, reason }).await
    }

    async fn settles(&self, pull: &PullRequest, outcome: PullOutcome) -> Result<()> {
        let command = SessionCommand::Pull(PullCommand::Settle { id: pull.id.clone(), outcome });
        let order = SessionOrder { who: self.origin(), ..self.caller.session_order(command) };
        self.session_line().await?.order(order).await.map(drop).map_err(refuse::session_order)
    }

    /// Asks the forge for something, and waits for its answer for a while. Fails with the session's no, or the forge's.
    pub(super) async fn ask_forge(&self, pull: &PullRequest, ask: PullAsk) -> Result<Answer<Shown>> {
        self.forge()?;
        self.let_go_of_idle(pull).await?;
        let command = PullCommand::Ask { id: pull.id.clone(), ask };
        self.order_session(SessionCommand::Pull(command)).await?;
        let (pull, trouble) = self.await_forge(&pull.id).await?;
        if let (None, Some(why)) = (pull.pending, &pull.trouble) {
            return Err(Refusal::new("FORGE_REFUSED", why.clone()).detail("prId", pull.id.as_str()));
        }
        let message = match (pull.pending, &trouble) {
            (None, _) => format!("Pull request {} is {}.", pull.id, pull.state),
            (Some(_), why) => {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                format!("The forge did not answer yet{why}. The hub goes on asking; call get_pr_status later.")
            }
        };
        Ok(Answer::new(message, Shown { pr: PrView::of(&pull).in_trouble(trouble) }))
    }
}

/// An answer that shows a pull request alone.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Shown {
    /// The pull request.
    pr: PrView,
}

impl Shown {
    pub(super) fn of(pull: &PullRequest) -> Self {
        Self { pr: PrView::of(pull) }
    }
}

/// A forge's no.
pub(super) fn forge(error: &ForgeError) -> Refusal {
    let said = Refusal::new(error.code(), error.to_string());
    match error {
        ForgeError::Limited { after } => said.detail("retryAfterSeconds", after.as_secs()),
        ForgeError::Off(_)
        | ForgeError::Unreachable(_)
        | ForgeError::Working(_)
        | ForgeError::Unauthorized
        | ForgeError::Forbidden(_)
        | ForgeError::NotFound(_)
        | ForgeError::Refused(_)
        | ForgeError::Replaced(_)
        | ForgeError::Unreadable(_) => said,
    }
}
