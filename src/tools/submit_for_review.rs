//! `submit_for_review`: the holder hands its work to a person, who approves it or asks for changes.

use super::order::hand_in;
use super::pr::HandedIn;
use super::prelude::*;
use super::texts::{RESULT_LIMIT, keep, keep_apart, link};
use crate::domain::ids::LeaseEpoch;
use crate::domain::review::{Change, DiffFrom, DiffMap, DiffSize, Submission, changes_alike};
use crate::domain::task::{Artifact, ArtifactKind};
use crate::domain::text::{cut, reveal};

/// How much of a commit's name is shown, in characters.
const COMMIT: usize = 12;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SubmitForReview {
    /// The pull request, as its forge names it: its number.
    pr_id: Option<String>,
    /// The pull request, as a link: https://… in full.
    pr_url: Option<String>,
    /// The change, as git diff prints it; at most 8 MiB. Leave binary files out.
    diff: Option<String>,
    /// What you did, for the reviewer.
    message: Option<String>,
    /// What the reviewer should look at, and what you are not sure of.
    notes_for_reviewer: Option<String>,
    /// The task. Not needed while you hold one task.
    task_id: Option<String>,
    /// The number of your lease, as `wait_for_prompt` gave it.
    lease_epoch: Option<u64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    task_id: String,
    /// Its state now.
    state: String,
    /// How large the diff is, as it was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<DiffSize>,
    /// Whether this changed anything; a repeat of the same submission does not.
    recorded: bool,
}

impl Verb for SubmitForReview {
    const NAME: &'static str = "submit_for_review";
    const TITLE: &'static str = "Submit work for review";
    const DESCRIPTION: &'static str = "\
        Hand the work on your task to a person: pr_id or pr_url of a pull request, or diff. Then call wait_for_prompt. \
        When changes are wanted the task comes back with every comment; when it is approved you hear what to do. \
        Submit again whenever you changed something. Only people approve.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let line = |field: &str, given: &Option<String>| maybe(Self::NAME, field, given.as_deref(), LINE_LIMIT);
        let pr_url = link(Self::NAME, "pr_url", input.pr_url.as_deref())?;
        let pr_id = line("pr_id", &input.pr_id)?;
        let notes = maybe(Self::NAME, "notes_for_reviewer", input.notes_for_reviewer.as_deref(), TEXT_LIMIT)?;
        let message = maybe(Self::NAME, "message", input.message.as_deref(), RESULT_LIMIT)?;
        let message = message.unwrap_or_else(|| "Submitted for review.".to_owned());
        let mut blobs = Vec::new();
        let given = input.diff.filter(|diff| !diff.trim().is_empty());
        let given = given.map(|diff| readable(diff, true)).transpose()?.flatten();
        if pr_id.is_none() && pr_url.is_none() && given.is_none() {
            return Err(refuse::review(&crate::domain::review::ReviewRefusal::NothingToReview));
        }
        let handed_in = call.handed_in(pr_id.as_deref(), pr_url.as_deref()).await?;
        let is_pull = pr_id.is_some() || pr_url.is_some();
        let (shown, diff_from, note) = change(given, handed_in.as_ref(), is_pull);
        let size = shown.as_ref().map(|shown| shown.size);
        let diff = shown.map(|shown| keep_apart(&call.hub.ids, shown.text, &mut blobs));
        let commit = handed_in.as_ref().map(|it| it.commit.clone());
        let base = handed_in.as_ref().map(|it| it.base.to_string());
        let fork = handed_in.as_ref().and_then(|it| it.fork.clone());
        let pull = handed_in.map(|it| it.pull);
        let against = diff_from == Some(DiffFrom::ForgeAgainstAgent);
        let words = [
            commit.as_deref().map(|commit| format!("at {}", cut(commit, COMMIT))),
            base.as_ref().map(|base| format!("into {base}")),
            fork.as_deref().map(|fork| format!("since {}", cut(fork, COMMIT))),
            against.then(|| "beside another diff".to_owned()),
        ];
        let artifacts = pull_request(pr_id.as_ref(), pr_url.as_ref(), words.into_iter().flatten());
        let (agent, session) = call.speaker().await?;
        let task = call.meant_task(Self::NAME, input.task_id).await?;
        let task = TaskId::parse(task.trim()).map_err(|_| refuse::no_such_task(&task))?;
        let message = keep(&call.hub.ids, message, &mut blobs).cleaned_of(call.sanitized.as_deref().cloned());
        let submission = Submission {
            session,
            notes,
            change: Change { pr_id, pr_url, pull, commit, base, fork, diff_from, size, diff: None },
        };
        let command = |epoch| TaskCommand::SubmitForReview {
            agent: agent.clone(),
            epoch,
            message: message.clone(),
            diff: diff.clone(),
            artifacts: artifacts.clone(),
            submission: Box::new(submission.clone()),
        };
        let receipt = hand_in(&call, &task, input.lease_epoch.map(LeaseEpoch), blobs, command).await?;
        let task: &TaskId = &receipt.task_id;
        let message = format!("Task {task} is {}: a person will look at it.{note}", receipt.state);
        let (task_id, state) = (task.to_string(), receipt.state.to_string());
        let fields = Output { task_id, state, diff: size, recorded: receipt.changed };
        Ok(Answer::new(message, fields).prompt(reminder::after_submitted(task)))
    }
}

