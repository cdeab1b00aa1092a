//! What needs a person: only those are asked that may have something, and nothing is missed by that.

use std::collections::BTreeSet;
use std::time::Duration;

use super::hub::{Hub, Player};
use crate::actors::agent::{ClientGone, WaitEnd};
use crate::actors::terminal::{Output, TerminalRef};
use crate::domain::agent::DepartureKind;
use crate::domain::ids::{PrincipalId, TaskId};
use crate::domain::inbox::{InboxItem, InboxKind};
use crate::domain::task::ReportKind;
use crate::domain::terminal::TerminalKind;

const SECOND: Duration = Duration::from_secs(1);
/// How many agents play in a random history.
const AGENTS: u64 = 3;
/// How many histories are played, and how many steps each has.
const HISTORIES: u64 = 24;
const STEPS: u64 = 30;

async fn terminal_of(hub: &Hub, agent: &Player) -> TerminalRef {
    let session = agent.line.show().await.unwrap().agent.registration.unwrap().session;
    let owner = PrincipalId::parse(&format!("agent:{}", agent.id)).unwrap();
    hub.hub.session_terminal(&session, &owner, TerminalKind::Pushed).await.unwrap().unwrap()
}

fn leaves(agent: &Player, how: DepartureKind) {
    agent.line.client_gone(ClientGone { instance: Some("p".to_owned()), connection: None, how });
}

