//! What may be said to a terminal.

use ractor::RpcReplyPort;
use thiserror::Error;
use tokio::sync::mpsc;

use crate::actors::agent::{AgentRef, TypingOrder};
use crate::actors::common::{ActorView, Fault};
use crate::actors::journal::AppendError;
use crate::domain::principal::By;
use crate::domain::prompt::Host;
use crate::domain::terminal::{InputAsk, InputOrder, NotTyped, OrderEnd, SeenPrompt};
use crate::journal::{IdempotencyKey, WriteError};
use crate::terminal::TerminalSize;

use super::view::{TerminalView, Transcript};

#[derive(Debug)]
pub enum TerminalMessage {
    /// A program printed this.
    Print {
        output: Output,
        /// Where the place of the next byte goes, once this is drawn; none for who does not wait.
        reply: Option<RpcReplyPort<u64>>,
    },
    /// What its host knows now: who reads, whether it echoes. Known until something is printed or said anew.
    Host {
        host: Host,
    },
    /// Somebody typed something into it.
    Typed,
    /// What waits now, as likely as it says.
    Detect {
        reply: RpcReplyPort<Option<SeenPrompt>>,
    },
    /// What was printed from a place on.
    Read {
        /// From there; from the oldest that is kept when left out.
        since: Option<u64>,
        /// At most so many bytes.
        most: usize,
        reply: RpcReplyPort<Updates>,
    },
    /// Answer when something was printed behind this place; at once if something was.
    Await {
        since: u64,
        /// Where to. Dropped by who hangs up.
        reply: RpcReplyPort<()>,
    },
    /// Everything that is kept of it.
    Transcript {
        reply: RpcReplyPort<Transcript>,
    },
    /// What it is.
    Show {
        reply: RpcReplyPort<TerminalView>,
    },
    Hosted {
        arrival: Arrival,
        /// Where to: false while another host is there.
        reply: RpcReplyPort<bool>,
    },
    /// The connection of its host ended.
    HostLeft {
        connection: String,
        /// Whether its program had ended before.
        ended: bool,
    },
    /// Type this at the prompt that waits, if that is safe.
    Type {
        order: Box<TypeOrder>,
        /// Where to, once the host has said what came of it.
        reply: TypeReply,
    },
    /// Its host says what came of an order.
    WasOrdered {
        order: Box<HostOrder>,
        done: OrderEnd,
    },
    /// Its file is followed from now on: write it down, and look into it.
    Begin {
        by: By,
        request: Option<String>,
        reply: RpcReplyPort<Result<TerminalView, Fault>>,
    },
    /// Write the transcript now.
    Flush {
        /// Where to, when it is written.
        reply: RpcReplyPort<()>,
    },
    /// Follow no more, and end.
    Stop {
        by: By,
        request: Option<String>,
        /// Where to: how it stood at last, and the place at which it had begun.
        reply: RpcReplyPort<Result<(TerminalView, u64), Fault>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

/// What a program printed, and what came with it.
#[derive(Debug, Clone, Default)]
pub struct Output {
    pub bytes: Vec<u8>,
    /// How large the terminal is that they were written for; as before when left out.
    pub size: Option<TerminalSize>,
    /// Whether they begin a clean screen.
    pub reset: bool,
    /// What the host knew when it sent them.
    pub host: Option<Host>,
}

/// A host that wants a terminal.
#[derive(Debug)]
pub struct Arrival {
    /// The host: the same in each of its connections, and nobody else's.
    pub host: String,
    /// The connection's name.
    pub connection: String,
    /// The line to a host that takes orders to type.
    pub input_writer: Option<InputWriter>,
    /// The agent that is told by typing what it does not fetch.
    pub reader: Option<AgentRef>,
    /// Whether it was refused before, because another one was there.
    pub waited: bool,
}

/// What was printed from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// It, without what only a terminal understands.
    pub text: String,
    /// The place of the next byte.
    pub position: u64,
    pub more: bool,
    /// How many bytes before it are kept no longer.
    pub missed: u64,
}

impl Output {
    /// Bytes, and nothing of the screen they make.
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), ..Self::default() }
    }
}

/// What to type, for whom, and where to say what came of it.
#[derive(Debug)]
pub struct TypeOrder {
    /// The text to type, and the prompt that it answers.
    pub ask: InputAsk,
    pub order_id: String,
    pub by: By,
    pub request: Option<String>,
    /// The caller's key; its receipt is the order's name.
    pub key: Option<IdempotencyKey>,
}

/// Where it is said what came of an order.
pub type TypeReply = RpcReplyPort<Result<InputOrder, TypeError>>;

#[derive(Debug)]
pub struct HostOrder {
    /// What to type.
    pub order: InputOrder,
    /// Who ordered it.
    pub by: By,
    pub request: Option<String>,
    /// Where to say what came of it.
    pub back: Back,
}

/// Who wants to know what came of an order.
#[derive(Debug)]
pub enum Back {
    /// Whoever gave it.
    Caller(TypeReply),
    /// The agent whose notice it is: it writes down what came of it.
    Agent { agent: AgentRef, order: Box<TypingOrder> },
}

/// The sender of orders to type, which the terminal's host receives.
pub type InputWriter = mpsc::Sender<HostOrder>;

/// Why an order came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TypeError {
    /// The order must not be typed at this prompt, or nobody takes it.
    #[error(transparent)]
    NotTyped(#[from] NotTyped),
    /// It was given before, under this key and this name.
    #[error("it was ordered before, as `{0}`")]
    Repeated(String),
    /// The key was used for something else.
    #[error("the key was used before, for another request")]
    KeyReused,
    /// The world failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<AppendError> for TypeError {
    fn from(error: AppendError) -> Self {
        match error {
            AppendError::Write(WriteError::Repeated { receipt }) => {
                Self::Repeated(receipt.as_str().unwrap_or_default().to_owned())
            }
            AppendError::Write(WriteError::KeyReused) => Self::KeyReused,
            other @ (AppendError::Write(WriteError::Full | WriteError::Fault(_) | WriteError::Moved(_))
            | AppendError::Busy { .. }
            | AppendError::Ended) => Self::Fault(other.into()),
        }
    }
}
