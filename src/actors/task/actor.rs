//! The task's shell: the turn, and nothing that decides.

use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorRef, RpcReplyPort};
use tracing::Instrument as _;

use super::handle::TaskRef;
use super::message::{ActError, TaskAct, TaskMessage, TaskOutcome};
use super::perform::repeated;
use super::receipt::TaskReceipt;
use super::state::{State, Watcher};
use crate::actors::common::{ActorResult, Attempts, Fault, Refusals, respond};
use crate::actors::dispatcher::AssignRefusal;
use crate::actors::spawner::ActorArgs;
use crate::broken::{self, Break};
use crate::domain::ids::TaskId;
use crate::domain::invariants;
use crate::domain::permission::Whose;
use crate::domain::principal::{By, Surface};
use crate::domain::review::{Review, follow, review_stands};
use crate::domain::task::{Attempt, AttemptOutcome, Task, TaskCommand, TaskStateName};
use crate::domain::time::Deadline;
use crate::journal::{ReadError, Reader};

#[derive(Debug)]
pub struct TaskActor;

#[derive(Debug)]
pub enum TaskBirth {
    New(TaskId),
    /// A task that the store knows, and its review if it was ever handed in.
    Stored(Box<Task>, Option<Box<Review>>),
}

impl TaskBirth {
    /// A task of the store by its id; none when there is no such task.
    pub fn stored(reader: &dyn Reader, id: &TaskId) -> Result<Option<Self>, ReadError> {
        reader.task(id)?.map(|task| Self::of(reader, task)).transpose()
    }

    /// A task of the store. Fails when its review cannot be read.
    pub fn of(reader: &dyn Reader, task: Task) -> Result<Self, ReadError> {
        let handed_in = |attempt: &Attempt| attempt.outcome == AttemptOutcome::Submitted;
        let review = if task.attempts.iter().any(handed_in) { reader.review(task.id())? } else { None };
        Ok(Self::Stored(Box::new(task), review.map(Box::new)))
    }

    pub fn id(&self) -> &TaskId {
        match self {
            Self::New(id) => id,
            Self::Stored(task, _) => task.id(),
        }
    }
}

/// The pause before it announces itself anew after the journal failed; doubled to spare a full disk from many tasks.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// The longest such pause is this many times the first.
const RETRY_AT_MOST: u32 = 32;

impl Actor for TaskActor {
    type Msg = TaskMessage;
    type State = State;
    type Arguments = ActorArgs<TaskMessage, TaskBirth>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| TaskMessage::Tick), args.mailbox_metrics());
        let ActorArgs { birth, line, spawner } = args;
        let id = birth.id().clone();
        let (task, review) = match birth {
            TaskBirth::New(_) => (None, None),
            TaskBirth::Stored(task, review) => (Some(Arc::from(task)), review.map(|review| *review)),
        };
        let mut state = State {
            id,
            task,
            review,
            line: TaskRef::new(line),
            journal: spawner.journal,
            dispatcher: spawner.dispatcher,
            supervisor: spawner.supervisor,
            timer,
            started_at: spawner.clock.now(),
            clock: spawner.clock,
            ids: spawner.ids,
            settings: spawner.settings,
            mailbox_metrics,
            hub: spawner.hub,
            on_call: spawner.on_call,
            watchers: Vec::new(),
            refusals: Refusals::default(),
            retry_at: None,
            retry_pause: 1,
            left: false,
            retiring: false,
        };
        if let Some(task) = &state.task {
            state.on_call.follows(task);
        }
        state.settle();
        Ok(state)
    }

    async fn handle(&self, myself: ActorRef<Self::Msg>, message: TaskMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        let acts = matches!(message, TaskMessage::Act { .. });
        match message {
            TaskMessage::Act { reply, .. } if state.retiring => {
                if let Some(reply) = reply {
                    let _ = reply.send(Err(ActError::Moved(state.id.clone())));
                }
            }
            // What writes is boxed: a task that rests has no room to keep for it.
            TaskMessage::Act { act, span, reply } => Box::pin(state.act(*act, reply).instrument(span)).await,
            TaskMessage::Show { reply } => state.show(reply),
            TaskMessage::Watch { agent, heard, reply } => state.watched(Watcher { agent, heard, reply }),
            TaskMessage::Announce => state.announce(None, Vec::new()),
            TaskMessage::Tick => Box::pin(state.tick()).await,
            TaskMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle();
        if state.is_over() {
            state.timer.set(None);
            if !acts {
                state.leave();
            }
            // What others have put into the mailbox meanwhile is still answered: orders by sending them to the store.
            state.retiring = true;
            myself.drain()?;
        }
        Ok(())
    }
}

