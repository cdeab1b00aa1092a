//! Which paths each record, order and message stands for. A new one does not compile until it is said here.

use super::path::Path::{self, *};
use crate::actors::dispatcher::DispatcherMessage;
use crate::domain::task::{TaskCommand, TaskRecord};

/// Paths on which this record leaves its task QUEUED.
pub(super) const fn by_record(record: &TaskRecord) -> &'static [Path] {
    match record {
        TaskRecord::Created { .. } => &[AskedByName, AskedByRole, AskedOfAnybody, Delegated, AskedWithDoneDependency],
        TaskRecord::OfferReturned { .. } => &[OfferLapsed, WaiterHungUp, OfferUndelivered, OfferedAgentEvicted],
        TaskRecord::ChangesRequested { .. } => &[ChangesRequested],
        TaskRecord::Answered { .. } => {
            &[Answered, HoldEnded, HolderWentOffline, HolderOfHoldEvicted, OfflineSoonerByReload, QuestionAnswered]
        }
        TaskRecord::DependencyMoved { .. } => &[DependencyCompleted, DependencyApproved, DependencyMended],
        TaskRecord::Released { .. } => &[HolderEvicted],
        TaskRecord::Requeued { .. } => &[LeaseRanOut, FailedRetried, TimeoutRetried, DeadLetterRequeued],
        TaskRecord::Reassigned { .. } => &[LeaseEscalated, Reassigned, ReassignedFromHolder],
        TaskRecord::Offered { .. }
        | TaskRecord::LeaseExtended { .. }
        | TaskRecord::GraceGiven { .. }
        | TaskRecord::Acknowledged { .. }
        | TaskRecord::Progressed { .. }
        | TaskRecord::Completed { .. }
        | TaskRecord::Failed { .. }
        | TaskRecord::Blocked { .. }
        | TaskRecord::Submitted { .. }
        | TaskRecord::Approved { .. }
        | TaskRecord::TimedOut { .. }
        | TaskRecord::Edited { .. }
        | TaskRecord::Prioritised { .. }
        | TaskRecord::DeadLettered { .. }
        | TaskRecord::Cancelled { .. }
        | TaskRecord::Remarked { .. }
        | TaskRecord::RunStarted { .. }
        | TaskRecord::RunConversation { .. }
        | TaskRecord::RunWaiting { .. }
        | TaskRecord::RunResumed { .. }
        | TaskRecord::RunLimited { .. }
        | TaskRecord::RunBudget { .. }
        | TaskRecord::RunEnded { .. } => &[],
    }
}

/// Paths on which this order is what lets the agent have something: the task itself, another that waits for it, or
/// room for one.
pub(super) const fn by_order(command: &TaskCommand) -> &'static [Path] {
    match command {
        TaskCommand::Create { .. } => by_creation(),
        TaskCommand::Offer { .. } => &[OfferedAgain],
        TaskCommand::ReturnOffer { .. } => &[WaiterHungUp, OfferUndelivered],
        TaskCommand::Release { .. } => &[OfferedAgentEvicted, HolderEvicted],
        TaskCommand::Report { .. } => {
            &[DependencyCompleted, DependencyMended, CapacityFreed, CapacityFreedByBlocked, DelegatedWorkDone]
        }
        TaskCommand::SubmitForReview { .. } => &[CapacityFreedByReview],
        TaskCommand::Approve { .. } => &[DependencyApproved, ApprovalHeard],
        TaskCommand::Discuss { .. } => &[ReviewerHeard],
        TaskCommand::RequestChanges { .. } => &[ChangesRequested],
        TaskCommand::Answer { .. } => {
            &[Answered, HoldEnded, HolderWentOffline, HolderOfHoldEvicted, OfflineSoonerByReload]
        }
        TaskCommand::DependencyMoved { .. } => &[DependencyCompleted, DependencyApproved, DependencyMended],
        TaskCommand::Resume { .. } | TaskCommand::SettleBudget { .. } => &[QuestionAnswered],
        TaskCommand::Cancel { .. } => &[WorkCancelled],
        TaskCommand::Retry => &[FailedRetried, TimeoutRetried],
        TaskCommand::Requeue => &[DeadLetterRequeued],
        TaskCommand::Reassign { .. } => &[Reassigned, ReassignedFromHolder],
        TaskCommand::Tick => &[OfferLapsed, LeaseRanOut, LeaseEscalated],
        // Who acknowledges, asks a human, takes back or is spared has the task, priority only orders, a remark is told
        // as any notice is, and a thread that is settled or an approval that is taken back asks for nothing.
        TaskCommand::Acknowledge { .. }
        | TaskCommand::Await { .. }
        | TaskCommand::TakeBack { .. }
        | TaskCommand::Edit { .. }
        | TaskCommand::Remark { .. }
        | TaskCommand::GiveGrace { .. }
        | TaskCommand::PassOn { .. }
        | TaskCommand::StartRun { .. }
        | TaskCommand::NameConversation { .. }
        | TaskCommand::LimitRun { .. }
        | TaskCommand::ResumeRun { .. }
        | TaskCommand::EndRun { .. }
        | TaskCommand::Dismiss { .. }
        | TaskCommand::Resolve { .. } => &[],
    }
}

/// Paths on which this message lets the dispatcher find the pair.
pub(super) const fn by_message(message: &DispatcherMessage) -> &'static [Path] {
    match message {
        DispatcherMessage::Assign { .. } => by_creation(),
        DispatcherMessage::Reopen { .. } => &[FailedRetried, DeadLetterRequeued],
        DispatcherMessage::TaskMoved { .. } => Path::ALL,
        DispatcherMessage::TaskGone { .. } => &[JournalMended],
        DispatcherMessage::AgentMoved { .. } => {
            &[CapacityFreed, CapabilityGained, RoleTaken, HolderOfHoldEvicted, HolderEvicted]
        }
        DispatcherMessage::Reoffer { .. } => &[OfferedAgain],
        DispatcherMessage::AgentBuilt { .. } => &[HubRestarted],
        DispatcherMessage::Adopt { .. } => &[DispatcherBuiltAnew, HubRestarted],
        DispatcherMessage::Reloaded => &[CapacityRaisedByReload, OfflineSoonerByReload],
        DispatcherMessage::Tick => &[HoldEnded, HolderWentOffline],
        // Lines, targets, notices and pictures are given, and at the end nobody is offered anything.
        DispatcherMessage::Agent { .. }
        | DispatcherMessage::Hire { .. }
        | DispatcherMessage::Task { .. }
        | DispatcherMessage::Agents { .. }
        | DispatcherMessage::Holdings { .. }
        | DispatcherMessage::Roster { .. }
        | DispatcherMessage::Starving { .. }
        | DispatcherMessage::Retarget { .. }
        | DispatcherMessage::Why { .. }
        | DispatcherMessage::Counts { .. }
        | DispatcherMessage::Notice { .. }
        | DispatcherMessage::Progressed { .. }
        | DispatcherMessage::Drain
        | DispatcherMessage::Overview { .. }
        | DispatcherMessage::ActorView { .. } => &[],
    }
}

const fn by_creation() -> &'static [Path] {
    &[AskedByName, AskedByRole, AskedOfAnybody, Delegated, AskedWithDoneDependency]
}
