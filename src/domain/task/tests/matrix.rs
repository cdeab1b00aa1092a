//! Every state against every command: one row a state, one column a command, one word an outcome.
//!
//! A word that is a state says where the command leads; `same` says that it is granted and changes nothing; anything
//! else is the code of a refusal.

use super::kit::*;
use crate::domain::task::*;

const COMMANDS: [&str; 17] = [
    "offer", "return", "release", "ack", "progress", "complete", "block", "fail", "submit", "approve", "changes",
    "answer", "cancel", "retry", "requeue", "reassign", "remark",
];

/// The outcomes for an agent that has, or had, the task: `ann`. The columns are [`COMMANDS`].
#[rustfmt::skip]
const TABLE: [(&str, [&str; 17]); 15] = [
    // state                offer       return   release   ack            progress       complete     block          fail           submit         approve     changes   answer    cancel       retry      requeue    reassign    remark
    ("QUEUED, fresh",      ["ASSIGNED", "same",  "same",   "NOT_FOUND",   "NOT_FOUND",   "NOT_FOUND", "NOT_FOUND",  "NOT_FOUND",   "NOT_FOUND",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "QUEUED"]),
    ("QUEUED, ann's last", ["ASSIGNED", "same",  "same",   "IN_PROGRESS", "IN_PROGRESS", "COMPLETED", "BLOCKED",    "FAILED",      "IN_REVIEW",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "QUEUED"]),
    ("QUEUED, taken away", ["ASSIGNED", "same",  "same",   "LOST",        "LOST",        "LOST",      "LOST",       "LOST",        "LOST",        "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "QUEUED"]),
    ("ASSIGNED to ann",    ["ASSIGNED", "QUEUED", "QUEUED", "IN_PROGRESS", "IN_PROGRESS", "COMPLETED", "BLOCKED",   "FAILED",      "IN_REVIEW",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "ASSIGNED"]),
    ("ASSIGNED to bob",    ["WRONG",    "same",  "same",   "LOST",        "LOST",        "LOST",      "LOST",       "LOST",        "LOST",        "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "ASSIGNED"]),
    ("IN_PROGRESS by ann", ["WRONG",    "same",  "QUEUED", "same",        "IN_PROGRESS", "COMPLETED", "BLOCKED",    "FAILED",      "IN_REVIEW",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "IN_PROGRESS"]),
    ("IN_PROGRESS by bob", ["WRONG",    "same",  "same",   "LOST",        "LOST",        "LOST",      "LOST",       "LOST",        "LOST",        "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "IN_PROGRESS"]),
    ("BLOCKED on answer",  ["WRONG",    "same",  "same",   "WRONG",       "IN_PROGRESS", "COMPLETED", "same",       "FAILED",      "IN_REVIEW",   "WRONG",     "WRONG",  "QUEUED", "CANCELLED", "WRONG",   "WRONG",   "QUEUED",   "BLOCKED"]),
    ("BLOCKED on a task",  ["WRONG",    "same",  "same",   "NOT_FOUND",   "NOT_FOUND",   "NOT_FOUND", "NOT_FOUND",  "NOT_FOUND",   "NOT_FOUND",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "BLOCKED",  "BLOCKED"]),
    ("IN_REVIEW",          ["WRONG",    "same",  "same",   "WRONG",       "WRONG",       "WRONG",     "WRONG",      "WRONG",       "same",        "COMPLETED", "QUEUED", "WRONG",  "CANCELLED", "WRONG",   "WRONG",   "WRONG",    "IN_REVIEW"]),
    ("TIMEOUT",            ["WRONG",    "same",  "same",   "IN_PROGRESS", "IN_PROGRESS", "COMPLETED", "BLOCKED",    "FAILED",      "IN_REVIEW",   "WRONG",     "WRONG",  "WRONG",  "CANCELLED", "QUEUED",  "WRONG",   "QUEUED",   "TIMEOUT"]),
    ("COMPLETED",          ["WRONG",    "same",  "same",   "CLOSED",      "CLOSED",      "same",      "CLOSED",     "CLOSED",      "CLOSED",      "CLOSED",    "CLOSED", "CLOSED", "CLOSED",    "CLOSED",  "CLOSED",  "CLOSED",   "CLOSED"]),
    ("FAILED",             ["WRONG",    "same",  "same",   "CLOSED",      "CLOSED",      "CLOSED",    "CLOSED",     "same",        "CLOSED",      "CLOSED",    "CLOSED", "CLOSED", "CLOSED",    "QUEUED",  "WRONG",   "WRONG",    "CLOSED"]),
    ("CANCELLED",          ["WRONG",    "same",  "same",   "GONE",        "GONE",        "GONE",      "GONE",       "GONE",        "GONE",        "GONE",      "GONE",   "GONE",   "same",      "GONE",    "GONE",    "GONE",     "GONE"]),
    ("DEAD_LETTER",        ["WRONG",    "same",  "same",   "CLOSED",      "CLOSED",      "CLOSED",    "CLOSED",     "CLOSED",      "CLOSED",      "CLOSED",    "CLOSED", "CLOSED", "CLOSED",    "WRONG",   "QUEUED",  "WRONG",    "CLOSED"]),
];

fn command(name: &str) -> TaskCommand {
    match name {
        "offer" => say::offer("ann"),
        "return" => say::returned("ann", 1, ReturnReason::ConnectionLost),
        "release" => say::release("ann"),
        "ack" => say::ack("ann"),
        "progress" => say::tell("ann", progress()),
        "complete" => say::tell("ann", ReportKind::Completed),
        "block" => say::tell("ann", blocked("which port?")),
        "fail" => say::tell("ann", ReportKind::Failed),
        "submit" => say::submit("ann"),
        "approve" => TaskCommand::Approve { message: None },
        "changes" => say::changes(),
        "answer" => say::answer("7420"),
        "cancel" => say::cancel(),
        "retry" => TaskCommand::Retry,
        "requeue" => TaskCommand::Requeue,
        "reassign" => say::reassign("bob"),
        "remark" => say::remark(),
        other => panic!("no command is called {other}"),
    }
}

fn state(name: &str) -> Story {
    let begun = Story::begins;
    let offered = || begun().then(say::offer("ann"));
    let leased = || offered().then(say::ack("ann"));
    let held = || {
        let terms = LeaseTerms { on_timeout: OnTimeout::Hold, ..terms() };
        begun().then(TaskCommand::Offer { agent: agent("ann"), terms }).then(say::ack("ann")).later(TTL)
    };
    let last_chance = || {
        let terms = LeaseTerms { max_attempts: 1, ..terms() };
        begun().then(TaskCommand::Offer { agent: agent("ann"), terms }).then(say::ack("ann")).later(TTL)
    };
    match name {
        "QUEUED, fresh" => begun(),
        "QUEUED, ann's last" => leased().later(TTL),
        "QUEUED, taken away" => leased().then(say::reassign("bob")),
        "ASSIGNED to ann" => offered(),
        "ASSIGNED to bob" => leased().later(TTL).then(say::offer("bob")),
        "IN_PROGRESS by ann" => leased(),
        "IN_PROGRESS by bob" => leased().later(TTL).then(say::offer("bob")).then(say::ack("bob")),
        "BLOCKED on answer" => leased().then(say::tell("ann", blocked("which port?"))),
        "BLOCKED on a task" => Story::depends(&[("first001", Dependency::Pending)]),
        "IN_REVIEW" => leased().then(say::submit("ann")),
        "TIMEOUT" => held(),
        "COMPLETED" => leased().then(say::tell("ann", ReportKind::Completed)),
        "FAILED" => leased().then(say::tell("ann", ReportKind::Failed)),
        "CANCELLED" => leased().then(say::cancel()),
        "DEAD_LETTER" => last_chance(),
        other => panic!("no state is called {other}"),
    }
}

fn outcome(story: &Story, command: &TaskCommand) -> &'static str {
    let mut copy = story.clone();
    match copy.try_to(command) {
        Ok(decision) if decision.records.is_empty() => {
            assert_eq!(decision, TaskDecision::default(), "what is granted without a record has no effect either");
            "same"
        }
        Ok(_) => copy.state().as_str(),
        Err(refusal) => {
            assert_eq!(copy.task, story.task, "a refusal changes nothing");
            match refusal {
                TaskRefusal::NotFound { .. } => "NOT_FOUND",
                TaskRefusal::LeaseLost { .. } => "LOST",
                TaskRefusal::Closed { .. } => "CLOSED",
                TaskRefusal::Cancelled { .. } => "GONE",
                TaskRefusal::WrongState { .. } => "WRONG",
                TaskRefusal::BlockedReasonMissing => "REASON",
            }
        }
    }
}

#[test]
fn every_state_meets_every_command_as_the_table_says() {
    let mut wrong = Vec::new();
    for (name, row) in TABLE {
        let story = state(name);
        assert!(name.starts_with(story.state().as_str()), "{name} is {}", story.state());
        for (column, expected) in COMMANDS.iter().zip(row) {
            let found = outcome(&story, &command(column));
            if found != expected {
                wrong.push(format!("{name} × {column}: {found}, and the table says {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_every_state() {
    for name in TaskStateName::ALL {
        assert!(TABLE.iter().any(|(row, _)| row.starts_with(name.as_str())), "{name} has no row");
    }
}

#[test]
fn to_a_stranger_the_task_does_not_exist_in_any_state() {
    let speaking = [
        say::ack("eve"),
        say::ack_of("eve", 1),
        say::tell("eve", progress()),
        say::tell("eve", ReportKind::Completed),
        say::submit("eve"),
        TaskCommand::Cancel { authority: Authority::Agent(agent("eve")), reason: None },
        TaskCommand::Answer { authority: Authority::Agent(agent("eve")), answer: comment("eve", "yes") },
    ];
    for (name, _) in TABLE {
        for command in &speaking {
            assert_eq!(outcome(&state(name), command), "NOT_FOUND", "{name} × {command:?}");
        }
    }
}

#[test]
fn a_wrong_number_changes_nothing_in_any_state() {
    for (name, _) in TABLE {
        let story = state(name);
        for command in [say::ack_of("ann", 99), say::tell_of("ann", 0, progress())] {
            let outcome = outcome(&story, &command);
            assert!(["LOST", "NOT_FOUND", "CLOSED", "GONE"].contains(&outcome), "{name} × {command:?}: {outcome}");
        }
    }
}

#[test]
fn the_asker_may_answer_and_cancel() {
    let boss = || Authority::Agent(agent("boss"));
    let answer = TaskCommand::Answer { authority: boss(), answer: comment("boss", "7420") };
    assert_eq!(outcome(&state("BLOCKED on answer"), &answer), "QUEUED");
    let cancel = TaskCommand::Cancel { authority: boss(), reason: None };
    assert_eq!(outcome(&state("IN_PROGRESS by ann"), &cancel), "CANCELLED");
}