/// A diff as it is kept.
struct DiffText {
    text: String,
    size: DiffSize,
}

/// A diff as it is kept, with what nobody sees in it shown. None for a forge's that changes no text, or is too long.
fn readable(diff: String, is_the_agents: bool) -> Result<Option<DiffText>> {
    let verb = SubmitForReview::NAME;
    let refused = |refusal: Refusal| if is_the_agents { Err(refusal) } else { Ok(None) };
    let given = diff.len();
    if given > RESULT_LIMIT {
        return refused(refuse::too_long(verb, "diff", given, RESULT_LIMIT));
    }
    let diff = if diff.contains("\r\n") { diff.replace("\r\n", "\n") } else { diff };
    let (shown, hidden) = reveal(&diff);
    let text = shown.into_owned();
    if text.len() > RESULT_LIMIT {
        return refused(refuse::too_long(verb, "diff, with what hides in it made visible,", text.len(), RESULT_LIMIT));
    }
    let map = DiffMap::of(&text);
    if map.files.is_empty() {
        return refused(refuse::no_diff(verb));
    }
    let count = |many: usize| u64::try_from(many).unwrap_or(u64::MAX);
    let size = DiffSize { bytes: count(text.len()), hidden: count(hidden), ..map.size() };
    Ok(Some(DiffText { text, size }))
}

/// What the reviewer is shown: of a pull request the forge's change, whatever the agent says of it. Where the hub
/// cannot look at that pull request, it is the agent's, and the reviewer is told so.
fn change(
    given: Option<DiffText>,
    handed_in: Option<&HandedIn>,
    is_pull: bool,
) -> (Option<DiffText>, Option<DiffFrom>, String) {
    let Some(handed_in) = handed_in else {
        let from = given.as_ref().filter(|_| is_pull).map(|_| DiffFrom::Agent);
        return (given, from, String::new());
    };
    let on_forge = handed_in.diff.as_ref().map(|diff| readable(diff.clone(), false).ok().flatten());
    match (on_forge, given) {
        (Ok(Some(forge)), Some(given)) if !changes_alike(&forge.text, &given.text) => {
            let said = " Your diff changes something else than the pull request does: the reviewer is shown the \
                        forge's change, and told so.";
            (Some(forge), Some(DiffFrom::ForgeAgainstAgent), said.to_owned())
        }
        (Ok(Some(forge)), _) => (Some(forge), Some(DiffFrom::Forge), String::new()),
        (Ok(None), None) => (None, None, String::new()),
        (Err(why), None) => (
            None,
            None,
            format!(" The forge's change could not be had ({why}): the reviewer looks at it on the forge."),
        ),
        (no_diff, Some(given)) => {
            let why = no_diff.err().map_or("it has no text that is short enough", String::as_str);
            let said = format!(
                " The forge's change could not be had ({why}): the reviewer is told that your diff was \
                                compared with nothing."
            );
            (Some(given), Some(DiffFrom::Agent), said)
        }
    }
}

/// The pull request as what came of the work. By its commit, its base and where they parted, handing in another one is
/// no repeat, and so is one beside which the agent gives another diff.
fn pull_request(id: Option<&String>, url: Option<&String>, words: impl Iterator<Item = String>) -> Vec<Artifact> {
    let named = id.or(url).is_some();
    let words = id.cloned().into_iter().chain(words).collect::<Vec<_>>().join(" ");
    let title = (!words.is_empty()).then(|| format!("pull request {words}"));
    named
        .then(|| Artifact { kind: ArtifactKind::Pr, url: url.cloned(), path: None, text: None, title })
        .into_iter()
        .collect()
}
