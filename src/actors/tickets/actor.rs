//! The tickets' shell.

use std::collections::BTreeMap;
use std::time::Duration;

use ractor::{Actor, ActorRef};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::message::{TicketWatch, TicketsMessage};
use super::state::State;
use crate::actors::common::{ActorResult, ActorView, Result, respond};
use crate::actors::spawner::{ActorArgs, Spawner};
use crate::domain::ids::{PrincipalId, TicketId};
use crate::domain::principal::By;
use crate::domain::ticket::{
    Ticket, TicketBook, TicketCommand, TicketDecision, TicketRecord, TicketState, h1_one_answer, h2_owners_few,
};
use crate::domain::time::Deadline;
use crate::journal::{Append, Entry, HubRecord, Row};

/// How long after a failed write what is due is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct TicketsActor;

impl Actor for TicketsActor {
    type Msg = TicketsMessage;
    type State = State;
    type Arguments = ActorArgs<TicketsMessage>;

    async fn pre_start(&self, _: ActorRef<Self::Msg>, args: Self::Arguments) -> ActorResult<State> {
        let (timer, mailbox_metrics) = (args.timer(|| TicketsMessage::Tick), args.mailbox_metrics());
        let Spawner { journal, clock, ids, hub, .. } = args.spawner;
        let book = TicketBook::of(journal.read(|reader| reader.tickets()).await?);
        let (started_at, asked, retry_at) = (clock.now(), BTreeMap::new(), None);
        let mut state =
            State { journal, clock, ids, hub, timer, mailbox_metrics, book, asked, turns: 0, retry_at, started_at };
        state.settle();
        Ok(state)
    }

    async fn handle(&self, _: ActorRef<Self::Msg>, message: TicketsMessage, state: &mut State) -> ActorResult {
        state.mailbox_metrics.took();
        match message {
            TicketsMessage::Issue { owner, call, by, request, reply } => {
                let command = TicketCommand::Issue { id: state.ids.ticket(), owner, call };
                let _ = reply.send(state.order(&command, None, by, request).await);
            }
            TicketsMessage::Ask { id, owner, reply } => respond(reply, state.ask(&id, &owner).await),
            TicketsMessage::IsLast { id, turn, reply } => {
                respond(reply, state.asked.get(&id).is_some_and(|(last, _)| *last == turn));
            }
            TicketsMessage::Answer { id, answer, by, request, reply } => {
                respond(reply, state.order(&TicketCommand::Answer(id), Some(answer), by, request).await);
            }
            TicketsMessage::Cancel { id, owner, by, request, reply } => {
                respond(reply, state.cancel(id, &owner, by, request).await);
            }
            TicketsMessage::Tick => state.tick().await,
            TicketsMessage::ActorView { reply } => respond(reply, state.actor_view()),
        }
        state.settle();
        Ok(())
    }
}

impl State {
    /// The turn: decide, write, apply. The ticket that it was about; none where the order was refused.
    async fn order(
        &mut self,
        command: &TicketCommand,
        answer: Option<String>,
        by: By,
        request: Option<String>,
    ) -> Result<Option<Ticket>> {
        let now = self.clock.now();
        let Ok(TicketDecision { records, about }) = self.book.decide(now, command) else { return Ok(None) };
        if !records.is_empty() {
            let mut after = self.book.touched_by(&records);
            records.iter().for_each(|record| after.apply(record));
            debug_assert_eq!(h1_one_answer(&self.book, &after), Ok(()));
            let rows = records.iter().map(|record| row(&after, record, answer.as_ref())).collect();
            let entries = records.iter().map(|record| Entry::of_hub(written(record))).collect();
            let append = Append { request, rows, ..Append::new(now, by, entries) };
            self.journal.append(append).await?;
            records.iter().for_each(|record| self.book.apply(record));
            debug_assert_eq!(h2_owners_few(&self.book), Ok(()));
        }
        let ticket = about.and_then(|id| self.book.get(&id).cloned());
        Ok(ticket)
    }

    async fn ask(&mut self, id: &TicketId, owner: &PrincipalId) -> Result<Option<TicketWatch>> {
        let Some(ticket) = self.book.get(id).filter(|ticket| ticket.owner == *owner) else { return Ok(None) };
        if ticket.state != TicketState::Open {
            let (ticket, ended) = (ticket.clone(), CancellationToken::new());
            return Ok(Some(TicketWatch { ticket, turn: 0, ended }));
        }
        let hub = self.hub.clone();
        let kept = self.order(&TicketCommand::Keep(id.clone()), None, hub, None).await?;
        self.turns += 1;
        let (turn, ended) = self.asked.entry(id.clone()).or_default();
        *turn = self.turns;
        let (turn, ended) = (*turn, ended.clone());
        Ok(kept.map(|ticket| TicketWatch { ticket, turn, ended }))
    }

    async fn cancel(&mut self, id: TicketId, owner: &PrincipalId, by: By, request: Option<String>) -> Result<bool> {
        if self.book.get(&id).is_none_or(|ticket| ticket.owner != *owner) {
            return Ok(false);
        }
        self.order(&TicketCommand::Cancel(id), None, by, request).await?;
        Ok(true)
    }

    async fn tick(&mut self) {
        self.timer.rang();
        self.retry_at = None;
        let hub = self.hub.clone();
        if let Err(fault) = self.order(&TicketCommand::Tick, None, hub, None).await {
            tracing::warn!("tickets that are due could not be let go of: {fault}");
            self.retry_at = Some(self.clock.now() + RETRY_AFTER);
        }
    }

    /// Whoever asks for a ticket that came to its end hears of it; the alarm is set.
    fn settle(&mut self) {
        let book = &self.book;
        self.asked.retain(|id, (_, ended)| {
            let open = book.get(id).is_some_and(|ticket| ticket.state == TicketState::Open);
            if !open {
                ended.cancel();
            }
            open
        });
        let own = self.book.next_deadline();
        self.timer.set(match self.retry_at {
            Some(at) => own.map(|deadline| Deadline { at: at.max(deadline.at), ..deadline }),
            None => own,
        });
    }

    fn actor_view(&self) -> ActorView {
        let mut actor_view = ActorView::of("tickets", "tickets", &self.mailbox_metrics, self.started_at);
        let open = self.book.all().filter(|ticket| ticket.state == TicketState::Open).count();
        actor_view.deadline = self.timer.armed();
        actor_view.detail = json!({ "tickets": self.book.all().count(), "open": open, "asked": self.asked.len() });
        actor_view
    }
}

fn row(after: &TicketBook, record: &TicketRecord, answer: Option<&String>) -> Row {
    match after.get(record.id()) {
        Some(ticket) => Row::Ticket(Box::new(ticket.clone()), answer.cloned()),
        None => Row::TicketGone(record.id().clone()),
    }
}

fn written(record: &TicketRecord) -> HubRecord {
    match record {
        TicketRecord::Issued(ticket) => HubRecord::TicketIssued { ticket: ticket.clone() },
        TicketRecord::Kept { id, until } => HubRecord::TicketKept { ticket: id.clone(), until: *until },
        TicketRecord::Answered { id, .. } => HubRecord::TicketAnswered { ticket: id.clone() },
        TicketRecord::Cancelled { id, .. } => HubRecord::TicketCancelled { ticket: id.clone() },
        TicketRecord::Expired { id } => HubRecord::TicketExpired { ticket: id.clone() },
    }
}
