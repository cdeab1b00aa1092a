//! The messages of a workflow run.

use std::collections::BTreeSet;

use ractor::RpcReplyPort;
use serde_json::{Map, Value};
use thiserror::Error;
use tokio_util::sync::CancellationToken;

use crate::actors::common::{ActorView, Fault};
use crate::domain::ids::{PrincipalId, WorkflowId};
use crate::domain::principal::By;
use crate::domain::workflow::Plan;
use crate::domain::workflow::run::{Recorded, WorkflowCommand, WorkflowRefusal, WorkflowRun};
use crate::journal::IdempotencyKey;

#[derive(Debug)]
pub enum WorkflowMessage {
    /// Somebody asks for the prompt: the run begins.
    Start {
        start: Box<Start>,
        reply: RpcReplyPort<Result<Started, WorkflowError>>,
    },
    Drive {
        /// Who: to anybody but its owner the run does not exist.
        owner: PrincipalId,
        gone: CancellationToken,
        /// Where to: the run, or what fires when whoever drives it now is gone.
        reply: RpcReplyPort<Result<Result<Box<WorkflowRun>, CancellationToken>, WorkflowError>>,
    },
    Order {
        order: Box<WorkflowOrder>,
        reply: RpcReplyPort<Result<Done, WorkflowError>>,
    },
    Show {
        /// Where to; none before it began.
        reply: RpcReplyPort<Option<Box<WorkflowRun>>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug, Clone)]
pub struct WorkflowOrder {
    /// What, in this order: all of it, in one append, or nothing.
    pub commands: Vec<WorkflowCommand>,
    pub owner: PrincipalId,
    pub by: By,
    pub request: Option<String>,
    /// The caller's key: kept in the same append. A repeat changes nothing.
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug, Clone)]
pub struct Start {
    pub owner: PrincipalId,
    pub plan: Plan,
    /// The arguments, as their types say.
    pub parameters: Map<String, Value>,
    /// Those of them that the client may not have handed over as the user typed them.
    pub unsure: BTreeSet<String>,
    pub by: By,
    pub request: Option<String>,
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Started {
    Begun,
    /// The same was asked for under the same key: this is that run.
    Repeated(WorkflowId),
}

#[derive(Debug, Clone)]
pub struct Done {
    pub run: Box<WorkflowRun>,
    /// Where a result was recorded.
    pub recorded: Option<Recorded>,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum WorkflowError {
    /// There is no such run, or it is somebody else's.
    #[error("there is no such workflow, or it is not yours")]
    Unknown,
    #[error(transparent)]
    Refused(#[from] WorkflowRefusal),
    #[error("the idempotency key was used before, for another request")]
    KeyReused,
    #[error(transparent)]
    Fault(#[from] Fault),
}
