//! What those do who ask for work: assign, repeat, answer, cancel, retry, give to somebody else.

use std::time::Duration;

use callboard::actors::agent::{AgentError, PostRequest};
use callboard::actors::common::{Attempts, Fault};
use callboard::actors::dispatcher::{Asker, AssignError, AssignReceipt, AssignRequest};
use callboard::actors::task::ActError;
use callboard::domain::agent::{Eviction, EvictionAction, Notice, NoticeKind};
use callboard::domain::ids::TaskId;
use callboard::domain::task::{
    Authority, Comment, CommentKind, Priority, RightsSet, TaskCommand, TaskEdit, TaskStateName,
};
use callboard::domain::time::Timestamp;
use callboard::journal::IdempotencyKey;

use crate::hub_setup::agent_id;
use crate::ledger::{Create, Mail};
use crate::script::{CAST, HubSetup, Target};
use crate::stage::{Stage, Voice};
use crate::traps::Trap;

/// How long a repeat is good, with room to spare: a key is kept for a day.
const REPEATABLE: Duration = Duration::from_secs(20 * 60 * 60);

impl Stage {
    pub(crate) async fn assign(self, target: Target, keyed: bool, after: Option<usize>, urgency: u8) {
        let after = after.and_then(|pick| self.some_task(pick));
        let at = self.now();
        let place = self.note(|ledger| {
            let prompt = format!("w{}", ledger.tick());
            let key = keyed.then(|| format!("key of {prompt}"));
            ledger.creates.push(Create { prompt, key, target, after, urgency, at, task: None });
            ledger.creates.len() - 1
        });
        if let Some(place) = place {
            self.ask(place).await;
        }
    }

    /// The same again, under the same key.
    pub(crate) async fn assign_again(self, pick: usize) {
        let now = self.now();
        let place = {
            let ledger = self.ledger.borrow();
            let keyed = |create: &Create| create.key.is_some() && now.since(create.at) < REPEATABLE;
            let places: Vec<_> = (0..ledger.creates.len()).filter(|n| keyed(&ledger.creates[*n])).collect();
            pick.checked_rem(places.len()).map(|n| places[n])
        };
        if let Some(place) = place {
            self.ask(place).await;
        }
    }

    async fn ask(self, place: usize) {
        let create = self.ledger.borrow().creates[place].clone();
        let asker =
            Asker { by: Voice::Operator.by(), origin: Voice::Operator.origin(), rights: RightsSet::All, agent: None };
        let mut asked = request(asker, create.target, &create.prompt);
        asked.priority = priority(create.urgency);
        asked.dependencies = create.after.iter().map(ToString::to_string).collect();
        let keeps = self.trap != Some(Trap::ForgetsKeys);
        asked.key = create.key.filter(|_| keeps).map(|key| IdempotencyKey {
            principal: Voice::Operator.by().principal,
            key,
            digest: create.prompt.clone(),
        });
        let outcome = self.hub.dispatcher.assign(asked).await;
        if let Some(receipt) = self.answered("an assignment", outcome, create.at) {
            self.note(|ledger| ledger.created(place, &receipt));
        }
    }

    /// The task that an assignment came to, when it came to one.
    fn answered(&self, what: &str, outcome: Result<AssignReceipt, AssignError>, since: Timestamp) -> Option<TaskId> {
        match outcome {
            Ok(receipt) => Some(receipt.task_id),
            Err(AssignError::Repeated(receipt)) => {
                let earlier = since < self.began_at;
                self.count("repeated assignment");
                if earlier {
                    self.count("repeated assignment in a later life");
                }
                Some(receipt.task_id)
            }
            // Refused, a key is not used up, and what it stands for may still come to be.
            Err(AssignError::Refused(refusal)) => {
                self.says_no(refusal.code);
                None
            }
            Err(AssignError::Act(ActError::Fault(fault))) => {
                self.faulted(what, &fault);
                None
            }
            Err(AssignError::Act(error)) => {
                self.note(|ledger| ledger.find(format!("{what} came to nothing: {error}")));
                None
            }
        }
    }

