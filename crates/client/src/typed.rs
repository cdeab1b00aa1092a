//! What a person types, where an agent would call a tool.
//!
//! The hub's advice in a refusal (`details.prompt`) and some of its sentences name tools: whoever reads them there is a
//! model. At a command line nobody can call one. So a refusal's next step is chosen here by its code, and a sentence
//! that names a tool names the command instead. Codes and JSON stay as the hub gives them.

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

/// What to type after a refusal of this code, answered with this status.
pub fn next_step(status: u16, code: &str) -> Option<&'static str> {
    Some(match (status, code) {
        (401, _) => "set CALLBOARD_TOKEN_FILE, or CALLBOARD_DATA_DIR to the data directory of that hub",
        (_, "NOT_PERMITTED") => "people.yaml in the folder that the hub was started with (`--config`) says who may",
        (_, "NOT_A_HUMAN" | "NOT_A_PERSONS_ANSWER") => {
            "use a person's token: callboard token create --scope operate --name NAME"
        }
        (_, "PROMPT_SECRET") => "type it at the terminal itself",
        (_, "FORBIDDEN") => "add the address that you reach the hub by to `allowedHosts` of hub.yaml",
        (_, "FILE_NOT_READABLE") => "name a plain file below `monitor.roots`, or add its folder there",
        (403, "INSUFFICIENT_SCOPE" | "") => {
            "use a token with the scope that it needs: callboard token create --scope SCOPE --name NAME"
        }
        (_, "TASK_NOT_FOUND" | "DEPENDENCY_UNKNOWN") => "callboard task list",
        (_, "DEPENDENCY_FAILED") => "callboard task retry of that one first, or leave it out of --after",
        (_, "DEPENDENCY_CYCLE") => "leave that task out of --after",
        (_, "QUEUE_FULL") => "callboard task list --state queued; callboard task cancel ID of what is not needed",
        (_, "REVIEW_NOT_FOUND") => "callboard inbox list",
        (409, "TASK_WRONG_STATE") => "callboard task show ID says how it stands, and what can be done",
        (_, "COMMENT_NOT_FOUND") => "callboard review show TASK",
        (_, "COMMENT_MISSING") => "say what is to change: --comment TEXT",
        (_, "DIFF_INVALID") => "callboard review show TASK --diff shows which lines there are",
        (_, "ALREADY_RESOLVED" | "LATE_ANSWERS_FULL" | "QUESTION_NOT_FOUND") => "callboard question list",
        (_, "ANSWER_NOT_AN_OPTION") => {
            "callboard question show QUESTION shows the options; in own words: callboard question answer QUESTION \
             --own-words TEXT"
        }
        (_, "WORKFLOW_UNKNOWN") => "callboard workflow list",
        (_, "WORKFLOW_NOT_FOUND" | "WORKFLOW_ENDED") => "callboard workflow runs",
        (_, "ACTOR_NOT_FOUND") => "callboard actor list",
        (_, "AGENT_NOT_FOUND") => "callboard agent list",
        (_, "TARGET_UNKNOWN") => {
            "callboard agent list says who is there; for who is yet to come the role, as role:test-engineer, or any"
        }
        (_, "DELIVERY_NOT_FOUND") => "callboard outbox list",
        (_, "SCHEDULE_NOT_FOUND" | "SCHEDULE_EXISTS") => "callboard schedule list",
        (_, "WEBHOOK_NOT_FOUND") => "callboard webhook list",
        (_, "SESSION_NOT_FOUND") => "callboard session list",
        (409, "TASK_CLOSED") => "callboard task show ID; a failed task goes on by `callboard task retry ID`",
        (_, "TASK_CANCELLED") => "callboard task show ID",
        (_, "TOKEN_NOT_FOUND") => "callboard token list",
        (_, "NO_INPUT_PROMPT" | "PROMPT_CHANGED") => "callboard inbox list shows what stands there now",
        (_, "NOT_SAFE_TO_TYPE") => {
            "callboard session follow SESSION, and again in a moment; else type at the terminal itself"
        }
        (_, "INPUT_UNDELIVERED") => {
            "callboard session follow SESSION shows where it stands; send it, or erase it, at the terminal itself"
        }
        (_, "TERMINAL_NOT_HOSTED") => "start the program by callboard run --inject, or type at the terminal itself",
        (_, "TEXT_TOO_LONG" | "BODY_TOO_LARGE") => {
            "say it shorter; put long material into a file, and name it in the text"
        }
        (_, "STORAGE_FULL" | "STORAGE_FAILED") => "make room on the disk of the hub's data directory, or mend it",
        (429 | 503, _) => "the same command again in a moment",
        (_, _) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_commands_and_no_tools() {
        for (said, typed) in [
            ("ann needs an answer: use answer_task", "ann needs an answer: use `callboard task answer`"),
            ("by `answer_task`.", "by `callboard task answer`."),
            (
                "waits for an agent that fits any to call wait_for_prompt",
                "waits for an agent that fits any to ask for work",
            ),
            (
                "get_session_history stays, as do Übung and `t_0001`",
                "get_session_history stays, as do Übung and `t_0001`",
            ),
            ("", ""),
        ] {
            assert_eq!(as_typed(said), typed);
        }
    }
}