fn ids(items: &[InboxItem]) -> Vec<&str> {
    items.iter().map(|item| item.id.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn who_has_nothing_for_a_person_is_not_asked_however_many_they_are() {
    let hub = Hub::new().await;
    let mut agents = Vec::new();
    for n in 0..40 {
        agents.push(hub.agent(&format!("fullstack-{n}"), "full-stack-engineer").await);
    }
    let mut terminals = Vec::new();
    for agent in &agents {
        terminals.push(terminal_of(&hub, agent).await);
    }
    terminals[0].print(Output::of("Delete 3 tables? (yes/no): ")).await.unwrap();
    agents[1].hears("not heard").await;
    tokio::time::sleep(600 * SECOND).await;
    agents[0].calls_over("p").await.unwrap();
    tokio::time::sleep(SECOND).await;
    let handled = || {
        let of_agents = agents.iter().map(|it| it.line.mailbox_metrics().handled());
        of_agents.chain(terminals.iter().map(|it| it.mailbox_metrics().handled())).collect::<Vec<_>>()
    };
    let before = handled();
    let items = hub.hub.inbox().await.unwrap();
    assert!(ids(&items)[0].starts_with("input_prompt:") && ids(&items)[1] == "undelivered:fullstack-1", "{items:?}");
    let asked = before.iter().zip(handled()).map(|(before, after)| after - before);
    let asked: Vec<usize> = asked.enumerate().filter(|(_, messages)| *messages > 0).map(|(n, _)| n).collect();
    assert_eq!(asked, [0, 1, 40], "the agent of the prompt, the one that did not hear, and the terminal");
    let by_all = hub.hub.inbox_of(|_| true).await.unwrap();
    assert_eq!(items, by_all);
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn an_actor_that_is_built_anew_loses_no_item_and_leaves_none_behind() {
    let hub = Hub::new().await;
    let agent = hub.agent("fullstack-1", "full-stack-engineer").await;
    tokio::time::sleep(600 * SECOND).await;
    agent.hears("not heard").await;
    for _ in 0..3 {
        // At once, while it is being built.
        hub.hub.supervisor.restart("agent:fullstack-1").await.unwrap().unwrap();
        assert_eq!(ids(&hub.hub.inbox().await.unwrap()), ["undelivered:fullstack-1"]);
    }
    let hub = hub.dies_for(SECOND).await;
    assert_eq!(ids(&hub.hub.inbox().await.unwrap()), ["undelivered:fullstack-1"], "also after a restart of the hub");
    let agent = hub.stranger("fullstack-1").await;
    agent.registers("full-stack-engineer", Some("p")).await;
    let receipt = hub.asks("fullstack-1", "work").await;
    // What it had not heard comes first.
    assert!(matches!(agent.waits().await, WaitEnd::Notices(_)));
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&receipt.task_id).await.unwrap();
    agent.calls_over("p").await.unwrap();
    leaves(&agent, DepartureKind::Ended);
    assert_eq!(ids(&hub.hub.inbox().await.unwrap())[0], format!("stranded:{}", receipt.task_id));
    hub.hub.supervisor.restart("agent:fullstack-1").await.unwrap().unwrap();
    let items = hub.hub.inbox().await.unwrap();
    assert!(items.iter().all(|it| it.kind != InboxKind::Stranded), "nobody knows of a departure any more: {items:?}");
    hub.ends().await;
}

#[tokio::test(start_paused = true)]
async fn a_task_that_nobody_takes_is_in_the_list_until_somebody_does() {
    let hub = Hub::new().await;
    let receipt = hub.asks("role:test-engineer", "work").await;
    tokio::time::sleep(SECOND).await;
    let stranded = format!("stranded:{}", receipt.task_id);
    let items = hub.hub.inbox().await.unwrap();
    assert_eq!(ids(&items), [&stranded]);
    assert!(items[0].reason.starts_with("nobody who is registered could take it (role:test-engineer)"), "{items:?}");
    let agent = hub.agent("tester-1", "test-engineer").await;
    assert!(hub.hub.inbox().await.unwrap().is_empty(), "somebody could take it now, and has time to");
    tokio::time::sleep(hub.hub.settings().hub.leases.starvation_after).await;
    let items = hub.hub.inbox().await.unwrap();
    assert_eq!(ids(&items), [&stranded]);
    assert_eq!(items[0].reason, "it waits for role:test-engineer, and nobody takes it");
    assert!(matches!(agent.waits().await, WaitEnd::Task(_)));
    agent.acknowledges(&receipt.task_id).await.unwrap();
    assert!(hub.hub.inbox().await.unwrap().is_empty());
    hub.ends().await;
}

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A hub with some agents, each with the task that it was asked for last.
struct Scene {
    hub: Hub,
    agents: Vec<(Player, Option<TaskId>)>,
}

impl Scene {
    async fn new() -> Self {
        let (hub, mut agents) = (Hub::new().await, Vec::new());
        for n in 0..AGENTS {
            agents.push((hub.agent(&format!("fullstack-{n}"), "full-stack-engineer").await, None));
        }
        Self { hub, agents }
    }

    /// One thing happens; what is refused changes nothing.
    async fn steps(mut self, numbers: &mut Numbers) -> Self {
        let (agent, task) = &mut self.agents[usize::try_from(numbers.below(AGENTS)).unwrap()];
        match (numbers.below(15), task.clone()) {
            (0, _) => agent.registers("full-stack-engineer", Some("p")).await,
            (1, _) => drop(agent.calls_over("p").await),
            (2, _) => drop(agent.waits_for(SECOND).await),
            (3, None) => *task = Some(self.hub.asks(agent.id.as_str(), "work").await.task_id),
            (3 | 4, Some(task)) => drop(agent.acknowledges(&task).await),
            (5, Some(task)) => {
                let blocked = ReportKind::Blocked { reason: "which?".to_owned(), question: None };
                drop(agent.reports(&task, blocked, "?").await);
            }
            (6, Some(known)) => {
                self.hub.cancels(&known).await;
                *task = None;
            }
            (7, _) => leaves(agent, DepartureKind::Ended),
            (8, _) => leaves(agent, DepartureKind::Lost),
            (9, _) => agent.hears("a word").await,
            (10, _) => agent.is_sent_away().await,
            (11, _) => drop(terminal_of(&self.hub, agent).await.print(Output::of("Go on? (yes/no) ")).await),
            (12, _) => drop(terminal_of(&self.hub, agent).await.print(Output::of("no\r\nkept\r\n")).await),
            (13, _) => drop(self.hub.hub.supervisor.restart(&format!("agent:{}", agent.id)).await),
            (_, _) if numbers.below(4) == 0 => {
                self.hub = self.hub.dies_for(SECOND).await;
                for (agent, _) in &mut self.agents {
                    *agent = self.hub.stranger(agent.id.as_str()).await;
                }
            }
            (_, _) => tokio::time::sleep([20, 400][usize::try_from(numbers.below(2)).unwrap()] * SECOND).await,
        }
        self
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_happens_it_is_the_same_as_if_everybody_were_asked() {
    let mut seen = BTreeSet::new();
    for seed in 0..HISTORIES {
        let (mut numbers, mut scene) = (Numbers(seed), Scene::new().await);
        for step in 0..STEPS {
            scene = scene.steps(&mut numbers).await;
            // What is on its way arrives: the two questions are not asked in one moment.
            tokio::time::sleep(SECOND).await;
            let items = scene.hub.hub.inbox().await.unwrap();
            let by_all = scene.hub.hub.inbox_of(|_| true).await.unwrap();
            assert_eq!(items, by_all, "seed {seed}, step {step}");
            seen.extend(items.iter().map(|item| item.kind));
        }
        scene.hub.ends().await;
    }
    let kinds = [InboxKind::InputPrompt, InboxKind::Blocked, InboxKind::Stranded, InboxKind::Undelivered];
    assert!(kinds.iter().all(|kind| seen.contains(kind)), "the histories are too tame: {seen:?}");
}
