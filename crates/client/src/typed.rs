//! What a person types, where an agent would call a tool.
//!
//! The hub's advice in a refusal (`details.prompt`) and some of its sentences name tools: whoever reads them there is a
//! model. At a command line nobody can call one. So a refusal's next step is chosen here by its code, and a sentence
//! that names a tool names the command instead. Codes and JSON stay as the hub gives them.

pub use crate::domain::refusal::next_step;

/// What does the same as a tool, for those that people have a use for.
pub const COMMANDS: [(&str, &str); 12] = [
    ("answer_task", "callboard task answer"),
    ("assign_task", "callboard task add"),
    ("cancel_task", "callboard task cancel"),
    ("detect_input_prompt", "callboard inbox list"),
    ("get_agent_status", "callboard agent list"),
    ("get_review_comments", "callboard review list"),
    ("get_session", "callboard session list"),
    ("get_session_updates", "callboard session follow"),
    ("get_task_context", "callboard task show"),
    ("list_agents", "callboard agent list"),
    ("list_prs", "callboard review list"),
    ("wait_for_task", "callboard task follow"),
];

/// What only an agent does, in words that need no name of a tool.
const DEEDS: [(&str, &str); 2] = [("call wait_for_prompt", "ask for work"), ("call register_agent", "register")];

/// Fields of requests that are flags of the commands, by the same name.
const FLAGS: [&str; 15] = [
    "allowPrivate", "after", "at", "catchUp", "cron", "every", "idempotencyKey", "limit", "overlap", "priority",
    "reason", "since", "timezone", "title", "worktree",
];

/// A refusal's sentence about a request with the flags of commands in place of its fields.
pub fn with_flags(sentence: &str) -> String {
    let sentence = sentence.trim_start_matches("the body: ").trim_start_matches("the query: ");
    FLAGS.iter().fold(as_typed(sentence), |said, field| {
        let flag: String =
            field.chars().flat_map(|c| c.is_uppercase().then_some('-').into_iter().chain(c.to_lowercase())).collect();
        said.replace(&format!("`{field}`"), &format!("`--{flag}`"))
            .replace(&format!("`{field}: true`"), &format!("`--{flag}`"))
    })
}

/// A sentence of the hub's own with commands in place of tools. Not for words of others, which stay as they are.
pub fn as_typed(sentence: &str) -> String {
    let sentence = DEEDS.iter().fold(sentence.to_owned(), |sentence, (call, deed)| sentence.replace(call, deed));
    let is_of_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let mut typed = String::with_capacity(sentence.len());
    let mut rest = sentence.as_str();
    while let Some(start) = rest.find(is_of_name) {
        let (before, from) = rest.split_at(start);
        let (name, behind) = from.split_at(from.find(|c| !is_of_name(c)).unwrap_or(from.len()));
        typed.push_str(before);
        match COMMANDS.iter().find(|(tool, _)| *tool == name) {
            Some((_, command)) if before.ends_with('`') => typed.push_str(command),
            Some((_, command)) => typed.push_str(&format!("`{command}`")),
            None => typed.push_str(name),
        }
        rest = behind;
    }
    typed.push_str(rest);
    typed
}

#[cfg(test)]
mod tests;
