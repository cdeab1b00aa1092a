//! What may be said to the tickets.

use ractor::RpcReplyPort;
use tokio_util::sync::CancellationToken;

use crate::actors::common::{ActorView, Result};
use crate::domain::ids::{PrincipalId, TicketId};
use crate::domain::principal::By;
use crate::domain::ticket::{Ticket, TicketCall};

#[derive(Debug)]
pub enum TicketsMessage {
    /// Somebody called, and wants the answer later.
    Issue {
        owner: PrincipalId,
        call: TicketCall,
        by: By,
        request: Option<String>,
        /// Where to: the ticket, or none when its owner has too many.
        reply: RpcReplyPort<Result<Option<Ticket>>>,
    },
    Ask {
        id: TicketId,
        /// Who; to anybody but its owner it does not exist.
        owner: PrincipalId,
        reply: RpcReplyPort<Result<Option<TicketWatch>>>,
    },
    /// Whether nobody asked for it after that.
    IsLast {
        id: TicketId,
        turn: u64,
        reply: RpcReplyPort<bool>,
    },
    Answer {
        id: TicketId,
        answer: String,
        by: By,
        request: Option<String>,
        /// Where to: the ticket, or none when it was not open any more.
        reply: RpcReplyPort<Result<Option<Ticket>>>,
    },
    /// Its owner wants no answer.
    Cancel {
        id: TicketId,
        /// Who; to anybody but its owner it does not exist.
        owner: PrincipalId,
        by: By,
        request: Option<String>,
        /// Where to: whether there is such a ticket. One that came to its end stays as it is.
        reply: RpcReplyPort<Result<bool>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// A ticket, as one caller that watches it sees it.
#[derive(Debug, Clone)]
pub struct TicketWatch {
    pub ticket: Ticket,
    pub turn: u64,
    /// Fires when the ticket comes to its end.
    pub ended: CancellationToken,
}
