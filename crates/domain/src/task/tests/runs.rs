//! Runs on call: how each end of a process leads on, and what becomes of a run when its task moves.

use std::collections::BTreeSet;

use super::kit::say::{exit, run_id, start};
use super::kit::*;
use crate::ids::{LeaseEpoch, QuestionId};
use crate::invariants::*;
use crate::task::*;
use crate::time::Timestamp;

const REASONS: [RunEnd; 9] = [
    RunEnd::Reported,
    RunEnd::NoReport,
    RunEnd::Spawn,
    RunEnd::Auth,
    RunEnd::Limited,
    RunEnd::Context,
    RunEnd::Crashed,
    RunEnd::Killed,
    RunEnd::Budget,
];

/// For each state and each reason of the host: the state of the task, how many attempts are used, and where the run is,
/// or why it ended. Three letters of each name.
const TABLE: &str = "\
state     | reported  no_report spawn     auth      limited   context   crashed   killed    budget
offered   | QUE1:no_  QUE1:no_  QUE1:spa  QUE0:aut  QUE0:lim  QUE1:con  QUE1:cra  QUE0:kil  BLO0:bud
leased    | QUE1:no_  QUE1:no_  QUE1:spa  QUE0:aut  QUE0:lim  QUE1:con  QUE1:cra  QUE0:kil  BLO0:bud
asking    | IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  QUE0:kil  BLO0:bud
blocked   | BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai  BLO0:wai
answered  | QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai  QUE0:wai
submitted | IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai  IN_0:wai
completed | COM0:rep  COM0:rep  COM0:rep  COM0:rep  COM0:rep  COM0:rep  COM0:rep  COM0:rep  COM0:rep
failed    | FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep  FAI1:rep
cancelled | CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil  CAN0:kil
ran out   | QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil  QUE1:kil";

fn offered() -> Story {
    Story::begins().then(say::offer("ann")).then(start(1, "ann", 1))
}

fn leased() -> Story {
    offered().then(say::ack("ann"))
}

fn leased_under(terms: LeaseTerms) -> Story {
    let offer = TaskCommand::Offer { agent: agent("ann"), terms };
    Story::begins().then(offer).then(start(1, "ann", 1)).then(say::ack("ann"))
}

fn blocked_and_gone() -> Story {
    leased().then(say::tell("ann", blocked("which port?"))).then(exits(1, RunEnd::NoReport))
}

fn at(name: &str) -> Story {
    match name {
        "offered" => offered(),
        "leased" | "asking" => leased(),
        "blocked" => leased().then(say::tell("ann", blocked("which port?"))),
        "answered" => at("blocked").then(say::answer("7420")),
        "submitted" => leased().then(say::submit("ann")),
        "completed" => leased().then(say::tell("ann", ReportKind::Completed)),
        "failed" => leased().then(say::tell("ann", ReportKind::Failed)),
        "cancelled" => leased().then(say::cancel()),
        "ran out" => leased().later(TTL),
        other => panic!("no state is called {other}"),
    }
}

fn question() -> QuestionId {
    QuestionId::parse("q_00000001").unwrap()
}

fn asking(reason: RunEnd) -> TaskCommand {
    end(1, RunExit { question: Some(question()), ..exit(1, reason) })
}

fn run(story: &Story) -> &Run {
    story.task.runs.last().expect("a run")
}

fn ended(story: &Story) -> Option<RunEnd> {
    match run(story).state {
        RunState::Ended { reason, .. } => Some(reason),
        RunState::Starting | RunState::Working | RunState::Waiting { .. } => None,
    }
}

fn shown(story: &Story) -> String {
    let run = match &run(story).state {
        RunState::Starting => "starting",
        RunState::Working => "working",
        RunState::Waiting { .. } => "waiting",
        RunState::Ended { reason, .. } => reason.as_str(),
    };
    format!("{:.3}{}:{run:.3}", story.state().as_str(), story.task.attempts_used())
}

