//! Races for one resolution: two surfaces, the timer, a withdrawal, and a hub that dies in the middle.
//!
//! Whoever was told that they won must be in the journal as the winner; whoever lost must have been told the very
//! resolution that is there; nobody may be told neither. A caller who hears nothing asks again, with the same key, at
//! the hub that came after.
//!
//! In every third lane the question is dangerous and asked for a task: at its deadline nobody wins, the task is
//! BLOCKED, and while people answer late and the hub dies, the agent takes other work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::sync::watch;

use super::asking::{answer_of, person};
use super::hub::{Hub, Player, act};
use crate::actors::HubRef;
use crate::actors::agent::{Awaited, WaitEnd, WaitRequest};
use crate::actors::session::{SessionError, SessionOrder, SessionReceipt};
use crate::actors::task::ActError;
use crate::domain::ids::{AgentId, PrincipalId, QuestionId, SessionId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::session::question::{Answerer, Danger, Resolution, ResolutionType};
use crate::domain::session::{SessionCommand, SessionOutcome, SessionRefusal};
use crate::domain::task::{Origin, TaskCommand, TaskStateName};
use crate::journal::{Reader as _, Record};

/// Races at once, on one hub.
const LANES: u64 = 50;
/// Hubs, one after the other: each is another seed. `CALLBOARD_RACES` asks for so many races instead.
const ROUNDS: u64 = 10;
/// The deadline of each question.
const DEADLINE: Duration = Duration::from_secs(60);
/// How far around the deadline everybody acts, in milliseconds.
const SPREAD: u64 = 4;

/// What one of the racers was told.
#[derive(Debug, Clone, PartialEq)]
enum RaceResult {
    Won,
    Lost(Resolution),
}

/// A small generator: the same seed, the same race.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// What rounds came to.
#[derive(Default)]
struct Sum {
    races: u64,
    by_kind: BTreeMap<&'static str, u64>,
    late: u64,
}

impl Sum {
    fn add(&mut self, (kinds, losers): (Vec<&'static str>, u64)) {
        self.races += kinds.len() as u64;
        self.late += losers;
        for kind in kinds {
            *self.by_kind.entry(kind).or_default() += 1;
        }
    }

    fn joined(mut self, other: Self) -> Self {
        self.races += other.races;
        self.late += other.late;
        for (kind, times) in other.by_kind {
            *self.by_kind.entry(kind).or_default() += times;
        }
        self
    }
}

#[test]
fn of_all_who_race_one_wins_and_every_loser_is_told_who() {
    let asked = std::env::var("CALLBOARD_RACES").ok().and_then(|races| races.parse::<u64>().ok());
    let rounds = asked.map_or(ROUNDS, |races| races.div_ceil(LANES));
    let Sum { races, by_kind, late } = on_every_processor(rounds);
    assert_eq!(races, LANES * rounds);
    for kind in ["human", "timeout", "cancelled"] {
        assert!(by_kind.get(kind).is_some_and(|times| *times > rounds), "{by_kind:?}: each must win often enough");
    }
    assert!(late > LANES * rounds / 2, "{late} losers were told");
}

/// Each round has a stopped time of its own.
fn on_every_processor(rounds: u64) -> Sum {
    let next = AtomicU64::new(0);
    let races = || {
        let rounds =
            std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|round| *round < rounds);
        rounds.fold(Sum::default(), |mut sum, round| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            sum.add(runtime.unwrap().block_on(race(round)));
            sum
        })
    };
    thread::scope(|scope| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let runs: Vec<_> = (0..processors).map(|_| scope.spawn(races)).collect();
        runs.into_iter().map(|run| run.join().unwrap()).fold(Sum::default(), Sum::joined)
    })
}

