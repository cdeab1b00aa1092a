//! The messages of a session.

use ractor::RpcReplyPort;
use thiserror::Error;
use tracing::Span;

use crate::actors::common::{ActorView, Fault};
use crate::actors::journal::RecallError;
use crate::actors::task::ActError;
use crate::domain::ids::QuestionId;
use crate::domain::principal::By;
use crate::domain::session::question::Question;
use crate::domain::session::{Lifecycle, Session, SessionCommand, SessionOutcome, SessionRefusal};
use crate::domain::task::Origin;
use crate::journal::{Blob, IdempotencyKey};

#[derive(Debug)]
pub enum SessionMessage {
    /// Somebody else wrote into its stream: look again, before anything is decided or shown.
    Moved,
    /// What the hub sees of its life.
    Seen {
        lifecycle: Lifecycle,
    },
    /// Decide, journal, apply, perform.
    Order {
        order: Box<SessionOrder>,
        span: Span,
        reply: RpcReplyPort<Result<SessionReceipt, SessionError>>,
    },
    /// Answer when the question has its answer, or its deadline passes without one; at once if it has.
    AwaitAnswer {
        question: QuestionId,
        /// Where to. Dropped by who hangs up: nothing is lost with it, the answer is a notice too.
        reply: RpcReplyPort<Result<Question, SessionError>>,
    },
    Show {
        reply: RpcReplyPort<(Session, Lifecycle)>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug, Clone)]
pub struct SessionOrder {
    pub command: SessionCommand,
    pub by: By,
    /// The same, as a task's history names them.
    pub who: Origin,
    pub request: Option<String>,
    pub blobs: Vec<Blob>,
    pub key: Option<IdempotencyKey>,
}

impl SessionOrder {
    /// A command with nothing beside it.
    pub const fn new(command: SessionCommand, by: By, who: Origin) -> Self {
        Self { command, by, who, request: None, blobs: Vec::new(), key: None }
    }
}

#[derive(Debug, Clone)]
pub struct SessionReceipt {
    pub session: Session,
    pub outcome: SessionOutcome,
    /// The question that the order was about, if it was about one.
    pub question: Option<Question>,
}

#[derive(Debug, Clone, PartialEq, Error)]
pub enum SessionError {
    #[error(transparent)]
    Refused(#[from] SessionRefusal),
    #[error(transparent)]
    Task(ActError),
    /// What it was decided on moved meanwhile, again and again.
    #[error("the session or its task moved meanwhile: repeat the call")]
    Moved,
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    /// The world failed; the call may be repeated.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<RecallError> for SessionError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::KeyReused => Self::KeyReused,
            RecallError::Read(error) => Self::Fault(error.into()),
        }
    }
}
