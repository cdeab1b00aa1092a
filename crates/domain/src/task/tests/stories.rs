//! Random stories: whatever agents, people and clocks do to a task, in whatever order, the promises hold.

use proptest::prelude::*;

use super::kit::*;
use crate::ids::{LeaseEpoch, RunId};
use crate::invariants::{j1_replay_equals_life, task_stands};
use crate::task::*;
use crate::time::{Millis, Timestamp};

const AGENTS: [&str; 4] = ["ann", "bob", "eve", "boss"];
const FIRST: [&str; 2] = ["first001", "second01"];

/// What happens next: after a while, somebody says something.
#[derive(Debug, Clone)]
struct Step {
    after: u64,
    who: &'static str,
    command: TaskCommand,
}

fn who() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(AGENTS.to_vec())
}

/// No number, or one near those that a short story gives.
fn epoch() -> impl Strategy<Value = Option<LeaseEpoch>> {
    prop_oneof![3 => Just(None), 4 => (0u64..6).prop_map(|n| Some(LeaseEpoch(n)))]
}

fn lease_terms() -> impl Strategy<Value = LeaseTerms> {
    let policy = prop_oneof![Just(OnTimeout::Retry), Just(OnTimeout::Escalate), Just(OnTimeout::Hold)];
    let to = proptest::option::of(proptest::sample::select(vec!["role:orchestrator", "any", "bob"]));
    (policy, to, 1u32..4, prop_oneof![Just(0), Just(HOLD)]).prop_map(|(on_timeout, to, max_attempts, hold)| {
        LeaseTerms { on_timeout, escalate_to: to.map(target), max_attempts, last_holder_hold: Millis(hold), ..terms() }
    })
}

fn reports() -> impl Strategy<Value = Report> {
    let kind = prop_oneof![
        2 => Just(progress()),
        1 => Just(ReportKind::Completed),
        2 => Just(blocked("which port?")),
        1 => Just(blocked("")),
        1 => Just(ReportKind::Failed),
    ];
    let artifact = proptest::sample::subsequence(vec!["a", "b"], 0..=2).prop_map(|texts| {
        let artifact = |text: &str| Artifact {
            kind: ArtifactKind::Report,
            url: None,
            path: None,
            text: Some(text.to_owned()),
            title: None,
        };
        texts.into_iter().map(artifact).collect::<Vec<_>>()
    });
    let diff = proptest::option::of(Just(KeptText::inline("+ line")));
    (kind, prop_oneof![Just("words"), Just("others")], diff, artifact)
        .prop_map(|(kind, message, diff, artifacts)| Report { diff, artifacts, ..report(kind, message) })
}

fn dependency() -> impl Strategy<Value = Dependency> {
    prop_oneof![3 => Just(met()), 1 => Just(failed()), 1 => Just(Dependency::Pending)]
}

fn why() -> impl Strategy<Value = ReturnReason> {
    prop_oneof![
        Just(ReturnReason::NobodyWaiting),
        Just(ReturnReason::ConnectionLost),
        Just(ReturnReason::NotAcknowledged),
        Just(ReturnReason::Evicted)
    ]
}

/// What agents say.
fn spoken() -> impl Strategy<Value = TaskCommand> {
    prop_oneof![
        1 => (who(), epoch()).prop_map(|(by, epoch)| TaskCommand::Acknowledge { agent: agent(by), epoch }),
        4 => (who(), epoch(), reports())
            .prop_map(|(by, epoch, report)| TaskCommand::Report { agent: agent(by), epoch, report }),
        1 => (who(), epoch(), reports()).prop_map(|(by, epoch, it)| TaskCommand::SubmitForReview {
            agent: agent(by),
            epoch,
            message: it.message,
            diff: it.diff,
            artifacts: it.artifacts,
            submission: Box::default(),
        }),
        1 => (who(), epoch()).prop_map(|(by, epoch)| TaskCommand::TakeBack { agent: agent(by), epoch }),]
}

/// What the hub does by itself.
fn by_the_hub() -> impl Strategy<Value = TaskCommand> {
    prop_oneof![
        5 => (who(), lease_terms()).prop_map(|(to, terms)| TaskCommand::Offer { agent: agent(to), terms }),
        1 => (who(), 0u64..6, why()).prop_map(|(from, epoch, why)| say::returned(from, epoch, why)),
        1 => who().prop_map(say::release),
        2 => (proptest::sample::select(FIRST.to_vec()), dependency()).prop_map(|(id, how)| say::moved(id, how)),
        1 => (who(), 0..TTL).prop_map(|(who, until)| TaskCommand::Await {
            agent: agent(who),
            until: Timestamp(DAWN.0 + until),
            session: None,
        }),
        1 => (who(), proptest::bool::ANY).prop_map(|(who, answered)| TaskCommand::Resume {
            agent: agent(who),
            question: crate::ids::QuestionId::parse("q_00000001").unwrap(),
            answer: answered.then(|| comment("boss", "7420")),
        }),
        1 => (who(), proptest::bool::ANY).prop_map(|(who, goes_on)| TaskCommand::SettleBudget {
            agent: agent(who),
            question: crate::ids::QuestionId::parse("q_00000001").unwrap(),
            goes_on,
            word: comment("boss", "go on"),
        }),
        2 => Just(TaskCommand::Tick),]
}

