//! What happens on each path: what has to be so before, the agent parks, and the event. Each answers with the moment
//! from which the agent may take 100 ms to wake.

mod by_hand;
mod capacity;
mod created;
mod held;
mod rebuilt;
mod returned;
mod told;

use super::path::Path;
use super::stage::Stage;
use crate::domain::time::Timestamp;

/// Walks the path of this stage.
pub(super) async fn play(stage: &mut Stage) -> Timestamp {
    match stage.path {
        Path::AskedByName => created::by_target(stage, "tester-1").await,
        Path::AskedByRole => created::by_target(stage, "role:testing").await,
        Path::AskedOfAnybody => created::by_target(stage, "any").await,
        Path::Delegated => created::delegated(stage).await,
        Path::AskedWithDoneDependency => created::with_done_dependency(stage).await,
        Path::DependencyCompleted => created::dependency_completed(stage).await,
        Path::DependencyApproved => created::dependency_approved(stage).await,
        Path::DependencyMended => created::dependency_mended(stage).await,
        Path::OfferLapsed => returned::offer_lapsed(stage).await,
        Path::WaiterHungUp => returned::waiter_hung_up(stage).await,
        Path::OfferUndelivered => returned::offer_undelivered(stage).await,
        Path::OfferedAgentEvicted => returned::offered_agent_evicted(stage).await,
        Path::HolderEvicted => returned::holder_evicted(stage).await,
        Path::LeaseRanOut => returned::lease_ran_out(stage).await,
        Path::LeaseEscalated => returned::lease_escalated(stage).await,
        Path::FailedRetried => by_hand::failed_retried(stage).await,
        Path::TimeoutRetried => by_hand::timeout_retried(stage).await,
        Path::DeadLetterRequeued => by_hand::dead_letter_requeued(stage).await,
        Path::Reassigned => by_hand::reassigned(stage).await,
        Path::ReassignedFromHolder => by_hand::reassigned_from_holder(stage).await,
        Path::Answered => held::answered(stage).await,
        Path::QuestionAnswered => held::question_answered(stage).await,
        Path::HoldEnded => held::hold_ended(stage).await,
        Path::HolderWentOffline => held::holder_went_offline(stage).await,
        Path::HolderOfHoldEvicted => held::holder_evicted(stage).await,
        Path::OfflineSoonerByReload => held::offline_sooner_by_reload(stage).await,
        Path::ChangesRequested => held::changes_requested(stage).await,
        Path::CapacityFreed => capacity::freed(stage).await,
        Path::CapacityFreedByBlocked => capacity::freed_by_blocked(stage).await,
        Path::CapacityFreedByReview => capacity::freed_by_review(stage).await,
        Path::CapacityRaisedByReload => capacity::raised_by_reload(stage).await,
        Path::CapabilityGained => capacity::capability_gained(stage).await,
        Path::RoleTaken => capacity::role_taken(stage).await,
        Path::JournalMended => rebuilt::journal_mended(stage).await,
        Path::DispatcherBuiltAnew => rebuilt::dispatcher(stage).await,
        Path::TaskBuiltAnew => rebuilt::task(stage).await,
        Path::HubRestarted => rebuilt::hub(stage).await,
        Path::OfferedAgain => rebuilt::offered_again(stage).await,
        Path::Told => told::told(stage).await,
        Path::DelegatedWorkDone => told::delegated_work_done(stage).await,
        Path::ApprovalHeard => told::approval_heard(stage).await,
        Path::ReviewerHeard => told::reviewer_heard(stage).await,
        Path::WorkCancelled => told::work_cancelled(stage).await,
        Path::SentAway => told::sent_away(stage).await,
    }
}
