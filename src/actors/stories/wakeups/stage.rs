//! What a path is walked on: a hub, the agent that has to wake, others around it.

use std::time::Duration;

use tokio::task::JoinHandle;

use super::super::hub::{Hub, Player, act};
use super::path::Path;
use crate::actors::agent::WaitEnd;
use crate::actors::task::{ActError, OfferedTask, TaskReceipt};
use crate::clock::Clock;
use crate::domain::ids::TaskId;
use crate::domain::review::{Change, Submission};
use crate::domain::task::{Authority, Comment, CommentKind, KeptText, Report, ReportKind, TaskCommand};
use crate::domain::time::Timestamp;

/// The role that the table is about.
pub(super) const ROLE: &str = "test-engineer";

/// A hub on which one path is prepared.
pub(super) struct Stage {
    pub(super) path: Path,
    pub(super) hub: Hub,
    /// Who has to wake.
    pub(super) agent: Player,
    /// With which task; none when it is to hear something.
    pub(super) task: Option<TaskId>,
    /// Who else plays a part.
    pub(super) other: Option<Player>,
    /// Whether the agent waits already when it happens.
    parked: bool,
    wait: Option<JoinHandle<(WaitEnd, Timestamp)>>,
}

/// Gives everybody a moment.
pub(super) async fn moment() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// Waits in the background until there is something; a reminder to finish first is none.
#[expect(clippy::disallowed_methods, reason = "the waiter stands outside the hub, as a client does")]
fn waits_aside(player: &Player, clock: Clock) -> JoinHandle<(WaitEnd, Timestamp)> {
    let player = player.clone();
    tokio::spawn(async move {
        loop {
            let end = player.waits_for(Duration::from_secs(3_600)).await.unwrap();
            if !matches!(end, WaitEnd::AtCapacity(_)) {
                return (end, clock.now());
            }
        }
    })
}

/// Waits, and takes the task that comes.
pub(super) async fn takes(player: &Player) -> OfferedTask {
    let end = player.waits().await;
    let WaitEnd::Task(offered) = end else { panic!("`{}` waited for a task, and got {end:?}", player.id) };
    *offered
}

/// Waits, takes the task that comes and acknowledges it.
pub(super) async fn works(player: &Player) -> OfferedTask {
    let offered = takes(player).await;
    player.acknowledges(&offered.spec.id).await.unwrap();
    offered
}

impl Stage {
    pub(super) async fn new(path: Path, parked: bool) -> Self {
        let hub = Hub::new().await;
        let agent = hub.agent("tester-1", ROLE).await;
        Self { path, hub, agent, task: None, other: None, parked, wait: None }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.hub.hub.clock.now()
    }

    /// From here on the agent waits, if it is to wait before it happens.
    pub(super) async fn parks(&mut self) {
        if self.parked {
            self.wait = Some(waits_aside(&self.agent, self.hub.hub.clock.clone()));
            moment().await;
        }
    }

    /// How its wait ended, and when: the one that was open when it happened, or a new one.
    pub(super) async fn wakes(&mut self) -> (WaitEnd, Timestamp) {
        let clock = self.hub.hub.clock.clone();
        let wait = self.wait.take().unwrap_or_else(|| waits_aside(&self.agent, clock));
        wait.await.unwrap()
    }

    pub(super) fn task(&self) -> &TaskId {
        self.task.as_ref().unwrap()
    }

    pub(super) fn other(&self) -> &Player {
        self.other.as_ref().unwrap()
    }

    /// Another agent of the same role, which takes and acknowledges a task for the role.
    pub(super) async fn other_works(&mut self) -> OfferedTask {
        let offered = self.other_is_offered().await;
        self.other().acknowledges(&offered.spec.id).await.unwrap();
        offered
    }

    /// Another agent of the same role, which is offered a task for the role.
    pub(super) async fn other_is_offered(&mut self) -> OfferedTask {
        let other = self.hub.agent("tester-2", ROLE).await;
        self.task = Some(self.hub.asks(&format!("role:{ROLE}"), "work").await.task_id);
        let offered = takes(&other).await;
        self.other = Some(other);
        offered
    }

    /// The agent itself takes and acknowledges a task.
    pub(super) async fn agent_works(&self) -> TaskId {
        let task = self.hub.asks(self.agent.id.as_str(), "work").await.task_id;
        assert_eq!(works(&self.agent).await.spec.id, task);
        task
    }

    /// An order, which the table has to name for this path.
    pub(super) async fn orders(&self, task: &TaskId, command: TaskCommand) -> TaskReceipt {
        let named = super::edges::by_order(&command);
        assert!(named.contains(&self.path), "{command:?} is not named for {:?}", self.path);
        self.tries(task, command).await.unwrap()
    }

    /// An order that belongs to what comes before.
    pub(super) async fn tries(&self, task: &TaskId, command: TaskCommand) -> Result<TaskReceipt, ActError> {
        self.hub.hub.order(task, act(&self.hub.hub, command, "operator")).await.map(Option::unwrap)
    }

    /// Time passes until then.
    pub(super) async fn until(&self, at: Timestamp) -> Timestamp {
        tokio::time::sleep(at.since(self.now())).await;
        at
    }

    pub(super) fn completion(by: &Player) -> TaskCommand {
        Self::report(by, ReportKind::Completed)
    }

    pub(super) fn report(by: &Player, kind: ReportKind) -> TaskCommand {
        let message = KeptText::inline("words");
        let report = Report { kind, message, diff: None, artifacts: Vec::new(), evidence: None, posted_to: None };
        TaskCommand::Report { agent: by.id.clone(), epoch: None, report }
    }

    pub(super) fn answer(&self) -> TaskCommand {
        TaskCommand::Answer { authority: Authority::Operator, answer: self.comment(CommentKind::Answer) }
    }

    pub(super) fn changes(&self) -> TaskCommand {
        TaskCommand::RequestChanges { comments: vec![self.comment(CommentKind::Review)], round: None }
    }

    pub(super) fn submission(by: &Player) -> TaskCommand {
        let message = KeptText::inline("look");
        let pr_url = Some("https://git.example/pr/7".to_owned());
        let submission =
            Box::new(Submission { change: Change { pr_url, ..Change::default() }, ..Submission::default() });
        TaskCommand::SubmitForReview {
            agent: by.id.clone(),
            epoch: None,
            message,
            diff: None,
            artifacts: Vec::new(),
            submission,
        }
    }

    pub(super) fn approval(&self, completes: bool) -> TaskCommand {
        TaskCommand::Approve {
            message: None,
            comment: self.hub.hub.ids.comment(),
            completes,
            grounds: None,
            round: None,
        }
    }

    pub(super) async fn asks_a_question(&self, who: &Player, task: &TaskId) {
        who.reports(task, ReportKind::Blocked { reason: "how?".to_owned(), question: None }, "need a word")
            .await
            .unwrap();
    }

    pub(super) fn comment(&self, kind: CommentKind) -> Comment {
        let from = super::super::hub::operator().origin;
        let (id, at) = (self.hub.hub.ids.comment(), self.hub.hub.clock.now());
        Comment { id, kind, from, text: "so".to_owned(), file: None, line: None, reply_to: None, sanitized: None, at }
    }
}
