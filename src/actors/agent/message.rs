//! The messages of an agent.

use std::collections::BTreeSet;
use std::time::Duration;

use ractor::RpcReplyPort;
use thiserror::Error;

use crate::actors::common::{ActorView, Fault};
use crate::actors::journal::RecallError;
use crate::actors::task::{OfferedTask, TaskRef};
use crate::domain::agent::{
    Agent, AgentRefusal, AgentView, CallId, Carried, Claim, Departure, DepartureKind, Eviction, HeldState, Notice,
    Registration, ToType,
};
use crate::domain::ids::{AgentId, LeaseEpoch, NoticeId, QuestionId, RoleId, SessionId, TaskId, TerminalId};
use crate::domain::principal::By;
use crate::domain::task::Priority;
use crate::domain::terminal::{InputOrder, OrderEnd};
use crate::domain::time::Timestamp;
use crate::journal::IdempotencyKey;

#[derive(Debug)]
pub enum AgentMessage {
    Register {
        request: Box<RegisterRequest>,
        reply: RpcReplyPort<Result<Registered, AgentError>>,
    },
    /// It calls, by whatever tool: it is alive, and has heard what its earlier results carried.
    Called {
        instance: Option<String>,
        reply: RpcReplyPort<Result<Called, AgentError>>,
    },
    /// What is there for it to hear, to go with a result that is about to leave.
    Collect {
        call: CallId,
        answers: Option<QuestionId>,
        reply: RpcReplyPort<Collected>,
    },
    Wait {
        request: WaitRequest,
        reply: RpcReplyPort<Result<WaitEnd, AgentError>>,
    },
    /// An answer is lost: what it carries was not heard, an offer in it goes back, a wait under this number is over.
    Lost {
        call: CallId,
        carried: Carried,
    },
    /// Hand it this offer, which is on disk.
    Deliver {
        task: TaskRef,
        offered: Box<OfferedTask>,
    },
    /// How a task that it holds, or held, stands now.
    Holds {
        task: TaskId,
        held: Option<Held>,
    },
    /// An answer that carries something has left: the next call shows that it arrived.
    Left {
        call: CallId,
    },
    /// Whoever would have told it something failed and was built anew: what is on disk and was not told is to be found.
    LookAgain,
    /// A notice for it is on disk.
    Noticed {
        notice: Notice,
    },
    /// A task that it asked for goes on. In no record of its own, and no reason to end a wait: the task has it.
    Progressed {
        task: TaskId,
        notice: Notice,
    },
    /// Tell it something: journal it first.
    Post {
        request: Box<PostRequest>,
        reply: RpcReplyPort<Result<NoticeId, AgentError>>,
    },
    /// Send it away.
    Evict {
        request: Box<EvictRequest>,
        reply: RpcReplyPort<Result<Eviction, AgentError>>,
    },
    /// What may be typed into its terminal, since nobody fetches it.
    ToType {
        reply: RpcReplyPort<ToType>,
    },
    /// Its terminal is about to type a notice: write that down, unless the notice goes another way by now.
    OrderTyping {
        order: Box<TypingOrder>,
        reply: RpcReplyPort<Result<bool, AgentError>>,
    },
    /// What came of such an order.
    EndTyping {
        order: Box<TypingOrder>,
        done: OrderEnd,
    },
    /// What the agent is, as the journal knows it, and what it holds.
    Show {
        reply: RpcReplyPort<AgentStanding>,
    },
    /// Its program is connected, and may be at work in silence.
    Present {
        instance: Option<String>,
        connection: CallId,
    },
    /// A client of it went away.
    ClientGone(ClientGone),
    /// Say to the dispatcher how you stand: it was built anew, or the settings changed.
    Announce,
    /// End the open wait with "reconnect": the hub is going down.
    Drain,
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// What goes with a result.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    pub notices: Vec<Notice>,
    /// What the result tells already: heard with it, told again when it is lost.
    pub told: BTreeSet<NoticeId>,
}

