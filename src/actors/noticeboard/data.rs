//! The data of an event beside its type: enough to follow what happens.
//!
//! What agents report and people remark is shown whole: a status message is in no other place once the next one came.
//! Above 16 KiB its beginning is shown, a mark, and its length (`…Bytes`). A task's text, specification, context, diff
//! and evidence never go with an event. What a terminal shows, and notices, go only where they are a line.

use serde_json::{Value, json};

use super::fields::Data;
use super::{hub_data, pull, schedule, workflow};
use crate::domain::agent::{AgentRecord, Notice, Registration};
use crate::domain::review::{ReviewRecord, Verdict};
use crate::domain::session::SessionRecord;
use crate::domain::session::question::{LateAnswerView, QuestionRecord, ResolutionView};
use crate::domain::task::{Dependency, TaskRecord, TaskSpec};
use crate::domain::terminal::{InputOrder, TerminalRecord};
use crate::journal::Record;

pub(super) fn of(record: &Record) -> Value {
    let mut data = Data::default();
    match record {
        Record::Task(record) => task(&mut data, record),
        Record::Review(record) => review(&mut data, record),
        Record::Agent(record) => agent(&mut data, record),
        Record::Session(record) => session(&mut data, record),
        Record::Question(record) => question(&mut data, record),
        Record::Pull(record) => data.fill(pull::of(record)),
        Record::Terminal(record) => terminal(&mut data, record),
        Record::Workflow(record) => data.fill(workflow::of(record)),
        Record::Schedule(record) => schedule::of(&mut data, record),
        Record::Hub(record) => hub_data::hub(&mut data, record),
    };
    Value::Object(data.0)
}

fn task<'a>(data: &'a mut Data, record: &TaskRecord) -> &'a mut Data {
    match record {
        TaskRecord::Created { spec, dependencies } => {
            let waits_for = dependencies.iter().filter(|(_, state)| matches!(state, Dependency::Pending));
            created(data, spec).put("waitsFor", waits_for.map(|(task, _)| task).collect::<Vec<_>>())
        }
        TaskRecord::Offered { epoch, ack_by, .. } => data.put("leaseEpoch", epoch).put("ackBy", ack_by),
        TaskRecord::OfferReturned { epoch, why, .. } | TaskRecord::Released { epoch, why, .. } => {
            data.put("leaseEpoch", epoch).put("why", why)
        }
        TaskRecord::Acknowledged { epoch, expires_at, .. } | TaskRecord::LeaseExtended { epoch, expires_at, .. } => {
            data.put("leaseEpoch", epoch).put("expiresAt", expires_at)
        }
        TaskRecord::GraceGiven { epoch, until, .. } => data.put("leaseEpoch", epoch).put("until", until),
        TaskRecord::Progressed { message, phase, percent, artifacts, expires_at, .. } => {
            let data = data.text("message", message).maybe_text("phase", phase.as_deref());
            data.put("percent", percent).artifacts(artifacts).put("expiresAt", expires_at)
        }
        TaskRecord::Completed { message, diff, artifacts, .. }
        | TaskRecord::Failed { message, diff, artifacts, .. }
        | TaskRecord::Submitted { message, diff, artifacts, .. } => data.report(message, diff.as_ref(), artifacts),
        TaskRecord::Blocked { reason, message, diff, artifacts, .. } => {
            data.text("reason", reason).report(message, diff.as_ref(), artifacts)
        }
        TaskRecord::Approved { message, word } => {
            data.maybe_text("message", message.as_deref()).put("completed", word.is_none())
        }
        TaskRecord::ChangesRequested { comments, .. } => data.put("comments", comments.len()),
        TaskRecord::Answered { answer: comment, .. } | TaskRecord::Remarked { comment, .. } => data.comment(comment),
        TaskRecord::DependencyMoved { task, now } => data.put("dependency", task).put("now", stands(now)),
        TaskRecord::TimedOut { epoch, policy, .. } => data.put("leaseEpoch", epoch).put("policy", policy),
        TaskRecord::Requeued { count_anew, .. } => data.put("countAnew", count_anew),
        TaskRecord::Reassigned { target, escalated } => {
            data.put("target", target.to_string()).put("escalated", escalated)
        }
        TaskRecord::Edited { title, prompt, .. } => {
            data.maybe_text("title", title.as_deref()).put("promptChanged", prompt.is_some())
        }
        TaskRecord::Prioritised { priority } => data.put("priority", priority),
        TaskRecord::DeadLettered { reason } => data.text("reason", reason),
        TaskRecord::Cancelled { reason } => data.maybe_text("reason", reason.as_deref()),
        TaskRecord::RunStarted { run, host, client, epoch, .. } => {
            data.put("runId", run).put("host", host).put("client", client).put("leaseEpoch", epoch)
        }
        TaskRecord::RunConversation { run, id, .. } => data.put("runId", run).put("conversation", id),
        TaskRecord::RunWaiting { run, on, process, .. } => {
            data.put("runId", run).put("waitsFor", on).put("exit", process.code).put("usage", process.usage)
        }
        TaskRecord::RunResumed { run, epoch, process, .. } => {
            data.put("runId", run).put("leaseEpoch", epoch).put("process", process)
        }
        TaskRecord::RunLimited { run, limited, .. } => {
            data.put("runId", run).put("until", limited.until).put("account", &limited.account)
        }
        TaskRecord::RunEnded { run, reason, process, .. } => {
            let (code, usage) = process.as_ref().map(|process| (process.code, process.usage)).unzip();
            data.put("runId", run).put("reason", reason).put("exit", code).put("usage", usage)
        }
        TaskRecord::RunBudget { run, level, told, .. } => data.put("runId", run).put("level", level).text("told", told),
    }
}

