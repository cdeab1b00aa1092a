//! What somebody must know of a call who only passes it on: whether it waits and for how long, and whether a repeat of
//! it needs a key. The verbs say the same of themselves.

use serde_json::Value;

/// What passing on a call of a verb takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nature {
    pub name: &'static str,
    /// Whether it takes an `idempotencyKey`.
    pub mutating: bool,
    pub blocks: bool,
}

pub const NATURES: [Nature; 44] = [
    changes("ack_task"),
    changes("answer_task"),
    changes("append_output"),
    waits("ask_permission"),
    changes("assign_task"),
    changes("cancel_task"),
    changes("cleanup_old_sessions"),
    changes("complete_task"),
    changes("create_pr"),
    looks("detect_input_prompt"),
    changes("forget_pattern"),
    looks("get_agent_status"),
    looks("get_learned_patterns"),
    looks("get_pr_status"),
    looks("get_review_comments"),
    looks("get_session"),
    looks("get_session_history"),
    looks("get_session_updates"),
    changes("get_task_context"),
    looks("infer_expected_input"),
    changes("link_task"),
    looks("list_agents"),
    looks("list_prs"),
    changes("mark_blocked"),
    changes("merge_pr"),
    changes("post_task_comment"),
    changes("register_agent"),
    asks("request_input"),
    changes("resolve_review_comment"),
    looks("search_session_history"),
    changes("send_message"),
    changes("send_response"),
    changes("start_session_monitor"),
    changes("stop_session_monitor"),
    changes("submit_for_review"),
    changes("track_input_event"),
    changes("update_pr"),
    changes("update_progress"),
    changes("update_status"),
    waits("wait_for_answer"),
    waits("wait_for_prompt"),
    waits("wait_for_task"),
    changes("withdraw_question"),
    changes("workflow_complete"),
];

const fn looks(name: &'static str) -> Nature {
    Nature { name, mutating: false, blocks: false }
}

const fn changes(name: &'static str) -> Nature {
    Nature { name, mutating: true, blocks: false }
}

const fn waits(name: &'static str) -> Nature {
    Nature { name, mutating: false, blocks: true }
}

/// It changes something, and waits for what comes of that.
const fn asks(name: &'static str) -> Nature {
    Nature { name, mutating: true, blocks: true }
}

pub fn nature(name: &str) -> Option<Nature> {
    NATURES.into_iter().find(|nature| nature.name == name)
}

/// The arguments that say how long a call may wait, in seconds.
pub const SPANS: [&str; 3] = ["timeout", "wait_seconds", "waitSeconds"];

/// How long the raw arguments of a call ask to wait, in seconds; none where they do not say.
pub fn seconds(arguments: &Value) -> Option<f64> {
    SPANS.iter().find_map(|name| {
        let given = arguments.get(name)?;
        given.as_f64().or_else(|| serde_json::from_str(given.as_str()?).ok())
    })
}

/// Whether a raw argument counts as left out.
pub fn is_left_out(given: &Value) -> bool {
    given.is_null() || given == ""
}

#[cfg(test)]
mod tests;