/// What hosts on call say. A run without a number is meant for whatever is there: see [`fitted`].
fn by_hosts() -> impl Strategy<Value = TaskCommand> {
    let reason = proptest::sample::select(vec![
        RunEnd::Reported,
        RunEnd::NoReport,
        RunEnd::Spawn,
        RunEnd::Limited,
        RunEnd::Crashed,
        RunEnd::Killed,
        RunEnd::Budget,
    ]);
    let question = || proptest::option::of(Just(crate::ids::QuestionId::parse("q_00000001").unwrap()));
    let exit =
        (0u32..3, 0u32..3, reason, question(), proptest::bool::ANY).prop_map(|(n, process, reason, question, day)| {
            let day = day && reason == RunEnd::Budget;
            let budget = day.then(|| (BudgetNews::DayUsed, comment("hub", "all of it is used")));
            let exit = Box::new(RunExit { question, budget, ..say::exit(process, reason) });
            TaskCommand::EndRun { run: say::run_id(n), exit }
        });
    prop_oneof![
        4 => (who(), 1u32..9, 0u64..3).prop_map(|(by, n, epoch)| say::start(n, by, epoch)),
        4 => exit,
        2 => (0u32..3).prop_map(|n| TaskCommand::ResumeRun { run: say::run_id(n), host: "workstation".to_owned() }),
        1 => (0u32..3).prop_map(|n| TaskCommand::LimitRun {
            run: say::run_id(n),
            limited: Limited { until: None, account: None },
        }),
        1 => (0u32..3).prop_map(|n| TaskCommand::NameConversation { run: say::run_id(n), conversation: "5b0c".into() }),
    ]
}

/// The offer at hand for a start under number 0, the live run for run 0, its process for process 0.
fn fitted(task: &Task, command: &TaskCommand) -> TaskCommand {
    let mut command = command.clone();
    let live = task.live_run();
    let meant = |run: &RunId| live.filter(|_| *run == say::run_id(0)).map_or_else(|| run.clone(), |it| it.id.clone());
    if let TaskCommand::StartRun { run } = &mut command
        && run.epoch == LeaseEpoch(0)
        && let Some(offer) = task.offer()
    {
        (run.agent, run.epoch) = (offer.agent.clone(), offer.epoch);
    }
    if let TaskCommand::ResumeRun { run, .. }
    | TaskCommand::NameConversation { run, .. }
    | TaskCommand::LimitRun { run, .. }
    | TaskCommand::EndRun { run, .. } = &mut command
    {
        *run = meant(run);
    }
    if let TaskCommand::EndRun { run, exit } = &mut command
        && exit.process.number == 0
    {
        exit.process.number = task.run(run).map_or(1, |run| run.process);
    }
    command
}

/// What people and askers do.
fn by_people() -> impl Strategy<Value = TaskCommand> {
    let authority = || prop_oneof![Just(Authority::Operator), who().prop_map(|who| Authority::Agent(agent(who)))];
    prop_oneof![
        1 => any::<bool>().prop_map(say::approve),
        1 => Just(say::changes()),
        3 => authority().prop_map(|authority| TaskCommand::Answer { authority, answer: comment("boss", "7420") }),
        1 => authority().prop_map(|authority| TaskCommand::Cancel { authority, reason: None }),
        2 => Just(TaskCommand::Retry),
        2 => Just(TaskCommand::Requeue),
        1 => who().prop_map(say::reassign),
        1 => Just(say::edit(TaskEdit {
            priority: Some(Priority::High),
            prompt: Some("Other.".to_owned()),
            ..TaskEdit::default()
        })),
        1 => Just(say::remark()),]
}

fn step() -> impl Strategy<Value = Step> {
    let after = prop_oneof![6 => Just(0), 2 => 1..HOLD, 1 => Just(ACK), 1 => Just(TTL)];
    let command = prop_oneof![4 => spoken(), 5 => by_the_hub(), 3 => by_people(), 5 => by_hosts()];
    (after, who(), command).prop_map(|(after, who, command)| Step { after, who, command })
}

fn beginning() -> impl Strategy<Value = Story> {
    proptest::collection::vec((proptest::sample::select(FIRST.to_vec()), dependency()), 0..3)
        .prop_map(|on| if on.is_empty() { Story::begins() } else { Story::depends(&on) })
}