/// How a dependency stands, in a word.
fn stands(now: &Dependency) -> Value {
    match now {
        Dependency::Pending => json!("pending"),
        Dependency::Met { .. } => json!("met"),
        Dependency::Failed { state } => json!(state),
    }
}

fn review<'a>(data: &'a mut Data, record: &ReviewRecord) -> &'a mut Data {
    match record {
        ReviewRecord::Submitted { round } => {
            let change = &round.change;
            data.put("round", round.number).put("sessionId", &round.session).kept("message", &round.message);
            data.put("prId", &change.pr_id).put("prUrl", &change.pr_url).put("commit", &change.commit);
            data.put("diff", change.size).maybe_text("notes", round.notes.as_deref())
        }
        ReviewRecord::Commented { comment } => {
            data.comment(&comment.comment).put("round", comment.round).put("side", comment.side)
        }
        ReviewRecord::Resolved { comment, by, response } => {
            data.put("commentId", comment).put("by", by).maybe_text("response", response.as_deref())
        }
        ReviewRecord::Approved { verdict } => verdict_of(data, verdict),
        ReviewRecord::ChangesRequested { verdict, comments } => {
            verdict_of(data, verdict).put("comments", comments.len())
        }
        ReviewRecord::TakenBack { login } => data.put("login", login),
        ReviewRecord::Withdrawn { why } => data.put("why", why),
    }
}

fn verdict_of<'a>(data: &'a mut Data, verdict: &Verdict) -> &'a mut Data {
    data.put("by", &verdict.by).maybe_text("message", verdict.message.as_deref())
}

fn created<'a>(data: &'a mut Data, spec: &TaskSpec) -> &'a mut Data {
    data.maybe_text("title", spec.title.as_deref())
        .put("promptBytes", spec.prompt.len())
        .put("target", spec.target.to_string())
        .put("priority", spec.priority)
        .put("from", &spec.from)
        .put("depth", spec.depth)
        .put("workspace", &spec.workspace)
}

fn session<'a>(data: &'a mut Data, record: &SessionRecord) -> &'a mut Data {
    match record {
        SessionRecord::Opened { .. } | SessionRecord::TakenUp => data,
        SessionRecord::Linked { work_item } => data.put("workItem", work_item.as_str()),
        // People answer from what they see here: a question is shown whole.
        SessionRecord::WorkflowStatus { status, message, details, blockers, awaiting, .. } => {
            let data = data.put("workflowStatus", status).text("message", message).put("details", details);
            data.put("blockers", (!blockers.is_empty()).then_some(blockers)).put("awaitingInput", awaiting)
        }
    }
}

