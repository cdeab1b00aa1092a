//! What may be said to the tickets.

use ractor::RpcReplyPort;
use tokio_util::sync::CancellationToken;

use crate::actors::common::{ActorView, Fault};
use crate::domain::ids::{PrincipalId, TicketId};
use crate::domain::principal::By;
use crate::domain::ticket::{Ticket, TicketCall};

/// A message to the tickets.
#[derive(Debug)]
pub enum TicketsMessage {
    /// Somebody called, and wants the answer later.
    Issue {
        /// Whose it is.
        owner: PrincipalId,
        /// What was called.
        call: TicketCall,
        /// Who, and where.
        by: By,
        /// The request, for logs and events.
        request: Option<String>,
        /// Where to: the ticket, or none when its owner has too many.
        reply: RpcReplyPort<Result<Option<Ticket>, Fault>>,
    },
    /// Somebody asks for it.
    Ask {
        /// Which.
        id: TicketId,
        /// Who; to anybody but its owner it does not exist.
        owner: PrincipalId,
        /// Where to.
        reply: RpcReplyPort<Result<Option<Asked>, Fault>>,
    },
    /// Whether nobody asked for it after that.
    IsLast {
        /// Which.
        id: TicketId,
        /// The number of who asks.
        turn: u64,
        /// Where to.
        reply: RpcReplyPort<bool>,
    },
    /// This is its answer.
    Answer {
        /// Which.
        id: TicketId,
        /// It.
        answer: String,
        /// Who asked for it, and where.
        by: By,
        /// The request, for logs and events.
        request: Option<String>,
        /// Where to: the ticket, or none when it was not open any more.
        reply: RpcReplyPort<Result<Option<Ticket>, Fault>>,
    },
    /// Its owner wants no answer.
    Cancel {
        /// Which.
        id: TicketId,
        /// Who; to anybody but its owner it does not exist.
        owner: PrincipalId,
        /// Who, and where.
        by: By,
        /// The request, for logs and events.
        request: Option<String>,
        /// Where to: whether there is such a ticket. One that came to its end stays as it is.
        reply: RpcReplyPort<Result<bool, Fault>>,
    },
    /// The time has come for something.
    Tick,
    /// Draw yourself.
    ActorView {
        /// Where to.
        reply: RpcReplyPort<ActorView>,
    },
}

/// A ticket as who asks for it finds it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// It.
    pub ticket: Ticket,
    /// The number of who asks; later ones have greater numbers.
    pub turn: u64,
    /// Fires when the ticket comes to its end.
    pub ended: CancellationToken,
}
