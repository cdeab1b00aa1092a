//! What may be said to a terminal.

use ractor::RpcReplyPort;
use thiserror::Error;
use tokio::sync::mpsc;

use crate::actors::agent::{AgentRef, TypingOrder};
use crate::actors::common::{ActorView, Fault, Result};
use crate::actors::journal::AppendError;
use crate::domain::principal::By;
use crate::domain::prompt::Host;
use crate::domain::terminal::{InputAsk, InputOrder, NotTyped, OrderEnd, SeenPrompt};
use crate::journal::{IdempotencyKey, WriteError};
use crate::terminal::TerminalSize;

use super::view::{TerminalView, Transcript};

#[derive(Debug)]
pub enum TerminalMessage {
    Print {
        output: Output,
        /// Where the place of the next byte goes, once this is drawn; none for who does not wait.
        reply: Option<RpcReplyPort<u64>>,
    },
    /// What its host knows now: who reads, whether it echoes. Known until something is printed or said anew.
    Host {
        host: Host,
    },
    Typed,
    Detect {
        reply: RpcReplyPort<Option<SeenPrompt>>,
    },
    Read {
        /// From there; from the oldest that is kept when left out.
        since: Option<u64>,
        most: usize,
        reply: RpcReplyPort<Updates>,
    },
    /// Answer when something was printed behind this place; at once if something was.
    Await {
        since: u64,
        /// Where to. Dropped by who hangs up.
        reply: RpcReplyPort<()>,
    },
    Transcript {
        reply: RpcReplyPort<Transcript>,
    },
    Show {
        reply: RpcReplyPort<TerminalView>,
    },
    Hosted {
        arrival: Arrival,
        reply: RpcReplyPort<bool>,
    },
    HostLeft {
        connection: String,
        ended: bool,
    },
    /// Type this at the prompt that waits, if that is safe.
    Type {
        order: Box<TypeOrder>,
        /// Where to, once the host has said what came of it.
        reply: TypeReply,
    },
    WasOrdered {
        order: Box<HostOrder>,
        done: OrderEnd,
    },
    /// Its file is followed from now on: write it down, and look into it.
    Begin {
        by: By,
        request: Option<String>,
        reply: RpcReplyPort<Result<TerminalView>>,
    },
    Flush {
        reply: RpcReplyPort<()>,
    },
    /// Follow no more, and end.
    Stop {
        by: By,
        request: Option<String>,
        /// Where to: how it stood at last, and the place at which it had begun.
        reply: RpcReplyPort<Result<(TerminalView, u64)>>,
    },
    Tick,
    ActorView {
        reply: RpcReplyPort<ActorView>,
    },
}

#[derive(Debug, Clone, Default)]
pub struct Output {
    pub bytes: Vec<u8>,
    /// How large the terminal is that they were written for; as before when left out.
    pub size: Option<TerminalSize>,
    pub reset: bool,
    pub host: Option<Host>,
}

#[derive(Debug)]
pub struct Arrival {
    /// The host: the same in each of its connections, and nobody else's.
    pub host: String,
    pub connection: String,
    pub input_writer: Option<InputWriter>,
    /// The agent that is told by typing what it does not fetch.
    pub reader: Option<AgentRef>,
    /// Whether it was refused before, because another one was there.
    pub waited: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

pub type TypeReply = RpcReplyPort<Result<InputOrder, TypeError>>;

#[derive(Debug)]
pub struct HostOrder {
    pub order: InputOrder,
    pub by: By,
    pub request: Option<String>,
    pub back: Back,
}

#[derive(Debug)]
pub enum Back {
    /// Whoever gave it.
    Caller(TypeReply),
    /// The agent whose notice it is: it writes down what came of it.
    Agent { agent: AgentRef, order: Box<TypingOrder> },
}

pub type InputWriter = mpsc::Sender<HostOrder>;

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
