//! The table: each door, the deed that it is, and a call that does it to the work of `fullstack-1`.

use serde_json::{Value, json};

use super::scene::{Scene, Stage, WORKER};
use crate::domain::permission::Deed;

/// A way in.
#[derive(Debug, Clone, Copy)]
pub(super) enum Door {
    /// A route, by its method and its row in the table of routes.
    Route(&'static str, &'static str),
    /// A verb over plain HTTP.
    Tool(&'static str),
    /// The same over MCP.
    Mcp(&'static str),
    /// An action of the inbox on an item of that sort.
    Inbox(&'static str, &'static str),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) door: Door,
    pub(super) deed: Deed,
    pub(super) scene: Scene,
    pub(super) body: Body,
}

type Body = fn(&Stage) -> Value;
type Verb = (&'static str, Deed, Scene, Body);
/// By method and path, or by action and sort of item.
type Call = (&'static str, &'static str, Deed, Scene, Body);

impl Door {
    pub(super) fn route(&self) -> Option<String> {
        match self {
            Self::Route(method, path) => Some(format!("{method} {path}")),
            Self::Tool(_) | Self::Mcp(_) | Self::Inbox(..) => None,
        }
    }

    pub(super) const fn tool(&self) -> Option<&'static str> {
        match self {
            Self::Tool(name) => Some(name),
            Self::Route(..) | Self::Mcp(_) | Self::Inbox(..) => None,
        }
    }

    pub(super) const fn mcp(&self) -> Option<&'static str> {
        match self {
            Self::Mcp(name) => Some(name),
            Self::Route(..) | Self::Tool(_) | Self::Inbox(..) => None,
        }
    }

    pub(super) const fn action(&self) -> Option<&'static str> {
        match self {
            Self::Inbox(action, _) => Some(action),
            Self::Route(..) | Self::Tool(_) | Self::Mcp(_) => None,
        }
    }
}

pub(super) fn rows() -> Vec<Row> {
    let mut rows = routes();
    for (name, deed, scene, body) in verbs() {
        rows.push(Row { door: Door::Tool(name), deed, scene, body });
        rows.push(Row { door: Door::Mcp(name), deed, scene, body });
    }
    let actions: [Call; 9] = [
        ("answer", "blocked", Deed::AnswerTask, Scene::Blocked, |_| json!("7420")),
        ("answer", "question", Deed::AnswerQuestion, Scene::Asking, |_| json!("new")),
        ("answer", "input_prompt", Deed::TypeInTerminal, Scene::AtAPrompt, |_| json!("yes")),
        ("approve", "review", Deed::ApproveWork, Scene::InReview, |_| json!("good")),
        ("request-changes", "review", Deed::JudgeWork, Scene::InReview, |_| json!("rename it")),
        ("retry", "timeout", Deed::RetryTask, Scene::Failed, |_| Value::Null),
        ("requeue", "dead_letter", Deed::RequeueTask, Scene::DeadLetter, |_| Value::Null),
        ("reassign", "blocked", Deed::ReassignTask, Scene::Blocked, |_| json!(WORKER)),
        ("cancel", "blocked", Deed::CancelTask, Scene::Blocked, |_| json!("not needed")),
    ];
    rows.extend(actions.map(|(action, kind, deed, scene, body)| Row {
        door: Door::Inbox(action, kind),
        deed,
        scene,
        body,
    }));
    rows
}

