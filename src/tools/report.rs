//! What a holder reports: the way of `send_response`, and of `update_progress`, which is one case of it.

use serde::Deserializer;

use super::order::hand_in;
use super::prelude::*;
use super::texts::{RESULT_LIMIT, keep, link, text, value};
use crate::actors::task::TaskReceipt;
use crate::domain::ids::LeaseEpoch;
use crate::domain::pull::{Green, PullRequest, PullState, not_green};
use crate::domain::task::{Artifact, ArtifactKind, EvidenceGrade, KeptText, Report, ReportKind};
use crate::domain::text::check_link;
use crate::domain::work_item::WorkItem;
use crate::journal::Blob;
use crate::settings::{Remind, TrackerKind};

pub(super) struct Reported {
    pub(super) verb: &'static str,
    /// The task, as it was given.
    pub(super) task_id: String,
    pub(super) kind: ReportKind,
    pub(super) message: String,
    pub(super) diff: Option<String>,
    pub(super) artifacts: Vec<ArtifactArgument>,
    pub(super) evidence: Option<Value>,
    pub(super) lease_epoch: Option<u64>,
}

/// What is answered to a report.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReportOutput {
    task_id: String,
    /// Its state now.
    state: String,
    /// The number of the lease that the report came under.
    lease_epoch: u64,
    /// Whether this changed anything; a repeat of the same response does not.
    recorded: bool,
    /// When the lease ends unless you report again, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

/// An artifact as agents write it: a text, or an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArtifactArgument(Artifact);

impl<'de> Deserialize<'de> for ArtifactArgument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if let Value::String(text) = value {
            return Ok(Self(from_text(text)));
        }
        serde_json::from_value(value).map(Self).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ArtifactArgument {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ArtifactArgument".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let object = generator.subschema_for::<Artifact>();
        schemars::json_schema!({
            "description": "A text (a URL, a path, a line), or an object that says what it is.",
            "anyOf": [{"type": "string"}, object],
        })
    }
}

/// A text is what it looks like: a link, or a line.
fn from_text(text: String) -> Artifact {
    let mut artifact = Artifact { kind: ArtifactKind::Other, url: None, path: None, text: None, title: None };
    if check_link(text.trim()).is_ok() {
        artifact.url = Some(text);
    } else {
        artifact.text = Some(text);
    }
    artifact
}

/// Records a report, and says what comes next.
pub(super) async fn record(call: &Call, given: Reported) -> Result<Answer<ReportOutput>> {
    let (agent, _) = call.speaker().await?;
    let task = TaskId::parse(given.task_id.trim()).map_err(|_| refuse::no_such_task(&given.task_id))?;
    let kind = given.kind.clone();
    let epoch = given.lease_epoch.map(LeaseEpoch);
    let (mut report, blobs) = clean(call, given)?;
    if kind == ReportKind::Completed {
        prove(call, Some(&task), report.evidence.as_ref()).await?;
        report.posted_to = posted_to(call).await;
        let named: Vec<String> = report.artifacts.iter().filter_map(|artifact| artifact.url.clone()).collect();
        let opened = pull_requests(call, &task).await.into_iter();
        report.artifacts.extend(opened.filter(|pull| pull.url.as_ref().is_some_and(|url| !named.contains(url))));
    }
    let command = |epoch| TaskCommand::Report { agent: agent.clone(), epoch, report: report.clone() };
    let receipt = hand_in(call, &task, epoch, blobs, command).await?;
    let clean_up = receipt.worktree && call.is_reminded(Remind::Cleanup);
    Ok(answer(&kind, clean_up, &receipt))
}

/// A role may demand proof of each completion. Where it is continuous integration, the hub looks at the checks of the
/// agent's own pull requests itself, and believes what the agent says only where there are none.
pub(super) async fn prove(call: &Call, task: Option<&TaskId>, evidence: Option<&Value>) -> Result<()> {
    let role = call.registration().map(|known| known.role.clone());
    let found = role.as_ref().and_then(|role| call.settings.roles.find(role.as_str()));
    let Some((role, policy)) = found.map(|(id, role)| (id, role.completion)) else { return Ok(()) };
    let (needed, given) = (policy.min_evidence, EvidenceGrade::of(evidence));
    let seen = match (needed, task) {
        (EvidenceGrade::Ci, Some(task)) => own_checks(call, task).await?,
        _ => None,
    };
    let missing = match seen {
        Some(trouble) if trouble.is_empty() => return Ok(()),
        Some(trouble) => trouble.join("; "),
        None if given >= needed => return Ok(()),
        None => needed.proof().to_owned(),
    };
    let message = format!("the role `{role}` completes with evidence of the grade `{needed}`, and this is `{given}`");
    let refusal = Refusal::new("EVIDENCE_MISSING", message).detail("needed", needed.as_str());
    Err(refusal.detail("given", given.as_str()).detail("missing", missing.clone()).advise(format!(
        "Missing is {missing}. Get it, then complete the task with it in the list `evidence`; where you cannot, report \
         BLOCKED and say why."
    )))
}