impl State {
    async fn act(&mut self, act: TaskAct, reply: Option<RpcReplyPort<Result<TaskReceipt, ActError>>>) {
        let outcome = match &reply {
            Some(_) => self.turn(act).await,
            None => self.turn_of_its_own(act).await,
        };
        if outcome.is_ok() {
            self.retry_pause = 1;
        }
        if let Err(error) = &outcome {
            self.note(error);
            if reply.is_none() && matches!(error, ActError::Fault(_) | ActError::Moved(_)) {
                self.retry_at = Some(self.clock.now() + RETRY_AFTER * self.retry_pause);
                self.retry_pause = (self.retry_pause * 2).min(RETRY_AT_MOST);
            } else if reply.is_none() {
                // The dispatcher ordered what does not fit any more: it must hear how things are.
                self.announce(None, Vec::new());
            }
        }
        if self.is_over() {
            // Before the answer, so that the next call of whoever reads it is not sent here.
            self.leave();
        }
        if let Some(reply) = reply {
            let _ = reply.send(outcome);
        }
    }

    async fn turn_of_its_own(&mut self, act: TaskAct) -> Result<TaskReceipt, ActError> {
        let mut attempts = Attempts::default();
        loop {
            match self.turn(act.clone()).await {
                Err(ActError::Moved(_)) if attempts.again() => {}
                outcome => return outcome,
            }
        }
    }

    /// One turn. A refusal is told only to a new key: what was done under the order's key before may be why it is
    /// refused now. What is not refused meets the key in its append, where the store keeps nothing twice.
    async fn turn(&mut self, act: TaskAct) -> Result<TaskReceipt, ActError> {
        let key = act.key.clone();
        let refused = match self.decided(act).await {
            Err(
                refused @ (ActError::Refused(_)
                | ActError::Declined(_)
                | ActError::Review(_)
                | ActError::ChangedHands(_)),
            ) => refused,
            outcome => return outcome,
        };
        match self.journal.recall(self.clock.now(), key.as_ref()).await? {
            Some(first) => Err(repeated(first)),
            None => Err(refused),
        }
    }

    async fn decided(&mut self, act: TaskAct) -> Result<TaskReceipt, ActError> {
        let now = self.clock.now();
        self.read_anew_if_closed().await?;
        self.is_still_theirs(&act)?;
        self.has_room_for(&act.command)?;
        let mut act = self.defaced(act);
        let decision = match &self.task {
            None => Task::begin(now, &act.command, &act.cause)?,
            Some(task) => task.decide(now, &act.command, &act.cause)?,
        };
        let mut decision = self.mutilated(decision);
        let (next, followed) = self.after(now, &decision.records)?;
        let next = Arc::new(next);
        let said = follow(self.review.as_ref(), now, &act.command, &act.cause, &decision, &next)?;
        let changes = !decision.records.is_empty() || !said.is_empty() || act.part.is_some();
        // A key is kept although nothing changes: a repeat hears what it was answered, whatever moved meanwhile.
        if !changes && act.key.is_none() {
            return self.receipt(act.note, self.has_worktree(), false);
        }
        let review = self.review_after(now, &said);
        debug_assert_eq!(invariants::task_stands(&next), Ok(()));
        debug_assert_eq!(review_stands(&next, review.as_ref()), Ok(()));
        let also = self.write_down(now, &mut act, &decision, &next, (&said, review.as_ref()), &followed).await?;
        decision.notices.extend(also.notices);
        let worktree = self.has_worktree();
        self.on_call.follows(&next);
        self.task = Some(next);
        self.review = review;
        self.tell_sessions(&followed, &also.read, act.part.as_deref());
        self.shows_progress(&decision.records);
        self.perform(decision);
        self.log();
        self.receipt(act.note, worktree, changes)
    }

    /// A closed task was read by whoever has an order for it, and may have lived on since, by another actor.
    async fn read_anew_if_closed(&mut self) -> Result<(), ActError> {
        if self.task.as_deref().is_none_or(Task::is_open) {
            return Ok(());
        }
        let id = self.id.clone();
        let stored = self.journal.read(move |reader| TaskBirth::stored(reader, &id)).await.map_err(Fault::from)?;
        if let Some(TaskBirth::Stored(task, review)) = stored {
            self.task = Some(Arc::from(task));
            self.review = review.map(|review| *review);
        }
        Ok(())
    }