/// A registration on its way in; the claim is already bounded by configuration.
#[derive(Debug, Clone)]
pub struct RegisterRequest {
    pub claim: Claim,
    pub by: By,
    pub request: Option<String>,
    /// The caller's key. To register again is the same registration, so a repeat is carried out, and not replayed: it
    /// may come over a new connection, which then speaks for the agent.
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug, Clone)]
pub struct EvictRequest {
    pub eviction: Eviction,
    pub by: By,
    pub request: Option<String>,
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug, Clone)]
pub struct PostRequest {
    pub notice: Notice,
    pub by: By,
    pub request: Option<String>,
    pub key: Option<IdempotencyKey>,
}

#[derive(Debug, Clone)]
pub struct Registered {
    pub agent: Agent,
    pub session: SessionId,
    pub held: Vec<Held>,
}

/// An order to type a notice into the terminal that the agent works in.
#[derive(Debug, Clone)]
pub struct TypingOrder {
    pub terminal: TerminalId,
    pub notice: NoticeId,
    /// Whether all of it is in the line.
    pub whole: bool,
    pub input: InputOrder,
}

#[derive(Debug, Clone)]
pub struct Called {
    /// What it registered as; none when it never did.
    pub registration: Option<Registration>,
    pub held: Vec<Held>,
    /// It was sent away, and must register again before it does anything but wait.
    pub evicted: Option<Eviction>,
    /// The longest wait that its connection was seen to bear; none where nothing was learned.
    pub wait_limit: Option<Duration>,
}

#[derive(Debug, Clone)]
pub struct WaitRequest {
    pub id: CallId,
    pub instance: Option<String>,
    /// When it ends by itself.
    pub until: Timestamp,
    pub awaits: Awaited,
    /// Whether its answer only wakes the agent, which is to call for what there is.
    pub nudges: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Awaited {
    #[default]
    Anything,
    Work,
    /// This task alone, and notices.
    Only(TaskId),
    /// This task alone, which is queued for the agent: what there is to hear goes with it.
    Back(TaskId),
}

impl Awaited {
    /// Whether a notice ends the wait.
    pub const fn hears(&self) -> bool {
        match self {
            Self::Anything | Self::Only(_) => true,
            Self::Work | Self::Back(_) => false,
        }
    }
}

#[derive(Debug, Clone)]
pub enum WaitEnd {
    Task(Box<OfferedTask>),
    Notices(Vec<Notice>),
    Idle,
    Evicted(Eviction),
    /// A newer wait took its place.
    Superseded,
    /// It holds as much as its role may; finish that first.
    AtCapacity(Vec<Held>),
    /// The hub is going down; come back.
    Draining,
}

#[derive(Debug, Clone)]
pub struct Held {
    pub task: TaskRef,
    pub id: TaskId,
    pub state: HeldState,
    pub epoch: LeaseEpoch,
    pub since: Option<Timestamp>,
    /// When it runs out unless renewed.
    pub until: Option<Timestamp>,
    pub priority: Priority,
}

/// What an agent is and does, for whoever asks.
#[derive(Debug, Clone)]
pub struct AgentStanding {
    pub agent: Agent,
    pub held: Vec<Held>,
    /// As others may see it; `queued` is the dispatcher's to fill.
    pub view: AgentView,
    pub departed: Option<Departure>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub id: AgentId,
    pub role: RoleId,
    pub display_name: String,
    pub capabilities: BTreeSet<String>,
    pub repo: Option<String>,
    /// Its session: it follows what the agent is offered.
    pub session: SessionId,
}

/// Why an agent's actor did not do it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AgentError {
    /// The machine says no.
    #[error(transparent)]
    Refused(#[from] AgentRefusal),
    #[error("this idempotency key was used before")]
    Repeated(NoticeId),
    #[error("this idempotency key was used before, for another request: choose a new one")]
    KeyReused,
    /// The world failed; the call may be repeated.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// That a client of an agent went away.
#[derive(Debug, Clone)]
pub struct ClientGone {
    pub instance: Option<String>,
    /// The connection that ended; none where the client has a session and no connection of its own.
    pub connection: Option<CallId>,
    /// Whether the client itself ended, or only its connection.
    pub how: DepartureKind,
}

impl From<RecallError> for AgentError {
    fn from(error: RecallError) -> Self {
        match error {
            RecallError::KeyReused => Self::KeyReused,
            RecallError::Read(error) => Self::Fault(error.into()),
        }
    }
}
