//! Every verb, once, by name.

use std::sync::LazyLock;

use serde_json::Value;

use super::fit::Remainder;
use super::refusal::Result;
use super::run::{Running, run};
use super::verb::{Call, For, Verb};
use super::{
    ack_task, answer_task, append_output, ask_permission, assign_task, cancel_task, cleanup_old_sessions,
    complete_task, create_pr, detect_input_prompt, forget_pattern, get_agent_status, get_learned_patterns,
    get_pr_status, get_review_comments, get_session, get_session_history, get_session_updates, get_task_context,
    infer_expected_input, link_task, list_agents, list_prs, mark_blocked, merge_pr, post_task_comment, register_agent,
    request_input, resolve_review_comment, schema, search_session_history, send_message, send_response,
    start_session_monitor, stop_session_monitor, submit_for_review, track_input_event, update_pr, update_progress,
    update_status, wait_for_answer, wait_for_prompt, wait_for_task, withdraw_question, workflow_complete,
};

/// A verb as the doors show it.
#[derive(Debug)]
pub struct ToolEntry {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    /// The schema of its arguments, a JSON Schema of the 2020-12 draft without references.
    pub input_schema: Value,
    /// The schema of everything that it answers, refusals too.
    pub output_schema: Value,
    pub read_only: bool,
    pub idempotent: bool,
    pub destructive: bool,
    /// Whether it takes an `idempotencyKey`.
    pub mutating: bool,
    /// Whether a call may block for long: its door then shows that it lives, and watches whether anybody listens.
    pub blocks: bool,
    pub reports: bool,
    pub(super) whom: For,
    pub(super) in_session: bool,
    /// Arguments that are no part of what is asked, for keys.
    pub(super) beside: &'static [&'static str],
    pub(super) tells: bool,
    /// Whether its answer is a client's to read, and no model's: then it is text alone.
    pub to_client: bool,
    pub(super) rest: Option<Remainder>,
    /// The common fields that this verb reads itself.
    pub(super) own_fields: Vec<&'static str>,
    pub(super) run: fn(Call, Value) -> Result<Running>,
}

macro_rules! verbs {
    ($($verb:ty),+ $(,)?) => {
        static TABLE: LazyLock<Vec<ToolEntry>> = LazyLock::new(|| {
            let mut table = vec![$(entry::<$verb>()),+];
            table.sort_by_key(|entry| entry.name);
            table
        });
    };
}

verbs![
    ack_task::AckTask,
    answer_task::AnswerTask,
    ask_permission::AskPermission,
    assign_task::AssignTask,
    cancel_task::CancelTask,
    complete_task::CompleteTask,
    get_agent_status::GetAgentStatus,
    get_review_comments::GetReviewComments,
    get_task_context::GetTaskContext,
    list_agents::ListAgents,
    list_prs::ListPrs,
    register_agent::RegisterAgent,
    resolve_review_comment::ResolveReviewComment,
    send_message::SendMessage,
    send_response::SendResponse,
    submit_for_review::SubmitForReview,
    update_progress::UpdateProgress,
    wait_for_prompt::WaitForPrompt,
    wait_for_task::WaitForTask,
    create_pr::CreatePr,
    get_pr_status::GetPrStatus,
    merge_pr::MergePr,
    update_pr::UpdatePr,
    get_session::GetSession,
    get_session_history::GetSessionHistory,
    link_task::LinkTask,
    mark_blocked::MarkBlocked,
    post_task_comment::PostTaskComment,
    request_input::RequestInput,
    update_status::UpdateStatus,
    wait_for_answer::WaitForAnswer,
    withdraw_question::WithdrawQuestion,
    append_output::AppendOutput,
    detect_input_prompt::DetectInputPrompt,
    infer_expected_input::InferExpectedInput,
    cleanup_old_sessions::CleanupOldSessions,
    forget_pattern::ForgetPattern,
    get_learned_patterns::GetLearnedPatterns,
    get_session_updates::GetSessionUpdates,
    search_session_history::SearchSessionHistory,
    start_session_monitor::StartSessionMonitor,
    stop_session_monitor::StopSessionMonitor,
    track_input_event::TrackInputEvent,
    workflow_complete::WorkflowComplete,
];

/// Every verb, by name.
pub fn table() -> &'static [ToolEntry] {
    &TABLE
}

pub fn find(name: &str) -> Option<&'static ToolEntry> {
    TABLE.iter().find(|entry| entry.name == name)
}

fn entry<V: Verb>() -> ToolEntry {
    ToolEntry {
        name: V::NAME,
        title: V::TITLE,
        description: V::DESCRIPTION,
        input_schema: schema::input::<V>(V::KEYED),
        output_schema: schema::output::<V::Output>(),
        read_only: V::HINTS.read_only,
        idempotent: V::HINTS.idempotent,
        destructive: V::HINTS.destructive,
        mutating: V::KEYED,
        beside: V::BESIDE,
        blocks: V::BLOCKS,
        reports: V::REPORTS,
        whom: V::FOR,
        in_session: V::IN_SESSION,
        tells: V::TELLS,
        to_client: V::TO_CLIENT,
        rest: V::REST,
        own_fields: schema::shadowed::<V>(),
        run: run::<V>,
    }
}