/// What is not green of the checks of the session's pull requests for this task; none where no check is seen.
async fn own_checks(call: &Call, task: &TaskId) -> Result<Option<Vec<String>>> {
    let Ok(session) = call.whole_session().await else { return Ok(None) };
    let own = session.pulls.into_iter().filter(|pull| {
        let is_there = matches!(pull.state, PullState::Open | PullState::Merged);
        pull.task.as_ref() == Some(task) && is_there && call.allowed(&pull.repository).is_ok()
    });
    let (mut seen, now) = (None::<Vec<String>>, call.hub.clock.now());
    for pull in own {
        let Ok(port) = call.forge() else { return Ok(None) };
        let look = port.look(&pull).await.map_err(|error| super::pr::forge(&error))?;
        let pull = call.sees(pull, &look).await?;
        if let Some(trouble) = not_green(&Green::ALL, &pull, &look, now) {
            seen.get_or_insert_default().extend(trouble.iter().map(|one| format!("{}: {one}", pull.id)));
        }
    }
    Ok(seen)
}

/// What the session opened for this task on the forge, as far as it came to something.
async fn pull_requests(call: &Call, task: &TaskId) -> Vec<Artifact> {
    let Ok(session) = call.whole_session().await else { return Vec::new() };
    let counts = |pull: &&PullRequest| {
        pull.task.as_ref() == Some(task) && matches!(pull.state, PullState::Open | PullState::Merged)
    };
    let shown = |pull: &PullRequest| {
        let title = pull.number.map(|number| format!("pull request {}#{number}", pull.repository));
        Artifact { kind: ArtifactKind::Pr, url: pull.url.clone(), path: None, text: None, title }
    };
    session.pulls.iter().filter(counts).map(shown).collect()
}

/// Where the completion is to stand outside: the work item of the session, where there is a tracker outside.
async fn posted_to(call: &Call) -> Option<WorkItem> {
    if call.settings.hub.tracker.kind == TrackerKind::Builtin {
        return None;
    }
    let session = call.session_view().await.ok()?;
    session.work_item.and_then(|item| WorkItem::parse(&item).ok())
}

fn clean(call: &Call, given: Reported) -> Result<(Report, Vec<Blob>)> {
    let verb = given.verb;
    let bytes = given.message.len()
        + given.diff.as_ref().map_or(0, String::len)
        + given.artifacts.iter().map(|artifact| artifact.0.text.as_ref().map_or(0, String::len)).sum::<usize>();
    if bytes > RESULT_LIMIT {
        return Err(refuse::too_long(verb, "message, diff and artifacts in all", bytes, RESULT_LIMIT));
    }
    let mut blobs = Vec::new();
    let message = if matches!(given.kind, ReportKind::Progress { .. }) {
        // Held to the limit of a message, so that it is kept with its record, whole.
        KeptText::inline(words(verb, "message", &given.message, TEXT_LIMIT)?)
    } else {
        keep(&call.hub.ids, text(verb, "message", &given.message, RESULT_LIMIT)?, &mut blobs)
    };
    let message = message.cleaned_of(call.sanitized.as_deref().cloned());
    let diff = maybe(verb, "diff", given.diff.as_deref(), RESULT_LIMIT)?;
    let diff = diff.map(|diff| keep(&call.hub.ids, diff, &mut blobs));
    let artifacts = given.artifacts.into_iter().map(|artifact| clean_artifact(verb, artifact.0));
    let artifacts = artifacts.collect::<Result<Vec<_>, _>>()?;
    let kind = match given.kind {
        ReportKind::Blocked { reason, question } => {
            // An empty reason stays empty: the task itself says that it is missing.
            let reason = text(verb, "blockedReason", &reason, LINE_LIMIT)?.trim().to_owned();
            ReportKind::Blocked { reason, question }
        }
        ReportKind::Progress { phase, percent } => {
            ReportKind::Progress { phase: maybe(verb, "phase", phase.as_deref(), LINE_LIMIT)?, percent }
        }
        ReportKind::Completed => ReportKind::Completed,
        ReportKind::Failed => ReportKind::Failed,
    };
    let evidence = value(verb, "evidence", given.evidence, TEXT_LIMIT)?;
    Ok((Report { kind, message, diff, artifacts, evidence, posted_to: None }, blobs))
}

fn clean_artifact(verb: &'static str, given: Artifact) -> Result<Artifact> {
    let line = |field: &'static str, text: Option<String>| maybe(verb, field, text.as_deref(), LINE_LIMIT);
    Ok(Artifact {
        kind: given.kind,
        url: link(verb, "artifacts.url", given.url.as_deref())?,
        path: line("artifacts.path", given.path)?,
        text: maybe(verb, "artifacts.text", given.text.as_deref(), RESULT_LIMIT)?,
        title: line("artifacts.title", given.title)?,
    })
}

fn answer(kind: &ReportKind, clean_up: bool, receipt: &TaskReceipt) -> Answer<ReportOutput> {
    let task = &receipt.task_id;
    let prompt = match kind {
        ReportKind::Progress { .. } => reminder::after_progress(task),
        ReportKind::Blocked { .. } => reminder::after_blocked(task),
        ReportKind::Failed => reminder::after_failed(task),
        ReportKind::Completed if clean_up => reminder::cleanup(task),
        ReportKind::Completed => reminder::after_completed(task),
    };
    let fields = ReportOutput {
        task_id: task.to_string(),
        state: receipt.state.to_string(),
        lease_epoch: receipt.epoch.0,
        recorded: receipt.changed,
        expires_at: receipt.expires_at.map(|at| at.to_string()),
    };
    Answer::new(reminder::recorded(task), fields).prompt(prompt)
}

#[cfg(test)]
mod tests;