#[test]
fn every_end_leads_where_the_table_says() {
    let mut wrong = Vec::new();
    for line in TABLE.lines().skip(1) {
        let (name, cells) = line.split_once('|').unwrap();
        let cells: Vec<&str> = cells.split_whitespace().collect();
        assert_eq!(cells.len(), REASONS.len(), "{name}");
        for (reason, expected) in REASONS.into_iter().zip(cells) {
            let command = if name.trim() == "asking" { asking(reason) } else { exits(1, reason) };
            let found = shown(&at(name.trim()).then(command));
            if found != expected {
                wrong.push(format!("{name} × {}: {found}, and the table says {expected}", reason.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_host_says_again_is_so_already() {
    for line in TABLE.lines().skip(1) {
        let name = line.split('|').next().unwrap().trim();
        for reason in REASONS {
            let mut story = at(name).then(exits(1, reason));
            for again in [exits(1, reason), exits(1, RunEnd::Killed)] {
                assert_eq!(story.try_to(&again).unwrap(), TaskDecision::default(), "{name} × {}", reason.as_str());
            }
        }
    }
    let mut story = offered();
    assert_eq!(story.try_to(&start(1, "ann", 1)).unwrap(), TaskDecision::default());
    let named = TaskCommand::NameConversation { run: run_id(1), conversation: "5b0c".to_owned() };
    assert_eq!(story.try_to(&named).unwrap().records.len(), 1);
    assert_eq!(story.try_to(&named).unwrap(), TaskDecision::default());
}

#[test]
fn a_conversation_goes_on_in_a_new_process_after_the_answer() {
    let story = blocked_and_gone().then(say::answer("7420"));
    assert_eq!(shown(&story), "QUE0:wai");
    assert_eq!(code(&story, resume(1)), "RUN_WRONG_STATE", "its agent has no offer yet");
    let story = story.then(say::offer("ann"));
    assert_eq!(code(&story, start(2, "ann", 2)), "RUN_WRONG_STATE", "the old one is resumed");
    let story = story.then(resume(1));
    let starting =
        Run { epoch: LeaseEpoch(2), process: 2, state: RunState::Starting, ..run(&blocked_and_gone()).clone() };
    assert_eq!(*run(&story), starting);
    let story = story.then(say::tell("ann", ReportKind::Completed)).then(exits(2, RunEnd::NoReport));
    assert_eq!(shown(&story), "COM0:rep");
    assert_eq!(story.task.runs.len(), 1);
    assert_eq!(story.task.usage().and_then(|usage| usage.turns), Some(4), "both processes are added up");
    let view = story.task.view();
    assert_eq!((view.runs.len(), view.runs[0].processes), (1, 2));
    assert_eq!(view.runs[0].reason, Some(RunEnd::Reported));
    assert_eq!(view.usage, story.task.usage());
}

#[test]
fn a_question_keeps_the_lease_while_no_process_is_there() {
    let story = leased().then(asking(RunEnd::Reported));
    assert_eq!(
        run(&story).state,
        RunState::Waiting { since: DAWN, on: RunWaitsFor::Question { question: question() } }
    );
    let story = story.then(resume(1));
    assert_eq!((shown(&story).as_str(), run(&story).process), ("IN_0:wor", 2));
    let gone = leased().then(asking(RunEnd::Reported)).later(TTL);
    assert_eq!(ended(&gone), Some(RunEnd::Killed), "a run never outlives its lease");
}

fn limits() -> TaskCommand {
    TaskCommand::LimitRun { run: run_id(1), limited: Limited { until: Some(DAWN), account: None } }
}

#[test]
fn an_agent_at_its_limit_gives_the_task_back_without_an_attempt_counted() {
    let story = leased().then(limits());
    assert_eq!(shown(&story), "QUE0:lim");
    assert_eq!(run(&story).limited, Some(Limited { until: Some(DAWN), account: None }));
    assert_eq!(code(&story, limits()), "RUN_WRONG_STATE", "it ended");
}

#[test]
fn a_run_ends_with_its_lease_and_its_host_is_told() {
    for (command, why) in [
        (say::cancel(), StopReason::Cancelled),
        (say::reassign("bob"), StopReason::LeaseLost),
        (say::release("ann"), StopReason::Evicted),
        (TaskCommand::Release { agent: agent("ann"), why: ReturnReason::Limited }, StopReason::Limited),
        (limits(), StopReason::Limited),
    ] {
        let mut story = leased();
        let decision = story.try_to(&command).unwrap();
        let host = "workstation".to_owned();
        let stop = TaskEffect::StopRun(StopOrder { run: run_id(1), agent: agent("ann"), host, why });
        assert_eq!(decision.effects, [stop], "{command:?}");
        let expected = if why == StopReason::Limited { RunEnd::Limited } else { RunEnd::Killed };
        assert_eq!(ended(&story), Some(expected));
        assert!(run(&story).usage().is_none());
        let story = story.then(exits(1, RunEnd::Crashed));
        assert_eq!((ended(&story), run(&story).usage().is_some()), (Some(expected), true), "its account is added");
    }
}

#[test]
fn its_host_is_told_once_that_its_agent_had_its_last_word() {
    let told = |decision: &TaskDecision| {
        let stop =
            |effect: &TaskEffect| matches!(effect, TaskEffect::StopRun(order) if order.why == StopReason::Reported);
        decision.effects.iter().filter(|effect| stop(effect)).count()
    };
    for report in
        [say::tell("ann", ReportKind::Completed), say::tell("ann", blocked("which port?")), say::submit("ann")]
    {
        let mut story = leased();
        assert_eq!(told(&story.try_to(&report).unwrap()), 1, "{report:?}");
        assert_eq!(told(&story.try_to(&report).unwrap()), 0, "said twice: {report:?}");
        assert!(run(&story).is_live(), "until its process is gone");
        let mut gone = leased().then(exits(1, RunEnd::Crashed)).then(say::offer("bob")).then(say::ack("bob"));
        assert_eq!(told(&gone.try_to(&say::tell("bob", ReportKind::Completed)).unwrap()), 0, "nobody is there");
    }
}

#[test]
fn a_run_that_waits_ends_without_a_word_to_its_host() {
    let mut story = blocked_and_gone().then(say::answer("7420"));
    let decision = story.try_to(&say::offer("bob")).unwrap();
    assert!(decision.effects.iter().all(|effect| matches!(effect, TaskEffect::Deliver(_))));
    assert_eq!(ended(&story), Some(RunEnd::Reported));
    let mut evicted = blocked_and_gone();
    let decision = evicted.try_to(&say::release("ann")).unwrap();
    assert_eq!((decision.records.len(), decision.effects.len()), (1, 0), "the task stays BLOCKED, and its run ends");
    assert_eq!(evicted.state(), TaskStateName::Blocked);
    let approved = leased().then(say::submit("ann")).then(exits(1, RunEnd::NoReport)).then(say::approve(true));
    assert_eq!(shown(&approved), "COM0:rep");
}

#[test]
fn a_second_offer_to_the_same_slot_is_another_run() {
    let story = offered().then(say::offer("ann"));
    assert_eq!(ended(&story), Some(RunEnd::Killed));
    assert_eq!(shown(&story.then(start(2, "ann", 2)).then(say::ack("ann"))), "IN_0:wor");
}

#[test]
fn policy_says_what_follows_an_attempt_that_failed() {
    let mut held = leased_under(LeaseTerms { on_timeout: OnTimeout::Hold, ..terms() });
    let decision = held.try_to(&exits(1, RunEnd::Crashed)).unwrap();
    assert_eq!(held.state(), TaskStateName::Failed);
    let attempt = held.task.last_attempt().unwrap();
    assert_eq!(attempt.message, Some(KeptText::inline("no route to host")), "the last lines that it printed");
    let told = &decision.notices.first().expect("the asker hears").1.text;
    assert!(told.ends_with("the run of `ann` ended without a report (crashed); it is FAILED"), "{told}");
    let last = leased_under(LeaseTerms { max_attempts: 1, ..terms() }).then(exits(1, RunEnd::Spawn));
    assert_eq!(last.state(), TaskStateName::DeadLetter);
    let to = Some(target("role:orchestrator"));
    let up = leased_under(LeaseTerms { on_timeout: OnTimeout::Escalate, escalate_to: to, ..terms() });
    let up = up.then(exits(1, RunEnd::Context));
    assert_eq!((up.state(), up.task.spec.target.to_string()), (TaskStateName::Queued, "role:orchestrator".to_owned()));
}

#[test]
fn a_budget_stops_a_task_until_people_say_so() {
    let exit = RunExit { question: Some(question()), ..exit(1, RunEnd::Budget) };
    let story = leased().then(end(1, exit));
    assert!(story.task.is_blocked_on(&question()));
    assert_eq!((ended(&story), story.task.attempts_used()), (Some(RunEnd::Budget), 0));
}

#[test]
fn a_question_about_the_day_of_a_role_leaves_its_task_as_it_was() {
    let remark = || comment("hub", "5.00 USD of 5.00 USD are used");
    let budget = || Some((BudgetNews::DayUsed, remark()));
    let settles = |goes_on| TaskCommand::SettleBudget {
        agent: agent("ann"),
        question: question(),
        goes_on,
        word: comment("boss", "so be it"),
    };
    for (goes_on, level) in [(true, BudgetNews::DayGoesOn), (false, BudgetNews::DayStops)] {
        let asks = RunExit { question: Some(question()), budget: budget(), ..exit(1, RunEnd::Budget) };
        let story = leased().then(end(1, asks));
        assert!(story.task.is_blocked_on(&question()));
        assert_eq!((run(&story).day, run(&story).exits.len()), (Some(BudgetNews::DayUsed), 0), "no process was there");
        assert!(story.task.asks_of_day().is_some() && story.task.usage().is_none());
        let other = story.clone().then(say::reassign("bob")).then(say::offer("bob")).then(say::ack("bob"));
        let other = other.then(say::tell("bob", asked_by("bob")));
        assert!(other.task.asks_of_day().is_none(), "that is another question");
        let story = story.then(settles(goes_on));
        assert_eq!((story.state(), run(&story).day), (TaskStateName::Queued, Some(level)));
        assert_eq!((story.task.attempts_used(), story.task.asks_of_day()), (0, None));
        let five = "5 USD".parse().unwrap();
        assert_eq!(story.task.budget_after(five, None).told, "0.00 USD of 5.00 USD are used", "what it may use itself");
    }
    let story = leased().then(end(1, RunExit { question: Some(question()), ..exit(1, RunEnd::Budget) }));
    assert_eq!(story.clone().then(settles(false)).state(), TaskStateName::Failed, "its own budget");
    assert_eq!(story.then(settles(true)).state(), TaskStateName::Queued);
}

fn asked_by(agent: &str) -> ReportKind {
    ReportKind::Blocked { reason: format!("`{agent}` needs a word"), question: Some(question()) }
}

#[test]
fn only_a_person_lets_a_task_go_on_whose_budget_is_used_up() {
    let by = |authority| TaskCommand::Answer { authority, answer: comment("boss", "go on") };
    let boss = || Authority::Agent(agent("boss"));
    let story = leased().then(end(1, exit(1, RunEnd::Budget)));
    assert_eq!(story.state(), TaskStateName::Blocked);
    assert_eq!(code(&story, by(boss())), "TASK_WRONG_STATE");
    let story = story.then(by(Authority::Operator)).then(say::offer("ann")).then(say::ack("ann"));
    let story = story.then(say::tell("ann", blocked("which port?"))).then(by(boss()));
    assert_eq!(story.state(), TaskStateName::Queued, "its agent's own question");
}

#[test]
fn a_run_that_waits_is_stopped_for_the_budget_before_its_next_process() {
    let asks = || RunExit { question: Some(question()), ..exit(1, RunEnd::Budget) };
    let story = blocked_and_gone();
    assert_eq!(code(&story, end(1, asks())), "RUN_WRONG_STATE", "its agent does not have the task");
    let story = story.then(say::answer("7420")).then(say::offer("ann")).then(end(1, asks()));
    assert!(story.task.is_blocked_on(&question()), "{:?}", story.task.state);
    assert_eq!((ended(&story), run(&story).exits.len()), (Some(RunEnd::Budget), 1));
    assert!(story.task.asked_in.len() <= 1);
}

#[test]
fn what_nobody_heard_before_a_stop_for_the_budget_is_told_after_it() {
    let asks = RunExit { question: Some(question()), ..exit(1, RunEnd::Budget) };
    let story = blocked_and_gone().then(say::answer("7420")).unseen(1_000);
    let story = story.then(say::offer("ann")).then(end(1, asks));
    let told = story.task.news_for(&agent("ann"));
    assert!(told.iter().any(|comment| comment.text == "7420"), "{told:?}");
}

#[test]
fn the_note_about_a_budget_is_for_people_and_who_asked_and_not_for_the_agent_that_it_would_resume() {
    let remark = comment("hub", "4.00 USD of 5.00 USD are used");
    let exit = RunExit { budget: Some((BudgetNews::Near, remark)), ..exit(1, RunEnd::NoReport) };
    let mut story = leased().then(say::tell("ann", blocked("which port?")));
    let told = story.try_to(&end(1, exit)).unwrap().notices;
    assert!(told.iter().any(|(to, _)| *to == agent("boss")), "{told:?}");
    assert!(told.iter().all(|(to, _)| *to != agent("ann")), "{told:?}");
}

#[test]
fn what_people_are_told_of_a_budget_is_in_the_append_of_the_end_and_never_said_twice() {
    let told = |reason| {
        let remark = comment("hub", "4.00 USD of 5.00 USD are used");
        RunExit { budget: Some((BudgetNews::Near, remark)), ..exit(1, reason) }
    };
    let mut story = leased();
    let decision = story.try_to(&end(1, told(RunEnd::Crashed))).unwrap();
    assert!(matches!(&decision.records[..2], [
        TaskRecord::Remarked { comment, .. },
        TaskRecord::RunBudget { level: BudgetNews::Near, told, .. },
    ] if comment.text == *told));
    let ids: BTreeSet<_> = decision.notices.iter().map(|(_, notice)| &notice.id).collect();
    assert_eq!(ids.len(), decision.notices.len(), "each notice has an id of its own");
    assert!(story.try_to(&end(1, told(RunEnd::Crashed))).unwrap().records.is_empty(), "said again");
    assert!(
        story.try_to(&end(1, RunExit { process: exit(7, RunEnd::Crashed).process, ..told(RunEnd::Crashed) })).is_err()
    );
    assert_eq!(story.task.comments.len(), 1);
    let mut closed = at("completed");
    let decision = closed.try_to(&end(1, told(RunEnd::NoReport))).unwrap();
    assert!(matches!(decision.records[0], TaskRecord::RunBudget { .. }), "a closed task has no remark");
    assert!(closed.task.comments.is_empty());
}

#[test]
fn an_offer_is_passed_on_once_and_by_who_has_it() {
    let session = crate::ids::SessionId::parse("s_00000001").unwrap();
    let pass = |from: &str, epoch| TaskCommand::PassOn {
        agent: agent(from),
        epoch: LeaseEpoch(epoch),
        to: agent("ann-task0001"),
        session: session.clone(),
    };
    let story = Story::begins().then(say::offer("ann"));
    assert_eq!(code(&story, pass("bob", 1)), "TASK_WRONG_STATE");
    assert_eq!(code(&story, pass("ann", 2)), "TASK_WRONG_STATE");
    let story = story.then(pass("ann", 1));
    let offer = story.task.offer().unwrap();
    assert_eq!(
        (offer.agent.as_str(), offer.epoch, &offer.terms.session),
        ("ann-task0001", LeaseEpoch(2), &Some(session.clone()))
    );
    assert_eq!(code(&story, pass("ann", 1)), "TASK_WRONG_STATE", "a second time");
    assert_eq!(code(&leased(), pass("ann", 1)), "TASK_WRONG_STATE", "what is taken up stays");
}

#[test]
fn a_run_counts_for_the_role_that_it_says_and_an_older_one_for_whom_its_task_is_meant() {
    let mut task = leased().task;
    let role = |name: &str| crate::ids::RoleId::parse(name).unwrap();
    assert_eq!(task.role_of(&task.runs[0]), Some(&role("fullstack")));
    task.runs[0].role = None;
    assert_eq!(task.role_of(&task.runs[0]), None, "for anybody");
    std::sync::Arc::make_mut(&mut task.spec).target = target("role:tester");
    assert_eq!(task.role_of(&task.runs[0]), Some(&role("tester")));
}

#[test]
fn a_limit_is_kept_beside_whatever_comes_of_it() {
    let limited = Limited { until: Some(Timestamp(DAWN.0 + TTL)), account: Some("team".to_owned()) };
    for name in ["offered", "leased", "blocked", "completed", "cancelled"] {
        let exit = RunExit { limited: Some(limited.clone()), ..exit(1, RunEnd::Limited) };
        let story = at(name).then(end(1, exit));
        assert_eq!(run(&story).limited.as_ref(), Some(&limited), "{name}");
    }
}

fn code(story: &Story, command: TaskCommand) -> &'static str {
    story.refuses(&command).code()
}

#[test]
fn what_does_not_fit_is_refused() {
    let idle = Story::begins();
    assert_eq!(code(&idle, start(1, "ann", 1)), "TASK_NOT_FOUND");
    assert_eq!(code(&idle.clone().then(say::offer("ann")), start(1, "ann", 2)), "LEASE_LOST");
    assert_eq!(code(&idle.clone().then(say::offer("ann")), start(1, "bob", 1)), "TASK_NOT_FOUND");
    assert_eq!(code(&idle.then(say::offer("ann")).then(say::ack("ann")), start(1, "ann", 1)), "TASK_WRONG_STATE");
    assert_eq!(code(&at("completed"), start(2, "ann", 1)), "TASK_CLOSED");
    assert_eq!(code(&offered(), start(2, "ann", 1)), "RUN_WRONG_STATE");
    assert_eq!(code(&at("ran out").then(say::offer("ann")), start(1, "ann", 2)), "RUN_WRONG_STATE", "an id once");
    assert_eq!(code(&leased(), exits(2, RunEnd::Crashed)), "RUN_WRONG_STATE");
    assert_eq!(code(&leased(), resume(1)), "RUN_WRONG_STATE");
    assert_eq!(code(&at("cancelled"), resume(1)), "RUN_WRONG_STATE");
    for command in [resume(7), end(7, exit(1, RunEnd::Crashed))] {
        assert_eq!(code(&leased(), command), "RUN_NOT_FOUND");
    }
}

/// Each promise is shown a task that breaks it.
#[test]
fn a_run_that_breaks_a_promise_is_seen() {
    let name = |outcome: Result<(), Broken>| outcome.expect_err("it should have been broken").name;
    let good = leased().task;
    assert_eq!(task_stands(&good), Ok(()));
    let spoilt = |spoil: &dyn Fn(&mut Task)| {
        let mut task = good.clone();
        spoil(&mut task);
        task
    };
    let two = spoilt(&|task| {
        let again = Run { id: run_id(2), ..task.runs[0].clone() };
        task.runs.push(again);
    });
    assert_eq!(name(p1_one_run(&two)), "P1 one-run");
    let foreign = spoilt(&|task| task.runs[0].agent = agent("bob"));
    assert_eq!(name(p2_run_has_its_task(&foreign)), "P2 run-has-its-task");
    let early = spoilt(&|task| task.runs[0].state = RunState::Starting);
    assert_eq!(name(p2_run_has_its_task(&early)), "P2 run-has-its-task");
    let outlived = spoilt(&|task| task.state = TaskState::Timeout { since: DAWN });
    assert_eq!(name(p2_run_has_its_task(&outlived)), "P2 run-has-its-task");
    let waits = |task: &mut Task| {
        task.runs[0].exits.push(exit(1, RunEnd::NoReport).process);
        task.runs[0].state = RunState::Waiting { since: DAWN, on: RunWaitsFor::Answer };
    };
    assert_eq!(p3_waiting_is_open(&spoilt(&waits)), Ok(()));
    let idle = spoilt(&|task| {
        waits(task);
        task.state = TaskState::Completed { at: DAWN };
    });
    assert_eq!(name(p3_waiting_is_open(&idle)), "P3 waiting-is-open");
    let unseen = spoilt(&|task| task.runs[0].state = RunState::Waiting { since: DAWN, on: RunWaitsFor::Answer });
    assert_eq!(name(p3_waiting_is_open(&unseen)), "P3 waiting-is-open", "its process may still be there");
}

#[test]
fn a_run_that_lost_something_is_seen() {
    let before = blocked_and_gone().task;
    for spoil in [
        |task: &mut Task| task.runs.clear(),
        |task: &mut Task| task.runs[0].exits.clear(),
        |task: &mut Task| task.runs[0].process = 0,
        |task: &mut Task| task.runs[0].exits.extend_from_within(..),
        |task: &mut Task| task.runs[0].host = "another".to_owned(),
    ] {
        let mut after = before.clone();
        spoil(&mut after);
        assert_eq!(p4_runs_are_kept(&before, &after).expect_err("broken").name, "P4 runs-are-kept");
    }
    let over = at("cancelled").task;
    let mut woken = over.clone();
    woken.runs[0].state = RunState::Working;
    assert_eq!(p4_runs_are_kept(&over, &woken).expect_err("broken").name, "P4 runs-are-kept");
}

#[test]
fn what_is_closed_takes_the_account_of_a_process_and_no_more() {
    let done = at("completed").task;
    let record = TaskRecord::RunEnded {
        run: run_id(1),
        agent: agent("ann"),
        reason: RunEnd::Reported,
        process: None,
        fails: false,
    };
    assert_eq!(t2_closed_stays_closed(&done, &record, &done), Ok(()));
    let moved = Task { state: TaskState::Timeout { since: DAWN }, ..done.clone() };
    assert!(t2_closed_stays_closed(&done, &record, &moved).is_err());
    let started =
        TaskRecord::RunResumed { run: run_id(1), agent: agent("ann"), epoch: LeaseEpoch(1), process: 2, host: None };
    assert!(t2_closed_stays_closed(&done, &started, &done).is_err());
}

#[test]
fn a_record_of_a_run_that_is_not_known_changes_nothing() {
    let story = offered();
    let (run, agent) = (run_id(9), run(&story).agent.clone());
    let process = || ProcessExit { number: 1, code: Some(0), tail: None, usage: None };
    let limited = Limited { until: None, account: None };
    let records = [
        TaskRecord::RunConversation { run: run.clone(), agent: agent.clone(), id: "c-1".to_owned() },
        TaskRecord::RunWaiting {
            run: run.clone(),
            agent: agent.clone(),
            on: RunWaitsFor::Review,
            process: Box::new(process()),
        },
        TaskRecord::RunResumed { run: run.clone(), agent: agent.clone(), epoch: LeaseEpoch(1), process: 2, host: None },
        TaskRecord::RunLimited { run: run.clone(), agent: agent.clone(), limited },
        TaskRecord::RunEnded { run, agent, reason: RunEnd::Crashed, process: None, fails: false },
    ];
    for record in records {
        let mut task = story.task.clone();
        task.apply(Timestamp(9), &record);
        assert_eq!(task.runs, story.task.runs, "{record:?}");
    }
}

#[test]
fn a_task_from_before_there_were_runs_is_read() {
    let task = Story::begins().task;
    let text = serde_json::to_string(&task).unwrap();
    assert!(!text.contains("runs"), "{text}");
    assert_eq!(serde_json::from_str::<Task>(&text).unwrap(), task);
}

fn resume(n: u32) -> TaskCommand {
    TaskCommand::ResumeRun { run: run_id(n), host: "workstation".to_owned() }
}

fn exits(process: u32, reason: RunEnd) -> TaskCommand {
    end(1, exit(process, reason))
}

fn end(n: u32, exit: RunExit) -> TaskCommand {
    TaskCommand::EndRun { run: run_id(n), exit: Box::new(exit) }
}