    pub(crate) async fn delegate(self, agent: usize, target: Target) {
        let Some(line) = self.agent_line(agent).await else { return };
        let Some(called) = self.begin_call(agent, &line).await else { return };
        // As the doors hold it; in the plain house somebody asks in the agent's name.
        if self.house != HubSetup::Plain {
            if called.evicted.is_some() {
                self.says_no("EVICTED");
                return;
            }
            if called.registration.is_none() {
                self.says_no("NOT_REGISTERED");
                return;
            }
        }
        let voice = Voice::Agent(agent);
        let rights = self.house.rights(agent);
        let asker = Asker { by: voice.by(), origin: voice.origin(), rights, agent: Some(agent_id(agent)) };
        let at = self.now();
        let place = self.note(|ledger| {
            let prompt = format!("w{}", ledger.tick());
            let create = Create { prompt: prompt.clone(), key: None, target, after: None, urgency: 0, at, task: None };
            ledger.creates.push(create);
            (ledger.creates.len() - 1, prompt)
        });
        let Some((place, prompt)) = place else { return };
        let outcome = self.hub.dispatcher.assign(request(asker, target, &prompt)).await;
        if let Some(task) = self.answered("a delegation", outcome, at) {
            self.note(|ledger| ledger.created(place, &task));
        }
    }

    pub(crate) async fn operator(self, task: TaskId, command: TaskCommand) {
        self.order(Voice::Operator, &task, command).await;
    }

    /// An agent orders as the asker of a task.
    pub(crate) async fn speaks_as_asker(self, agent: usize, task: TaskId, command: TaskCommand) {
        let Some(line) = self.agent_line(agent).await else { return };
        if self.begin_work(agent, &line).await {
            self.order(Voice::Agent(agent), &task, command).await;
        }
    }

    pub(crate) fn a_comment(&self, kind: CommentKind) -> Comment {
        Comment {
            id: self.hub.ids.comment(),
            kind,
            from: Voice::Operator.origin(),
            text: "the left one".to_owned(),
            file: None,
            line: None,
            reply_to: None,
            sanitized: None,
            at: self.now(),
        }
    }

    pub(crate) fn an_answer(&self) -> TaskCommand {
        TaskCommand::Answer { authority: Authority::Operator, answer: self.a_comment(CommentKind::Answer) }
    }

    pub(crate) fn approval(&self, completes: bool) -> TaskCommand {
        TaskCommand::Approve { message: None, comment: self.hub.ids.comment(), completes, grounds: None, round: None }
    }

    /// Waits for a task to end, or to be BLOCKED.
    pub(crate) async fn watch(self, task: TaskId) {
        let Ok(Some(line)) = self.hub.dispatcher.task(&task).await else { return };
        let number = self.note(|ledger| {
            let number = ledger.tick();
            ledger.watches.insert(number, task.clone());
            number
        });
        let Some(number) = number else { return };
        // A fault ends the watch: whoever waits asks again.
        let outcome = line.watch(None, tokio::sync::mpsc::channel(1).0).await;
        self.note(|ledger| {
            ledger.watches.remove(&number);
            let Ok(outcome) = outcome else { return };
            let state = outcome.task.name();
            ledger.coverage.count(format!("watch {state}"));
            if !state.is_closed() && state != TaskStateName::Blocked {
                ledger.find(format!("a watch of {task} ended, and it is {state}"));
            }
        });
    }

    /// More calls at once than a mailbox holds.
    pub(crate) async fn flood(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let now = self.now();
        self.note(|ledger| ledger.flooded_until = now + Duration::from_secs(1));
        let (hub, instance) = (&self.hub, self.instance(agent));
        let calls = (0..60).map(async |_| {
            let called = line.called(instance.clone()).await;
            let counted = hub.dispatcher.counts().await;
            matches!(called, Err(AgentError::Fault(Fault::Busy { .. }))) || matches!(counted, Err(Fault::Busy { .. }))
        });
        let busy = futures_util::future::join_all(calls).await.into_iter().filter(|busy| *busy).count();
        for _ in 0..busy {
            self.count("refused BUSY");
        }
        // Whatever was shown before was settled by one of these calls, or was not.
        self.note(|ledger| ledger.players[agent].shown.clear());
    }

    pub(crate) async fn reassign(self, task: TaskId, target: Target) {
        // The hub puts the target in the place of what stands here.
        let act = self.act(Voice::Operator, TaskCommand::Retry);
        match self.hub.reassign(&task, target.who().to_owned(), RightsSet::All, act, &mut Attempts::default()).await {
            Ok(Some(_)) => {}
            Ok(None) => drop(self.note(|ledger| ledger.find(format!("J2: {task} was heard of, and is not there")))),
            Err(AssignError::Refused(refusal)) => self.says_no(refusal.code),
            Err(AssignError::Act(ActError::Refused(refusal))) => self.says_no(refusal.code()),
            Err(AssignError::Act(ActError::Fault(fault))) => self.faulted("a reassignment", &fault),
            // Its actor is being built anew.
            Err(AssignError::Act(ActError::Moved(_))) => {
                self.faulted("a reassignment", &Fault::Unavailable("nobody is there".to_owned()));
            }
            Err(error) => drop(self.note(|ledger| ledger.find(format!("a reassignment came to nothing: {error}")))),
        }
    }

