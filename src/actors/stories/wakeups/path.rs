//! The paths.

macro_rules! paths {
    ($($(#[doc = $what:literal])+ $path:ident,)+) => {
        /// A way in which something comes to be there for an agent.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Path { $($(#[doc = $what])+ $path,)+ }

        impl Path {
            pub(super) const ALL: &[Self] = &[$(Self::$path,)+];
        }
    };
}

paths! {
    /// Asked of it by its id.
    AskedByName,
    /// Asked of its role, by an alias.
    AskedByRole,
    /// Asked of anybody who can.
    AskedOfAnybody,
    /// Another agent asks.
    Delegated,
    /// What the task waits for was done before it was asked for.
    AskedWithDoneDependency,
    /// What the task waits for is completed.
    DependencyCompleted,
    /// What the task waits for is approved by a reviewer.
    DependencyApproved,
    /// What the task waits for had failed; it is retried and completed.
    DependencyMended,
    /// Somebody else was offered it and did not acknowledge.
    OfferLapsed,
    /// Who was to have it hung up in the moment of the offer.
    WaiterHungUp,
    /// The offer could not be written out.
    OfferUndelivered,
    /// Who was offered it is sent away.
    OfferedAgentEvicted,
    /// Who worked on it is sent away.
    HolderEvicted,
    /// Somebody else's lease ran out: the next attempt.
    LeaseRanOut,
    /// Somebody else's lease ran out: to whom it reports.
    LeaseEscalated,
    /// What failed is retried by hand.
    FailedRetried,
    /// What ran out of time, and is held, is retried by hand.
    TimeoutRetried,
    /// A dead letter is put back by hand.
    DeadLetterRequeued,
    /// A queued task is given to it.
    Reassigned,
    /// A task that somebody else works on is given to it.
    ReassignedFromHolder,
    /// Its question is answered.
    Answered,
    /// A human answers what had blocked it.
    QuestionAnswered,
    /// Somebody else's question is answered, who does not come back while the task is kept.
    HoldEnded,
    /// The same, and that one counts as offline before the hold ends.
    HolderWentOffline,
    /// The same, and that one is sent away.
    HolderOfHoldEvicted,
    /// The same, and other settings let it count as offline.
    OfflineSoonerByReload,
    /// A reviewer wants changes.
    ChangesRequested,
    /// It holds as much as it may, and completes that.
    CapacityFreed,
    /// It holds as much as it may, and needs an answer to that.
    CapacityFreedByBlocked,
    /// It holds as much as it may, and hands that to a reviewer.
    CapacityFreedByReview,
    /// It holds as much as it may, and other settings let it hold more.
    CapacityRaisedByReload,
    /// It registers anew, and can do what is asked for.
    CapabilityGained,
    /// It registers anew, in the role that is asked for.
    RoleTaken,
    /// The disk was full when the task was about to be offered.
    JournalMended,
    /// The dispatcher was built anew.
    DispatcherBuiltAnew,
    /// The task's actor was built anew.
    TaskBuiltAnew,
    /// The hub was started again.
    HubRestarted,
    /// It was offered the task and waits again.
    OfferedAgain,
    /// Somebody tells it something.
    Told,
    /// What it had delegated is done.
    DelegatedWorkDone,
    /// What it submitted is approved, and is to be merged.
    ApprovalHeard,
    /// A reviewer says something of what it submitted.
    ReviewerHeard,
    /// What it works on is called off.
    WorkCancelled,
    /// It is sent away.
    SentAway,
}