fn routes() -> Vec<Row> {
    let rows: [Call; 24] = [
        ("POST", "/api/v1/tasks", Deed::AssignTask, Scene::Idle, |_| asked()),
        ("POST", "/api/v1/tasks/{id}/cancel", Deed::CancelTask, Scene::Working, |_| json!({})),
        ("POST", "/api/v1/tasks/{id}/retry", Deed::RetryTask, Scene::Failed, |_| json!({})),
        ("POST", "/api/v1/tasks/{id}/requeue", Deed::RequeueTask, Scene::DeadLetter, |_| json!({})),
        (
            "POST",
            "/api/v1/tasks/{id}/reassign",
            Deed::ReassignTask,
            Scene::Working,
            |_| json!({"targetAgentId": WORKER}),
        ),
        ("POST", "/api/v1/tasks/{id}/edit", Deed::EditTask, Scene::Working, |_| json!({"priority": "high"})),
        ("POST", "/api/v1/tasks/{id}/comments", Deed::CommentOnTask, Scene::Working, |_| json!({"text": "x"})),
        ("POST", "/api/v1/tasks/{id}/answer", Deed::AnswerTask, Scene::Blocked, |_| json!({"answer": "7420"})),
        ("POST", "/api/v1/tasks/{id}/approve", Deed::ApproveWork, Scene::InReview, |_| json!({})),
        ("POST", "/api/v1/tasks/{id}/request-changes", Deed::JudgeWork, Scene::InReview, |_| wishes()),
        ("POST", "/api/v1/reviews/{id}/approve", Deed::ApproveWork, Scene::InReview, |_| json!({})),
        ("POST", "/api/v1/reviews/{id}/request-changes", Deed::JudgeWork, Scene::InReview, |_| wishes()),
        ("POST", "/api/v1/reviews/{id}/comments", Deed::DiscussWork, Scene::InReview, |_| json!({"text": "x"})),
        (
            "POST",
            "/api/v1/reviews/{id}/resolve",
            Deed::SettleComment,
            Scene::InReview,
            |stage| json!({"commentId": stage.comment}),
        ),
        (
            "POST",
            "/api/v1/agents/{id}/evict",
            Deed::EvictAgent,
            Scene::Working,
            |_| json!({"action": "RESTART", "reason": "x"}),
        ),
        ("POST", "/api/v1/questions/{id}/answer", Deed::AnswerQuestion, Scene::Asking, |_| json!({"value": "new"})),
        ("POST", "/api/v1/sessions/{id}/output", Deed::PrintInTerminal, Scene::Working, |_| json!("$ ls")),
        (
            "POST",
            "/api/v1/sessions/{id}/input",
            Deed::TypeInTerminal,
            Scene::AtAPrompt,
            |_| json!({"text": "yes", "promptText": "Go on? (yes/no)", "reason": "x"}),
        ),
        ("POST", "/api/v1/tokens", Deed::ManageToken, Scene::Idle, |_| json!({"agent": WORKER})),
        ("POST", "/api/v1/tokens/{id}/rotate", Deed::ManageToken, Scene::Idle, |_| json!({})),
        ("DELETE", "/api/v1/tokens/{id}", Deed::ManageToken, Scene::Idle, |_| Value::Null),
        ("POST", "/api/v1/workflows/{id}/cancel", Deed::CancelWorkflow, Scene::Idle, |_| json!({})),
        ("POST", "/admin/actors/{id}/restart", Deed::RestartActor, Scene::Working, |_| json!({})),
        // The same row once more, for an actor that is found through its task.
        ("POST", "/admin/actors/{id}/restart", Deed::RestartActor, Scene::Blocked, |_| json!({})),
    ];
    rows.map(|(method, path, deed, scene, body)| Row { door: Door::Route(method, path), deed, scene, body }).to_vec()
}

fn verbs() -> [Verb; 14] {
    [
        ("assign_task", Deed::AssignTask, Scene::Idle, |_| asked()),
        ("cancel_task", Deed::CancelTask, Scene::Working, |stage| json!({"taskId": stage.task()})),
        ("answer_task", Deed::AnswerTask, Scene::Blocked, |stage| json!({"taskId": stage.task(), "answer": "7420"})),
        ("resolve_review_comment", Deed::SettleComment, Scene::InReview, |stage| json!({"comment_id": stage.comment})),
        (
            "update_status",
            Deed::SpeakInSession,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "status": "working", "message": "x"}),
        ),
        (
            "append_output",
            Deed::PrintInTerminal,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "text": "$ ls"}),
        ),
        ("track_input_event", Deed::PrintInTerminal, Scene::Working, |stage| {
            json!({"session_id": stage.session, "prompt_text": "Name?", "input_text": "x", "success": true,
                    "input_source": "user_typed"})
        }),
        (
            "mark_blocked",
            Deed::SpeakInSession,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "reason": "x"}),
        ),
        (
            "link_task",
            Deed::SpeakInSession,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "work_item": "acme/web#12"}),
        ),
        (
            "post_task_comment",
            Deed::CommentOnTask,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "body": "x"}),
        ),
        (
            "request_input",
            Deed::AskInSession,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "question": "?", "default_action": "x", "wait_seconds": 0}),
        ),
        (
            "withdraw_question",
            Deed::WithdrawQuestion,
            Scene::Asking,
            |stage| json!({"session_id": stage.session, "question_id": stage.question}),
        ),
        (
            "submit_for_review",
            Deed::ReportOnTask,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "pr_url": "https://forge.example/1"}),
        ),
        (
            "complete_task",
            Deed::ReportOnTask,
            Scene::Working,
            |stage| json!({"session_id": stage.session, "summary": "x"}),
        ),
    ]
}

fn asked() -> Value {
    json!({"targetAgentId": WORKER, "prompt": "Build it."})
}

fn wishes() -> Value {
    json!({"comments": [{"text": "Rename it."}]})
}