/// Who speaks in this command, and under which number.
fn speaker(command: &TaskCommand) -> Option<(&crate::ids::AgentId, Option<LeaseEpoch>)> {
    match command {
        TaskCommand::Acknowledge { agent, epoch }
        | TaskCommand::Report { agent, epoch, .. }
        | TaskCommand::TakeBack { agent, epoch }
        | TaskCommand::SubmitForReview { agent, epoch, .. } => Some((agent, *epoch)),
        TaskCommand::Await { agent, .. } => Some((agent, None)),
        TaskCommand::Create { .. }
        | TaskCommand::Offer { .. }
        | TaskCommand::ReturnOffer { .. }
        | TaskCommand::PassOn { .. }
        | TaskCommand::Release { .. }
        | TaskCommand::Resume { .. }
        | TaskCommand::SettleBudget { .. }
        | TaskCommand::Approve { .. }
        | TaskCommand::RequestChanges { .. }
        | TaskCommand::Discuss { .. }
        | TaskCommand::Resolve { .. }
        | TaskCommand::Dismiss { .. }
        | TaskCommand::Answer { .. }
        | TaskCommand::DependencyMoved { .. }
        | TaskCommand::Cancel { .. }
        | TaskCommand::Retry
        | TaskCommand::Requeue
        | TaskCommand::Reassign { .. }
        | TaskCommand::Edit { .. }
        | TaskCommand::Remark { .. }
        | TaskCommand::GiveGrace { .. }
        | TaskCommand::StartRun { .. }
        | TaskCommand::NameConversation { .. }
        | TaskCommand::LimitRun { .. }
        | TaskCommand::ResumeRun { .. }
        | TaskCommand::EndRun { .. }
        | TaskCommand::Tick => None,
    }
}

fn take(story: &mut Story, step: &Step) -> Result<(), TestCaseError> {
    story.now = Timestamp(story.now.0 + step.after);
    let before = story.task.clone();
    let command = fitted(&before, &step.command);
    let Ok(decision) = story.try_as(step.who, &command) else {
        prop_assert_eq!(&story.task, &before, "a refusal changes nothing");
        return Ok(());
    };
    if decision.records.is_empty() {
        prop_assert_eq!(&decision, &TaskDecision::default());
        return Ok(());
    }
    if let Some((agent, given)) = speaker(&step.command) {
        let tenure = before.tenures.get(agent);
        prop_assert!(tenure.is_some(), "only who was handed the task may speak for it");
        let known = tenure.is_some_and(|it| given.is_none_or(|epoch| it.told <= epoch && epoch <= before.epoch));
        prop_assert!(known, "{:?} was accepted under {:?}", tenure, given);
    }
    for (to, notice) in &decision.notices {
        prop_assert_ne!(to.as_str(), step.who, "nobody hears of their own doing");
        prop_assert!(notice.text.chars().count() < 2_500);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_promise_holds_after_every_step(
        mut story in beginning(),
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        prop_assert_eq!(task_stands(&story.task), Ok(()));
        for step in &steps {
            take(&mut story, step)?;
        }
        prop_assert_eq!(j1_replay_equals_life(&story.records, &story.task), Ok(()));
    }

    #[test]
    fn a_task_and_its_records_survive_being_written_and_read(
        mut story in beginning(),
        steps in proptest::collection::vec(step(), 1..40),
    ) {
        for step in &steps {
            take(&mut story, step)?;
        }
        let text = serde_json::to_string(&story.task).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Task>(&text).unwrap(), &story.task);
        for (_, record) in &story.records {
            let text = serde_json::to_string(record).unwrap();
            prop_assert_eq!(&serde_json::from_str::<TaskRecord>(&text).unwrap(), record);
        }
        let view = story.task.view();
        let text = serde_json::to_string(&view).unwrap();
        prop_assert_eq!(serde_json::from_str::<TaskView>(&text).unwrap(), view);
    }

    #[test]
    fn the_alarm_rings_in_vain_before_its_time_and_a_second_time(
        mut story in beginning(),
        steps in proptest::collection::vec(step(), 1..40),
    ) {
        for step in &steps {
            take(&mut story, step)?;
            let tick = |story: &mut Story| story.try_as("operator", &TaskCommand::Tick).unwrap().records.len();
            let due = story.task.next_deadline().map(|deadline| deadline.at);
            let mut early = story.clone();
            if let Some(due) = due {
                if story.now < due {
                    prop_assert_eq!(tick(&mut early), 0, "too early");
                }
                early.now = early.now.max(due);
                prop_assert!(tick(&mut early) > 0, "at its time");
            }
            prop_assert_eq!(tick(&mut early), 0, "a second time");
        }
    }
}
