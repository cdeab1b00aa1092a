//! Every state against every command: one row a state, one column a command, one word an outcome.
//!
//! A word in capitals is the state where the command leads. `.` is granted and changes nothing. The others refuse: `no`
//! in this state, `nil` there is no such task, `old` the lease is lost, `end` it is closed, `off` it was cancelled,
//! `new` it was sent back with wishes that are news.

use super::kit::*;
use crate::task::*;

/// The columns of [`TABLE`].
const COMMANDS: [&str; 24] = [
    "offer", "return", "release", "ack", "progress", "complete", "block", "fail", "submit", "take back", "approve",
    "complete at once", "changes", "answer", "cancel", "retry", "requeue", "reassign", "remark", "prioritise", "edit",
    "met", "tick", "withdraw",
];

/// The outcomes for an agent that has, or had, the task: `ann`.
const TABLE: &str = "\
state              | off ret rel ack prg cpl blk fai sub tak app fin chg ans can try req rea rem pri edi met tic wit
QUEUED, fresh      | ASG .   .   nil nil nil nil nil nil nil no  no  no  no  CAN no  no  QUE QUE QUE QUE .   .   CAN
QUEUED, ann's last | ASG .   .   PRG PRG CPL BLK FAI REV no  no  no  no  no  CAN no  no  QUE QUE QUE no  .   .   no
QUEUED, sent back  | ASG .   .   new new new new new .   no  no  no  no  no  CAN no  no  QUE QUE QUE no  .   .   no
QUEUED, taken away | no  .   .   old old old old old old old no  no  no  no  CAN no  no  QUE QUE QUE no  .   .   no
ASSIGNED to ann    | ASG QUE QUE PRG PRG CPL BLK FAI REV no  no  no  no  no  CAN no  no  QUE ASG ASG no  .   .   no
ASSIGNED, s. back  | ASG .   QUE PRG PRG new BLK FAI new no  no  no  no  no  CAN no  no  QUE ASG ASG no  .   .   no
ASSIGNED to bob    | no  .   .   old old old old old old old no  no  no  no  CAN no  no  QUE ASG ASG no  .   .   no
IN_PROGRESS by ann | no  .   QUE .   PRG CPL BLK FAI REV .   no  no  no  no  CAN no  no  QUE PRG PRG no  .   .   no
IN_PROGRESS by bob | no  .   .   old old old old old old old no  no  no  no  CAN no  no  QUE PRG PRG no  .   .   no
BLOCKED on answer  | no  .   .   no  PRG CPL .   FAI REV no  no  no  no  QUE CAN no  no  QUE BLK BLK no  .   .   no
BLOCKED on a task  | no  .   .   nil nil nil nil nil nil nil no  no  no  no  CAN no  no  BLK BLK BLK BLK QUE .   no
IN_REVIEW          | no  .   .   no  no  no  no  no  .   PRG REV CPL QUE no  CAN no  no  no  REV REV no  .   .   no
IN_REVIEW, agreed  | no  .   QUE PRG PRG CPL BLK FAI .   PRG .   CPL QUE no  CAN no  no  QUE REV REV no  .   .   no
TIMEOUT            | no  .   .   PRG PRG CPL BLK FAI REV no  no  no  no  no  CAN QUE no  QUE TIM TIM no  .   .   no
COMPLETED          | no  .   .   end end .   end end end end end end end end end end end end end end end .   .   no
FAILED             | no  .   .   end end end end .   end end end end end end end QUE no  no  end end end .   .   no
CANCELLED          | no  .   .   off off off off off off off off off off off .   off off off off off off .   .   no
DEAD_LETTER        | no  .   .   end end end end end end end end end end end end no  QUE no  end end end .   .   no";