fn question<'a>(data: &'a mut Data, record: &QuestionRecord) -> &'a mut Data {
    let data = data.put("questionId", record.id());
    match record {
        QuestionRecord::Asked { spec } => {
            data.put("kind", spec.kind).put("question", &spec.question).put("options", &spec.options);
            data.put("defaultAction", &spec.default_action).put("dangerous", spec.is_dangerous());
            data.put("expiresAt", spec.expires_at).put("permission", &spec.permission)
        }
        QuestionRecord::Reminded { percent, .. } => data.put("percent", percent),
        QuestionRecord::Overdue { .. } | QuestionRecord::Used { .. } => data,
        QuestionRecord::Resolved { resolution, .. } => data.put("resolution", ResolutionView::from(&**resolution)),
        QuestionRecord::AnsweredLate { answer, .. } => data.put("answer", LateAnswerView::from(&**answer)),
        QuestionRecord::DeliveryMoved { delivery, way, .. } => data.put("delivery", delivery).put("deliveredBy", way),
    }
}

fn terminal<'a>(data: &'a mut Data, record: &TerminalRecord) -> &'a mut Data {
    match record {
        TerminalRecord::MonitorStarted { kind, .. } => data.put("kind", kind),
        TerminalRecord::MonitorStopped { .. } => data,
        // People answer from what they see here: a prompt is shown whole. It has a bound of its own.
        TerminalRecord::InputPromptDetected { prompt, .. } => data.put("prompt", prompt),
        TerminalRecord::InputPromptGone { prompt_text, after, .. } => {
            data.line("promptText", prompt_text).put("afterMs", after)
        }
        // What was typed is for patterns alone.
        TerminalRecord::InputTracked { input, .. } => {
            data.line("promptText", &input.prompt_text).put("promptType", input.prompt_type);
            data.put("dangerous", input.dangerous).put("success", input.success).put("source", input.source);
            data.put("provenance", input.provenance).put("responseTimeMs", input.response_time);
            data.put("patternId", &input.pattern)
        }
        TerminalRecord::InputOrdered { order, .. } | TerminalRecord::InputInjected { order, .. } => {
            ordered(data, order)
        }
        TerminalRecord::InputUndelivered { order, why, .. } => ordered(data, order).line("seen", why),
        TerminalRecord::InputDeclined { order_id, why, .. } => data.put("orderId", order_id).line("reason", why),
    }
}

/// What and why in full: both have bounds of their own, and no control characters.
fn ordered<'a>(data: &'a mut Data, order: &InputOrder) -> &'a mut Data {
    data.put("orderId", &order.order_id).line("promptText", &order.prompt_text);
    data.put("promptType", order.prompt_type).put("dangerous", order.dangerous);
    data.put("inputText", &order.input_text).put("byPerson", order.by_person).put("reason", &order.reason);
    data.put("noticeId", &order.notice)
}

fn agent<'a>(data: &'a mut Data, record: &AgentRecord) -> &'a mut Data {
    match record {
        AgentRecord::Registered { registration } => registered(data, registration),
        AgentRecord::NoticePosted { notice } => posted(data, notice),
        AgentRecord::NoticesHeard { ids } | AgentRecord::NoticesUndeliverable { ids } => data.put("noticeIds", ids),
        AgentRecord::NoticeMoved { id, order_id, whole, now } => {
            data.put("noticeId", id).put("orderId", order_id).put("whole", whole).put("stage", now)
        }
        AgentRecord::Evicted { eviction } => data.put("action", eviction.action).line("reason", &eviction.reason),
        AgentRecord::EvictionHeard => data,
    }
}

fn registered<'a>(data: &'a mut Data, registration: &Registration) -> &'a mut Data {
    data.put("role", &registration.role)
        .line("displayName", &registration.display_name)
        .put("capabilities", &registration.capabilities)
        .put("client", registration.client.as_ref().map(|client| &client.name))
        .put("workspace", &registration.workspace)
}

fn posted<'a>(data: &'a mut Data, notice: &Notice) -> &'a mut Data {
    data.put("questionId", &notice.question_id)
        .put("noticeId", &notice.id)
        .put("kind", notice.kind)
        .put("from", &notice.from.display_name)
        .line("text", &notice.text)
}
