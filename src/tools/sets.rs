//! Which set each tool belongs to, and which sets somebody is shown.
//!
//! Who asks by name (`/mcp?tools=core`, `callboard proxy --tools core`) is shown that. An agent is otherwise shown the
//! sets of its role (`agents.yaml`, `tools`): the one it registered in, else the one it is configured in; without
//! either, `work`. With `work` comes `forge`, as soon as agents may open pull requests somewhere (`hub.yaml:
//! forge.repositories`). People and programs are shown everything.
//!
//! A session, a socket or a stream that listens is told `notifications/tools/list_changed` when a registration or a
//! reload leads to other sets than it was shown last. Who asked by name is never told.

use std::collections::BTreeSet;

use super::refusal::Result;
use super::refuse;
use crate::actors::HubRef;
use crate::domain::principal::Principal;
use crate::domain::tool_set::{ToolSet, ToolSets};

/// The tools of the set `core`.
const CORE: [&str; 8] = [
    "register_agent", "wait_for_prompt", "send_response", "request_input", "assign_task", "wait_for_task",
    "list_agents", "get_task_context",
];

/// The tools that the set `work` adds to `core`.
const WORK: [&str; 20] = [
    "ack_task", "answer_task", "cancel_task", "complete_task", "get_agent_status", "get_review_comments",
    "get_session", "get_session_history", "link_task", "list_prs", "mark_blocked", "post_task_comment",
    "resolve_review_comment", "send_message", "submit_for_review", "update_progress", "update_status",
    "wait_for_answer", "withdraw_question", "workflow_complete",
];

/// The tools of pull requests, beside the list of them.
const FORGE: [&str; 4] = ["create_pr", "get_pr_status", "merge_pr", "update_pr"];

/// The tools of terminal sessions.
const TERMINALS: [&str; 10] = [
    "append_output", "detect_input_prompt", "forget_pattern", "get_learned_patterns", "get_session_updates",
    "infer_expected_input", "search_session_history", "start_session_monitor", "stop_session_monitor",
    "track_input_event",
];

/// The tools of every round: a client that loads tools as they are needed is asked to have these from the start.
const LOOP: [&str; 4] = ["register_agent", "wait_for_prompt", "send_response", "request_input"];

/// The smallest set that the tool of that name belongs to.
pub fn set_of(name: &str) -> ToolSet {
    if CORE.contains(&name) {
        ToolSet::Core
    } else if WORK.contains(&name) {
        ToolSet::Work
    } else if FORGE.contains(&name) {
        ToolSet::Forge
    } else if TERMINALS.contains(&name) {
        ToolSet::Terminals
    } else if name == "ask_permission" {
        ToolSet::Permissions
    } else {
        ToolSet::All
    }
}

/// Whether an agent calls the tool of that name in every round.
pub fn is_in_the_loop(name: &str) -> bool {
    LOOP.contains(&name)
}

/// The sets that `who` is shown when they ask for none by name.
pub async fn shown_to(hub: &HubRef, who: &Principal) -> Result<ToolSets> {
    let Some(id) = who.agent() else { return Ok(ToolSets::of([ToolSet::All])) };
    let registered = match hub.agent(id).await.map_err(refuse::fault)? {
        Some(agent) => agent.show().await.map_err(refuse::fault)?.agent.registration.map(|known| known.role),
        None => None,
    };
    let settings = hub.settings();
    let configured = || settings.roles.agents.get(id).map(|agent| agent.role.clone());
    let role = registered.or_else(configured).and_then(|role| settings.roles.find(role.as_str()));
    let sets = role.map_or_else(|| BTreeSet::from([ToolSet::Work]), |(_, role)| role.tools.clone());
    // Where no repository is open to agents they would pay for tools that can only refuse.
    let opens = sets.contains(&ToolSet::Work) && !settings.hub.forge.repositories.is_empty();
    Ok(ToolSets::of(sets.into_iter().chain(opens.then_some(ToolSet::Forge))))
}

#[cfg(test)]
mod tests;