    fn is_still_theirs(&self, act: &TaskAct) -> Result<(), ActError> {
        match (&act.judged, &self.task) {
            (Some(judged), Some(task)) if *judged != Whose::of_task(task) => {
                Err(ActError::ChangedHands(self.id.clone()))
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Passes a remark while there is room: what the work itself needs (answers, a reviewer's wishes) is always kept.
    fn has_room_for(&self, command: &TaskCommand) -> Result<(), ActError> {
        let most = self.settings.borrow().hub.limits.comments_per_task;
        let is_full = self.task.as_ref().is_some_and(|task| task.comments.len() >= most);
        if !is_full || !matches!(command, TaskCommand::Remark { .. }) {
            return Ok(());
        }
        let message = format!("task `{}` has {most} comments, which is the most", self.id);
        Err(AssignRefusal { code: "COMMENTS_FULL", message, advice: None, nearest: None }.into())
    }

    async fn tick(&mut self) {
        self.timer.rang();
        let now = self.clock.now();
        // Its own moment came, or the journal writes again.
        if self.retry_at.take().is_some() {
            self.announce(None, Vec::new());
        }
        let Some(task) = self.task.as_deref() else { return };
        if let Some(due) = task.next_deadline().filter(|deadline| deadline.at <= now) {
            let grace = self.clock.grace(task.updated_at, due.at).filter(|until| now < *until);
            let command = grace.map_or(TaskCommand::Tick, |until| TaskCommand::GiveGrace { until });
            let act = self.own_act(command, By { surface: Surface::Timer, ..self.hub.clone() });
            self.act(act, None).await;
        }
    }

    /// Ends every turn: watchers are answered where the task is closed or BLOCKED, the timer is set.
    fn settle(&mut self) {
        self.watchers.retain(|watcher| !watcher.reply.is_closed());
        if let Some(task) = &self.task
            && task.ends_watch()
            && !(task.name() == TaskStateName::Cancelled && broken::by(Break::DeafWatchers))
        {
            for watcher in self.watchers.drain(..) {
                let _ = watcher.reply.send(TaskOutcome { task: Task::clone(task) });
            }
        }
        let own = self.task.as_deref().and_then(Task::next_deadline);
        let offered = self.task.as_deref().is_some_and(|task| task.offer().is_some());
        let own = own.filter(|_| !(offered && broken::by(Break::NeverTakesOffersBack)));
        let retry = self.retry_at.map(|at| Deadline { at, reason: "the journal failed: say again how it stands" });
        let now = self.clock.now();
        // While the journal fails, a deadline that is due is not rung again and again.
        let own = own.map(|deadline| match self.retry_at {
            Some(at) if deadline.at <= now => Deadline { at, ..deadline },
            Some(_) | None => deadline,
        });
        let next = [own, retry].into_iter().flatten().min_by_key(|deadline| deadline.at);
        self.timer.set(next);
    }

    /// A closed task has nothing left to do; one that never began never will.
    fn is_over(&self) -> bool {
        let keeps_them_waiting = !self.watchers.is_empty() && broken::by(Break::DeafWatchers);
        !keeps_them_waiting && self.task.as_ref().is_none_or(|task| task.state.name().is_closed())
    }

    fn show(&self, reply: RpcReplyPort<Task>) {
        // Without a task the port is dropped, and the asker looks into the store.
        if let Some(task) = &self.task {
            let _ = reply.send(Task::clone(task));
        }
    }

    fn log(&self) {
        let Some(task) = &self.task else { return };
        tracing::debug!(task.id = %self.id, task.state = %task.name(), "task `{}` is {}", self.id, task.name());
    }

    fn note(&mut self, error: &ActError) {
        let code = match error {
            ActError::Refused(refusal) => refusal.code(),
            ActError::Declined(refusal) => refusal.code,
            ActError::Review(refusal) => refusal.code(),
            ActError::Repeated(_) | ActError::Moved(_) | ActError::ChangedHands(_) => return,
            ActError::KeyReused => "IDEMPOTENCY_KEY_REUSED",
            ActError::Fault(_) => "UNAVAILABLE",
        };
        self.refusals.note(self.clock.now(), code, error.to_string());
    }
}