    pub(crate) async fn evict(self, agent: usize, shutdown: bool) {
        let Some(line) = self.agent_line(agent).await else { return };
        let action = if shutdown { EvictionAction::Shutdown } else { EvictionAction::Restart };
        match line
            .evict(Eviction { action, reason: "a new version".to_owned(), for_good: false }, Voice::Operator.by())
            .await
        {
            Ok(()) => {}
            Err(AgentError::Fault(fault)) => self.faulted("an eviction", &fault),
            Err(AgentError::Refused(refusal)) => self.says_no(refusal.code()),
            Err(error) => drop(self.note(|ledger| ledger.find(format!("an eviction came to nothing: {error}")))),
        }
    }

    /// Somebody tells an agent something, under a key.
    pub(crate) async fn post(self, agent: usize) {
        let at = self.now();
        let place = self.note(|ledger| {
            let key = format!("message {}", ledger.tick());
            ledger.mails.push(Mail { agent, key, at, notice: None });
            ledger.mails.len() - 1
        });
        if let Some(place) = place {
            self.mail(place).await;
        }
    }

    pub(crate) async fn post_again(self, pick: usize) {
        let now = self.now();
        let place = {
            let ledger = self.ledger.borrow();
            let good = |n: &usize| now.since(ledger.mails[*n].at) < REPEATABLE;
            let places: Vec<_> = (0..ledger.mails.len()).filter(good).collect();
            pick.checked_rem(places.len()).map(|n| places[n])
        };
        if let Some(place) = place {
            self.mail(place).await;
        }
    }

    async fn mail(self, place: usize) {
        let Mail { agent, key, notice: known, .. } = self.ledger.borrow().mails[place].clone();
        let Some(line) = self.agent_line(agent).await else { return };
        let notice = Notice {
            id: self.hub.ids.notice(),
            kind: NoticeKind::Message,
            text: key.clone(),
            from: Voice::Operator.origin(),
            task_id: None,
            question_id: None,
            at: self.now(),
            typed_at: None,
        };
        let by = Voice::Operator.by();
        let key = IdempotencyKey { principal: by.principal.clone(), digest: key.clone(), key };
        let outcome = match line.post(PostRequest { notice, by, request: None, key: Some(key) }).await {
            Ok(id) => id,
            Err(AgentError::Repeated(id)) => {
                self.count("repeated message");
                id
            }
            Err(error) => return self.refused("a message", agent, self.instance(agent).as_deref(), &error),
        };
        self.note(|ledger| {
            if known.as_ref().is_some_and(|known| *known != outcome) {
                ledger.find(format!("I7: one message to {} is {known:?} and {outcome}", CAST[agent].0));
            }
            ledger.mails[place].notice = Some(outcome);
        });
    }
}

impl crate::ledger::Ledger {
    fn created(&mut self, place: usize, task: &TaskId) {
        self.knows(task);
        let create = &mut self.creates[place];
        self.trace.push(format!("    {} for {} is {task}", create.prompt, create.target.0));
        match &create.task {
            Some(first) if first != task => {
                let finding = format!("{} under one key is {first} and {task}", create.prompt);
                self.find(finding);
            }
            Some(_) => {}
            None => create.task = Some(task.clone()),
        }
    }
}

fn priority(urgency: u8) -> Priority {
    match urgency {
        0 => Priority::Normal,
        1 => Priority::High,
        _ => Priority::Critical,
    }
}

/// How urgent an order to make something more or less urgent makes it.
pub(crate) fn prioritised(urgency: u8) -> TaskCommand {
    let edit = TaskEdit { priority: Some(priority(urgency)), ..TaskEdit::default() };
    TaskCommand::Edit { edit: Box::new(edit) }
}

fn request(asker: Asker, target: Target, prompt: &str) -> AssignRequest {
    AssignRequest {
        asker,
        target: target.who().to_owned(),
        capabilities: target.capabilities().collect(),
        prompt: prompt.to_owned(),
        title: None,
        spec: None,
        context: None,
        priority: Priority::Normal,
        dependencies: Vec::new(),
        workspace: None,
        ttl: None,
        worktree: None,
        key: None,
        request: None,
        sanitized: None,
        after: None,
    }
}
