//! The typed door to the tickets.

use super::message::{TicketWatch, TicketsMessage};
use crate::actors::common::{ActorHandle, Result};
use crate::domain::ids::{PrincipalId, TicketId};
use crate::domain::principal::By;
use crate::domain::ticket::{Ticket, TicketCall};

#[derive(Debug, Clone)]
pub struct TicketsRef(ActorHandle<TicketsMessage>);

impl TicketsRef {
    pub const fn new(line: ActorHandle<TicketsMessage>) -> Self {
        Self(line)
    }

    /// A ticket for this call: on disk once this returns. None when its owner has too many.
    pub async fn issue(
        &self,
        owner: PrincipalId,
        call: TicketCall,
        by: By,
        request: Option<String>,
    ) -> Result<Option<Ticket>> {
        self.0.ask(|reply| TicketsMessage::Issue { owner, call, by, request, reply }).await?
    }

    /// The ticket of that name, when it is `owner`'s; it lives on by being asked for.
    pub async fn ask(&self, id: TicketId, owner: PrincipalId) -> Result<Option<TicketWatch>> {
        self.0.ask(|reply| TicketsMessage::Ask { id, owner, reply }).await?
    }

    pub async fn is_last(&self, id: TicketId, turn: u64) -> Result<bool> {
        self.0.ask(|reply| TicketsMessage::IsLast { id, turn, reply }).await
    }

    /// Its answer, on disk once this returns. None when it was not open any more: then nobody gets this one.
    pub async fn answer(
        &self,
        id: TicketId,
        answer: String,
        by: By,
        request: Option<String>,
    ) -> Result<Option<Ticket>> {
        self.0.ask(|reply| TicketsMessage::Answer { id, answer, by, request, reply }).await?
    }

    /// No answer is wanted any more; whether there is such a ticket of `owner`'s.
    pub async fn cancel(&self, id: TicketId, owner: PrincipalId, by: By, request: Option<String>) -> Result<bool> {
        self.0.ask(|reply| TicketsMessage::Cancel { id, owner, by, request, reply }).await?
    }
}