/// One hub, many questions, one death. Gives the kinds that won, and how many losers were told.
async fn race(seed: u64) -> (Vec<&'static str>, u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let hub = Hub::new().await;
    let mut questions = Vec::new();
    for lane in 0..LANES {
        let agent = hub.agent(&format!("agent-{lane}"), "full-stack-engineer").await;
        let danger = (lane % 3 == 0).then_some(Danger::Declared);
        let task = match danger {
            Some(_) => Some(works(&hub, &agent).await),
            None => None,
        };
        let id = hub.asked_for(&agent, danger, DEADLINE).await;
        questions.push((agent, id, task));
    }
    let now = Arc::new(watch::channel(hub.hub.clone()).0);
    let mut racers = Vec::new();
    for (agent, id, task) in &questions {
        racers.push(lane(agent.clone(), id.clone(), task.is_some(), now.subscribe(), dice.roll(u64::MAX)));
    }
    let dies_at = DEADLINE - Duration::from_millis(SPREAD / 2) + Duration::from_millis(dice.roll(SPREAD * 2));
    let dies = dice.roll(4) > 0;
    let death = async {
        tokio::time::sleep(dies_at).await;
        if !dies {
            return hub;
        }
        let next = hub.dies_for(Duration::from_millis(dice.roll(3))).await;
        now.send_replace(next.hub.clone());
        next
    };
    let (told, hub) = tokio::join!(join_all(racers), death);
    tokio::time::sleep(Duration::from_secs(5)).await;
    let mut losers = 0;
    let mut kinds = Vec::new();
    for ((_, id, task), told) in questions.iter().zip(told) {
        if let Some(task) = task {
            assert_ne!(hub.state(task).await, TaskStateName::Blocked, "seed {seed}: {id} frees its task");
        }
        let resolution = hub.question(id).resolution().cloned().unwrap_or_else(|| panic!("seed {seed}: {id} is open"));
        for (who, told) in told {
            match told {
                RaceResult::Won => {
                    assert_eq!(resolution.by.display_name, who, "seed {seed}: {who} was told that they won");
                }
                RaceResult::Lost(first) => {
                    assert_eq!(first, resolution, "seed {seed}: {who} was told of another winner");
                    losers += 1;
                }
            }
        }
        assert_eq!(resolutions_of(&hub, id), 1, "seed {seed}");
        assert!(task.is_none() || resolution.kind != ResolutionType::Timeout, "seed {seed}: {id} is dangerous");
        kinds.push(resolution.kind.as_str());
    }
    hub.is_sound();
    hub.ends().await;
    (kinds, losers)
}

/// An agent at work, with more of it in its queue.
async fn works(hub: &Hub, agent: &Player) -> TaskId {
    let task = hub.asks(agent.id.as_str(), "implement login").await.task_id;
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&task).await.unwrap();
    hub.asks(agent.id.as_str(), "implement logout").await;
    task
}