/// Each row of the table: the state, and a word for each command.
fn rows() -> Vec<(&'static str, Vec<&'static str>)> {
    let row = |line: &'static str| {
        let (name, outcomes) = line.split_once('|').unwrap();
        (name.trim(), outcomes.split_whitespace().collect())
    };
    TABLE.lines().skip(1).map(row).collect()
}

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
        "take back" => say::take_back("ann"),
        "approve" => say::approve(false),
        "complete at once" => say::approve(true),
        "changes" => say::changes(),
        "answer" => say::answer("7420"),
        "cancel" => say::cancel(),
        "retry" => TaskCommand::Retry,
        "requeue" => TaskCommand::Requeue,
        "reassign" => say::reassign("bob"),
        "remark" => say::remark(),
        "prioritise" => say::edit(TaskEdit { priority: Some(Priority::High), ..TaskEdit::default() }),
        "edit" => say::edit(TaskEdit { title: Some("Other".to_owned()), ..TaskEdit::default() }),
        "met" => say::moved("first001", met()),
        "tick" => TaskCommand::Tick,
        "withdraw" => TaskCommand::Cancel { authority: Authority::Request, reason: None },
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
        "QUEUED, sent back" => leased().then(say::submit("ann")).then(say::changes()),
        "ASSIGNED, s. back" => leased().then(say::submit("ann")).then(say::changes()).then(say::offer("ann")),
        "QUEUED, taken away" => leased().then(say::reassign("bob")),
        "ASSIGNED to ann" => offered(),
        "ASSIGNED to bob" => leased().later(TTL).then(say::offer("bob")),
        "IN_PROGRESS by ann" => leased(),
        "IN_PROGRESS by bob" => leased().later(TTL).then(say::offer("bob")).then(say::ack("bob")),
        "BLOCKED on answer" => leased().then(say::tell("ann", blocked("which port?"))),
        "BLOCKED on a task" => Story::depends(&[("first001", Dependency::Pending)]),
        "IN_REVIEW" => leased().then(say::submit("ann")),
        "IN_REVIEW, agreed" => leased().then(say::submit("ann")).then(say::approve(false)),
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
            "."
        }
        Ok(_) => short(copy.state()),
        Err(refusal) => {
            assert_eq!(copy.task, story.task, "a refusal changes nothing");
            match refusal {
                TaskRefusal::NotFound { .. } => "nil",
                TaskRefusal::LeaseLost { .. } => "old",
                TaskRefusal::Closed { .. } => "end",
                TaskRefusal::Cancelled { .. } => "off",
                TaskRefusal::WrongState { .. } => "no",
                TaskRefusal::ChangesRequested { .. } => "new",
                TaskRefusal::QuestionOpen { .. } => "ask",
                TaskRefusal::BlockedReasonMissing => "why",
                TaskRefusal::RunNotFound { .. } => "nor",
                TaskRefusal::RunWrongState { .. } => "run",
                TaskRefusal::NotYoursToJudge => "who",
            }
        }
    }
}

fn short(state: TaskStateName) -> &'static str {
    match state {
        TaskStateName::Queued => "QUE",
        TaskStateName::Assigned => "ASG",
        TaskStateName::InProgress => "PRG",
        TaskStateName::Blocked => "BLK",
        TaskStateName::InReview => "REV",
        TaskStateName::Timeout => "TIM",
        TaskStateName::Completed => "CPL",
        TaskStateName::Failed => "FAI",
        TaskStateName::Cancelled => "CAN",
        TaskStateName::DeadLetter => "DEA",
    }
}

#[test]
fn every_state_meets_every_command_as_the_table_says() {
    let mut wrong = Vec::new();
    for (name, row) in rows() {
        let story = state(name);
        assert!(name.starts_with(story.state().as_str()), "{name} is {}", story.state());
        assert_eq!(row.len(), COMMANDS.len(), "{name} has a word for each command");
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
        assert!(rows().iter().any(|(row, _)| row.starts_with(name.as_str())), "{name} has no row");
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
    for (name, _) in rows() {
        for command in &speaking {
            assert_eq!(outcome(&state(name), command), "nil", "{name} × {command:?}");
        }
    }
}

#[test]
fn a_wrong_number_changes_nothing_in_any_state() {
    for (name, _) in rows() {
        let story = state(name);
        for command in [say::ack_of("ann", 99), say::tell_of("ann", 0, progress())] {
            let outcome = outcome(&story, &command);
            assert!(["old", "nil", "end", "off"].contains(&outcome), "{name} × {command:?}: {outcome}");
        }
    }
}

#[test]
fn the_asker_may_answer_and_cancel() {
    let boss = || Authority::Agent(agent("boss"));
    let answer = TaskCommand::Answer { authority: boss(), answer: comment("boss", "7420") };
    assert_eq!(outcome(&state("BLOCKED on answer"), &answer), "QUE");
    let cancel = TaskCommand::Cancel { authority: boss(), reason: None };
    assert_eq!(outcome(&state("IN_PROGRESS by ann"), &cancel), "CAN");
}
