//! A task: one piece of work with a life of its own.
//!
//! ```text
//!             ┌────────────────── retry / expired offer / TTL retry ──────────────────┐
//!             ▼                                                                       │
//!  created ─► QUEUED ──offer──► ASSIGNED ──ack / first call──► IN_PROGRESS ──TTL──► TIMEOUT
//!    │          ▲                  │ offer not acknowledged     │ │ │ │               └─ attempts used ─► DEAD_LETTER
//!    │          ├──────────────────┘                            │ │ │ └─ COMPLETED
//!    │          ├─ retry (by policy or by hand) ──── FAILED ◄───┘ │ └─ submit_for_review ─► IN_REVIEW
//!    │          │                                                 │        ├─ approve ─► COMPLETED
//!    │          │                                                 │        └─ request changes ─► QUEUED (last holder)
//!    └ deps ─► BLOCKED ◄── send_response(BLOCKED) ────────────────┘
//!               └─ answered / unblocked / dependency done ─► QUEUED
//!
//!  any open state ── cancel ─► CANCELLED       TIMEOUT and BLOCKED also end by reassign ─► QUEUED for another target
//! ```
//!
//! A state carries what only it can have: `InProgress` has a lease, `Queued` has none. The epoch grows with each offer
//! and never goes back, so an answer under an old one is recognised (T1).

mod apply;
mod command;
mod decide;
mod effect;
mod evidence;
mod kept_text;
mod notify;
mod priority;
mod query;
mod record;
mod refusal;
mod run;
mod spec;
mod state;
mod view;

#[cfg(test)]
mod tests;

pub use command::{Authority, Cause, Report, ReportKind, ReturnReason, TaskCommand};
pub use effect::{Delivery, StopOrder, TaskDecision, TaskEffect};
pub use evidence::EvidenceGrade;
pub use kept_text::KeptText;
pub use query::WaitsFor;
pub use record::TaskRecord;
pub use refusal::TaskRefusal;
pub use run::{
    Allowance, Budget, BudgetLevel, BudgetNews, GO_ON, Limited, NewRun, ProcessExit, Run, RunEnd, RunExit, RunState,
    RunStateName, RunView, RunWaitsFor, STOP, Spent, StopReason, TaskBudget, Usage, UsageSource, Usd,
};
pub use spec::{
    Artifact, ArtifactKind, Comment, CommentKind, Dependency, LeaseTerms, OnTimeout, Origin, OriginKind, Priority,
    Progress, RightsSet, Target, TargetWho, TaskEdit, TaskSpec, Workspace,
};
pub use state::{Attempt, AttemptOutcome, BlockedOn, HeldFor, Lease, Offer, Task, TaskState, TaskStateName, Tenure};
pub(crate) use state::{closed, open};
pub use view::{AttemptView, HistoryItem, LeaseView, TaskView};