/// Takes other work as soon as there is some: at whichever hub lives.
async fn takes_other_work(agent: AgentId, mut hub: watch::Receiver<HubRef>, at: Duration) {
    tokio::time::sleep(at).await;
    for _ in 0..200 {
        let present = hub.borrow_and_update().clone();
        if let Some(task) = handed_out(&present, &agent).await {
            let command = TaskCommand::Acknowledge { agent: agent.clone(), epoch: None };
            if present.order(&task, act(&present, command, &format!("agent:{agent}"))).await.is_ok() {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn handed_out(hub: &HubRef, agent: &AgentId) -> Option<TaskId> {
    let line = hub.dispatcher.hire(agent).await.ok()??.agent;
    line.called(None).await.ok()?;
    let until = hub.clock.now() + Duration::from_millis(1);
    let (end, guard) = line
        .wait(WaitRequest { id: hub.next_call(), instance: None, until, awaits: Awaited::Anything, nudges: false })
        .await
        .ok()?;
    guard.leaves();
    match end {
        WaitEnd::Task(offered) => Some(offered.spec.id.clone()),
        WaitEnd::Notices(_)
        | WaitEnd::Idle
        | WaitEnd::Evicted(_)
        | WaitEnd::Superseded
        | WaitEnd::AtCapacity(_)
        | WaitEnd::Draining => None,
    }
}

/// One question and all who race for it; each with what they were told.
async fn lane(
    agent: Player,
    id: QuestionId,
    parked: bool,
    hub: watch::Receiver<HubRef>,
    seed: u64,
) -> Vec<(String, RaceResult)> {
    let mut dice = Dice(seed);
    let registration = agent.line.show().await.unwrap().agent.registration.unwrap();
    let mut racers = Vec::new();
    for (name, value, surface) in [("ada", "old", Surface::Page), ("bob", "new", Surface::Discord)] {
        let order = answer_of(&id, value, person(name, surface), Some(&format!("{name}-{id}")));
        racers.push((name.to_owned(), order));
    }
    if dice.roll(2) == 0 {
        let principal = PrincipalId::parse(&format!("agent:{}", agent.id)).unwrap();
        let by = By { principal, surface: Surface::Agent };
        let command = SessionCommand::Withdraw { question: id.clone(), reason: None };
        let order = SessionOrder { command, by, who: Origin::hub(), request: None, blobs: Vec::new(), key: None };
        racers.push((agent.id.to_string(), order));
    }
    let runs = racers.into_iter().map(|(name, order)| {
        let early = Duration::from_millis(SPREAD);
        let at = DEADLINE - early + Duration::from_millis(dice.roll(SPREAD * 2));
        let (session, hub) = (registration.session.clone(), hub.clone());
        async move {
            tokio::time::sleep(at).await;
            let told = insist(&session, order, hub).await;
            (name, told)
        }
    });
    let runs: Vec<_> = runs.collect();
    let leaves_at = DEADLINE + Duration::from_millis(dice.roll(SPREAD));
    let leaves = async {
        if parked {
            takes_other_work(agent.id.clone(), hub.clone(), leaves_at).await;
        }
    };
    tokio::join!(join_all(runs), leaves).0
}

/// Asks until there is an answer.
async fn insist(session: &SessionId, order: SessionOrder, mut hub: watch::Receiver<HubRef>) -> RaceResult {
    loop {
        let present = hub.borrow_and_update().clone();
        let outcome = match present.supervisor.session(session).await {
            Ok(Some(line)) => line.order(order.clone()).await,
            Ok(None) => Err(SessionError::Fault(crate::actors::common::Fault::Unavailable("not yet".to_owned()))),
            Err(fault) => Err(fault.into()),
        };
        match outcome {
            Ok(SessionReceipt { outcome: SessionOutcome::Late(_, first), .. }) => return RaceResult::Lost(*first),
            Ok(SessionReceipt { outcome: SessionOutcome::Resolved(_, answer), .. }) => {
                return told_by(&order, *answer);
            }
            Ok(other) => panic!("{:?}", other.outcome),
            Err(SessionError::Refused(SessionRefusal::AlreadyResolved { resolution, .. })) => {
                return RaceResult::Lost(*resolution);
            }
            Err(SessionError::Moved | SessionError::Fault(_) | SessionError::Task(ActError::Fault(_))) => {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A withdrawal that is so already may have been another one's; an answer that came back is one's own.
fn told_by(order: &SessionOrder, answer: Resolution) -> RaceResult {
    let Answerer { principal, .. } = &answer.by;
    let own = *principal == order.by.principal;
    if own && (answer.kind == ResolutionType::Human || answer.kind == ResolutionType::Cancelled) {
        RaceResult::Won
    } else {
        RaceResult::Lost(answer)
    }
}

fn resolutions_of(hub: &Hub, id: &QuestionId) -> usize {
    let session = hub.question(id).spec.session_id;
    let filter = crate::journal::HistoryFilter {
        limit: 500,
        before: None,
        types: vec!["question.resolved".to_owned()],
        query: None,
    };
    let kept = hub.reader.session_history(&session, &filter).unwrap();
    kept.iter().filter(|kept| matches!(&kept.record, Record::Question(record) if record.id() == id)).count()
}
