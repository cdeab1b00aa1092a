//! Names and moments for samples.

#![expect(clippy::unwrap_used, reason = "built for tests alone, and the texts are fixed")]

use crate::domain::ids::{AgentId, BlobId, NoticeId, PrincipalId, SessionId, TaskId};
use crate::domain::principal::{By, Surface};
use crate::domain::time::Timestamp;

/// When these stories begin.
pub const DAWN: Timestamp = Timestamp(1_780_000_000_000);

/// A moment so many seconds after dawn.
pub fn at(seconds: u64) -> Timestamp {
    Timestamp(DAWN.0 + seconds * 1_000)
}

pub fn agent_id(name: &str) -> AgentId {
    AgentId::parse(name).unwrap()
}

/// The task number `n`.
pub fn task_id(n: u32) -> TaskId {
    TaskId::parse(&format!("task{n:04}")).unwrap()
}

pub fn session_id(n: u32) -> SessionId {
    SessionId::parse(&format!("s_{n:08}")).unwrap()
}

pub fn notice_id(n: u32) -> NoticeId {
    NoticeId::parse(&format!("n_{n:08}")).unwrap()
}

pub fn blob_id(n: u32) -> BlobId {
    BlobId::parse(&format!("b_{n:08}")).unwrap()
}

pub fn principal(name: &str) -> PrincipalId {
    PrincipalId::parse(name).unwrap()
}

pub fn by() -> By {
    By { principal: principal("person:ada"), surface: Surface::Cli }
}
