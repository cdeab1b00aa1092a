//! The learner's shell.

use ractor::{Actor, ActorRef};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::message::{LearnerMessage, Order, Track, Tracked};
use super::state::State;
use crate::actors::common::{ActorResult, ActorView, Result, respond};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::domain::ids::PatternId;
use crate::domain::principal::By;
use crate::domain::prompt::book::{KeptPattern, PatternBook, PatternPlace};
use crate::domain::prompt::learn::Answer;
use crate::domain::terminal::TerminalRecord;
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, HubRecord, Row, Written};

#[derive(Debug)]
pub struct LearnerActor;

impl Actor for LearnerActor {
    type Msg = LearnerMessage;
    type State = State;
    type Arguments = ActorArgs<LearnerMessage>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let mut book = PatternBook::default();
        let mailbox_metrics = args.mailbox_metrics();
        let Spawner { journal, clock, .. } = args.spawner;
        journal.read(|reader| reader.patterns()).await?.into_iter().for_each(|kept| book.put(kept));
        Ok(State { started_at: clock.now(), journal, clock, mailbox_metrics, book })
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: LearnerMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        match message {
            LearnerMessage::Track { track, reply } => respond(reply, state.track(*track).await),
            LearnerMessage::Find { workspace, prompt_text, reply } => {
                respond(reply, state.find(workspace.as_deref(), &prompt_text));
            }
            LearnerMessage::List { reply } => respond(reply, state.book.all().cloned().collect()),
            LearnerMessage::Change { id, order, by, request, reply } => {
                respond(reply, state.change(&id, order, by, request).await);
            }
            LearnerMessage::ActorView { reply } => {
                let mut actor_view = ActorView::of("learner", "learner", &state.mailbox_metrics, state.started_at);
                actor_view.detail = json!({ "patterns": state.book.all().count() });
                let _ = reply.send(actor_view);
            }
        }
        Ok(())
    }
}

impl State {
    async fn track(&mut self, track: Track) -> Result<Tracked> {
        let Track { terminal, agent, mut input, by, request } = track;
        let now = self.clock.now();
        let place = PatternPlace::of(input.workspace.as_deref());
        let id = name_of(&place, &input.prompt_text);
        let answer = Answer {
            prompt_text: &input.prompt_text,
            kind: input.prompt_type,
            dangerous: input.dangerous,
            input_text: &input.input_text,
            success: input.success,
            source: input.source,
            provenance: input.provenance,
            at: now,
        };
        // What teaches nothing is kept all the same.
        let learned = self.book.learned(&id, &place, &answer).ok();
        input.pattern = learned.as_ref().map(|kept| kept.id.clone());
        let mut rows: Vec<Row> = learned.iter().map(|kept| Row::Pattern(Box::new(kept.clone()))).collect();
        let surplus = learned.as_ref().and_then(|kept| self.book.surplus(&kept.id));
        rows.extend(surplus.clone().map(Row::Forgotten));
        let entry = Entry::of_terminal(&terminal, TerminalRecord::InputTracked { agent, input: Box::new(input) });
        let written = self.append(now, by, request, entry, rows).await?;
        surplus.iter().for_each(|id| self.book.forget(id));
        let pattern = learned.as_ref().map(|kept| kept.id.clone());
        learned.into_iter().for_each(|kept| self.book.put(kept));
        Ok(Tracked { seq: written.last.0, pattern })
    }

    /// The workspace's own goes before the hub's, once it has something to say.
    fn find(&self, workspace: Option<&str>, prompt_text: &str) -> Option<KeptPattern> {
        let now = self.clock.now();
        let places = [PatternPlace::of(workspace), PatternPlace::Hub];
        let mut found = places.iter().filter_map(|place| self.book.get(&name_of(place, prompt_text)));
        found.find(|kept| !kept.pattern.standings(now).is_empty()).cloned()
    }

    async fn change(
        &mut self,
        id: &PatternId,
        order: Order,
        by: By,
        request: Option<String>,
    ) -> Result<Option<KeptPattern>> {
        let Some(kept) = self.book.get(id).cloned() else { return Ok(None) };
        let (record, row, after) = match order {
            Order::Forget => (HubRecord::PatternForgotten { pattern: id.clone() }, Row::Forgotten(id.clone()), None),
            Order::Promote => {
                let promoted = KeptPattern {
                    id: name_of(&PatternPlace::Hub, &kept.pattern.prompt_text),
                    place: PatternPlace::Hub,
                    pattern: kept.pattern.clone(),
                };
                let record = HubRecord::PatternPromoted { pattern: id.clone(), to: promoted.id.clone() };
                (record, Row::Pattern(Box::new(promoted.clone())), Some(promoted))
            }
        };
        self.append(self.clock.now(), by, request, Entry::of_hub(record), vec![row]).await?;
        match after {
            Some(promoted) => {
                self.book.put(promoted.clone());
                Ok(Some(promoted))
            }
            None => {
                self.book.forget(id);
                Ok(Some(kept))
            }
        }
    }

    /// Written at the time for which it was weighed: the records alone come to the same pattern.
    async fn append(
        &self,
        now: Timestamp,
        by: By,
        request: Option<String>,
        entry: Entry,
        rows: Vec<Row>,
    ) -> Result<Written> {
        let append = Append { request, rows, ..Append::new(now, by, vec![entry]) };
        Ok(self.journal.append(append).await?)
    }
}

/// The name of the pattern of a prompt in a place. By a digest that nobody can aim at another's.
fn name_of(place: &PatternPlace, prompt_text: &str) -> PatternId {
    let digest = Sha256::digest(place.key(prompt_text).as_bytes());
    let name: String = digest.iter().take(13).map(|byte| format!("{byte:02x}")).collect();
    PatternId::of_digest(&name)
}
