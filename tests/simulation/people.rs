//! What those do who ask for work: assign, repeat, answer, cancel, retry, give to somebody else.

use std::collections::BTreeSet;
use std::time::Duration;

use callboard::actors::agent::PostRequest;
use callboard::actors::dispatcher::{Asker, AssignError, AssignRequest};
use callboard::actors::task::{ActError, IdempotencyKey};
use callboard::domain::agent::{Eviction, EvictionAction, Notice, NoticeKind};
use callboard::domain::ids::TaskId;
use callboard::domain::task::{Authority, Comment, CommentKind, Priority, RightsSet, TaskCommand};

use crate::ledger::Create;
use crate::player::agent_id;
use crate::stage::{Stage, Voice};
use crate::traps::Trap;

/// How long a repeat is good, with room to spare: a key is kept for a day.
const REPEATABLE: Duration = Duration::from_secs(20 * 60 * 60);

impl Stage {
    pub(crate) async fn assign(self, target: &'static str, keyed: bool, after: Option<usize>) {
        let after = after.and_then(|pick| self.some_task(pick));
        let at = self.now();
        let place = self.note(|ledger| {
            let prompt = format!("w{}", ledger.tick());
            let key = keyed.then(|| format!("key of {prompt}"));
            ledger.creates.push(Create { prompt, key, target, after, at, task: None });
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
        asked.dependencies = create.after.iter().map(ToString::to_string).collect();
        let keeps = self.trap != Some(Trap::ForgetsKeys);
        asked.key = create.key.filter(|_| keeps).map(|key| IdempotencyKey {
            principal: Voice::Operator.by().principal,
            key,
            digest: create.prompt.clone(),
        });
        let outcome = self.hub.dispatcher.assign(asked).await;
        let now = self.now();
        self.note(|ledger| match outcome {
            Ok(receipt) => ledger.created(place, &receipt.task_id),
            Err(AssignError::Repeated(receipt)) => ledger.created(place, &receipt.task_id),
            // Refused, a key is not used up, and what it stands for may still come to be.
            Err(AssignError::Refused(_)) => {}
            Err(AssignError::Act(ActError::Fault(fault))) => {
                if !ledger.faulty && ledger.shaken_until < now {
                    ledger.find(format!("an assignment failed while nothing was broken: {fault}"));
                }
            }
            Err(AssignError::Act(error)) => ledger.find(format!("an assignment came to nothing: {error}")),
        });
    }

    pub(crate) async fn delegate(self, agent: usize, target: &'static str) {
        // Only a hub that knows the agent lets it delegate.
        let Some(line) = self.agent_line(agent).await else { return };
        if !self.begin_call(agent, &line).await {
            return;
        }
        let voice = Voice::Agent(agent);
        let asker =
            Asker { by: voice.by(), origin: voice.origin(), rights: RightsSet::All, agent: Some(agent_id(agent)) };
        let at = self.now();
        let place = self.note(|ledger| {
            let prompt = format!("w{}", ledger.tick());
            ledger.creates.push(Create { prompt: prompt.clone(), key: None, target, after: None, at, task: None });
            (ledger.creates.len() - 1, prompt)
        });
        let Some((place, prompt)) = place else { return };
        if let Ok(receipt) = self.hub.dispatcher.assign(request(asker, target, &prompt)).await {
            self.note(|ledger| ledger.created(place, &receipt.task_id));
        }
    }

    pub(crate) async fn operator(self, task: TaskId, command: TaskCommand) {
        self.order(Voice::Operator, &task, command).await;
    }

    pub(crate) fn an_answer(&self) -> TaskCommand {
        let answer = Comment {
            id: self.hub.ids.comment(),
            kind: CommentKind::Answer,
            from: Voice::Operator.origin(),
            text: "the left one".to_owned(),
            file: None,
            line: None,
            reply_to: None,
            at: self.now(),
        };
        TaskCommand::Answer { authority: Authority::Operator, answer }
    }

    pub(crate) fn approval(&self, completes: bool) -> TaskCommand {
        TaskCommand::Approve { message: None, comment: self.hub.ids.comment(), completes }
    }

    pub(crate) async fn reassign(self, task: TaskId, target: &'static str) {
        // The dispatcher puts the target in the place of what stands here.
        let act = self.act(Voice::Operator, TaskCommand::Retry);
        if let Err(AssignError::Act(ActError::Fault(fault))) =
            self.hub.dispatcher.reassign(&task, target.to_owned(), act).await
        {
            self.faulted("a reassignment", &fault);
        }
    }

    pub(crate) async fn evict(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let eviction = Eviction { action: EvictionAction::Restart, reason: "a new version".to_owned() };
        if let Err(error) = line.evict(eviction, Voice::Operator.by()).await {
            self.refused("an eviction", &error);
        }
    }

    pub(crate) async fn post(self, agent: usize) {
        let Some(line) = self.agent_line(agent).await else { return };
        let notice = Notice {
            id: self.hub.ids.notice(),
            kind: NoticeKind::Message,
            text: "hear this".to_owned(),
            from: Voice::Operator.origin(),
            task_id: None,
            question_id: None,
            at: self.now(),
        };
        let request = PostRequest { notice, by: Voice::Operator.by(), request: None, key: None };
        if let Err(error) = line.post(request).await {
            self.refused("a message", &error);
        }
    }
}

impl crate::ledger::Ledger {
    fn created(&mut self, place: usize, task: &TaskId) {
        self.knows(task);
        let create = &mut self.creates[place];
        self.trace.push(format!("    {} for {} is {task}", create.prompt, create.target));
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

fn request(asker: Asker, target: &str, prompt: &str) -> AssignRequest {
    AssignRequest {
        asker,
        target: target.to_owned(),
        capabilities: BTreeSet::new(),
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
    }
}
