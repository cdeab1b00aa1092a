//! The name of each kind of record: what the journal writes beside the body, and what an event is called outside.
//!
//! One list, from which the names, their versions and [`KINDS`] are made, so that none can be forgotten.

use super::entry::{HubRecord, Record};
use crate::domain::agent::AgentRecord;
use crate::domain::pull::PullRecord;
use crate::domain::review::ReviewRecord;
use crate::domain::schedule::ScheduleRecord;
use crate::domain::session::SessionRecord;
use crate::domain::session::question::QuestionRecord;
use crate::domain::task::TaskRecord;
use crate::domain::terminal::TerminalRecord;
use crate::domain::workflow::run::WorkflowRecord;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// `<family>.<what happened>`.
    pub name: &'static str,
    /// The version of its body that is written today, from 1. Raise it when a body changes shape, and teach
    /// `codec::upgrade` to read the shape before.
    pub version: u16,
}

macro_rules! kinds {
    ($($family:ident: $record:ident { $($variant:ident => $name:literal $version:literal,)+ })+) => {
        /// Every kind, by family and in the order of a life.
        pub const KINDS: &[Kind] = &[$($(Kind { name: $name, version: $version },)+)+];

        /// Whose records have this name: events of a terminal are called after its session.
        pub(super) fn machine_of(kind: Kind) -> &'static str {
            $($(if kind.name == $name { return stringify!($family); })+)+
            ""
        }

        impl Record {
            pub const fn kind(&self) -> Kind {
                match self {
                    $($(Self::$family($record::$variant { .. }) => Kind { name: $name, version: $version },)+)+
                }
            }
        }
    };
}

kinds! {
    Task: TaskRecord {
        Created => "task.created" 1,
        Offered => "task.offered" 1,
        OfferReturned => "task.offer_returned" 1,
        Acknowledged => "task.acknowledged" 1,
        Progressed => "task.progressed" 1,
        LeaseExtended => "task.lease_extended" 1,
        GraceGiven => "task.grace_given" 1,
        Completed => "task.completed" 1,
        Failed => "task.failed" 1,
        Blocked => "task.blocked" 1,
        Submitted => "task.submitted" 1,
        Approved => "task.approved" 2,
        ChangesRequested => "task.changes_requested" 1,
        Answered => "task.answered" 1,
        DependencyMoved => "task.dependency_moved" 1,
        TimedOut => "task.timed_out" 1,
        Released => "task.released" 1,
        Requeued => "task.requeued" 1,
        Reassigned => "task.reassigned" 1,
        Edited => "task.edited" 1,
        Prioritised => "task.prioritised" 1,
        DeadLettered => "task.dead_lettered" 1,
        Cancelled => "task.cancelled" 1,
        Remarked => "task.remarked" 1,
        RunStarted => "run.started" 1,
        RunConversation => "run.conversation" 1,
        RunWaiting => "run.waiting" 1,
        RunResumed => "run.resumed" 1,
        RunLimited => "run.limited" 1,
        RunBudget => "run.budget" 1,
        RunEnded => "run.ended" 1,
    }
    Review: ReviewRecord {
        Submitted => "review.submitted" 1,
        Commented => "review.commented" 1,
        Resolved => "review.resolved" 1,
        Approved => "review.approved" 1,
        ChangesRequested => "review.changes_requested" 1,
        Withdrawn => "review.withdrawn" 1,
        TakenBack => "review.taken_back" 1,
    }
    Agent: AgentRecord {
        Registered => "agent.registered" 1,
        NoticePosted => "agent.notice_posted" 1,
        NoticeMoved => "agent.notice_moved" 1,
        NoticesHeard => "agent.notices_heard" 1,
        NoticesUndeliverable => "agent.notices_undeliverable" 1,
        Evicted => "agent.evicted" 1,
        EvictionHeard => "agent.eviction_heard" 1,
    }
    Session: SessionRecord {
        Opened => "session.opened" 1,
        TakenUp => "session.taken_up" 1,
        Linked => "session.linked" 1,
        WorkflowStatus => "session.workflow_status" 1,
    }
    Question: QuestionRecord {
        Asked => "question.asked" 1,
        Reminded => "question.reminded" 1,
        Overdue => "question.overdue" 1,
        Resolved => "question.resolved" 1,
        Used => "question.used" 1,
        AnsweredLate => "question.answered_late" 1,
        DeliveryMoved => "question.delivery_moved" 1,
    }
    Pull: PullRecord {
        Requested => "pr.requested" 1,
        Created => "pr.created" 1,
        Failed => "pr.failed" 1,
        ChangeRequested => "pr.change_requested" 1,
        MergeRequested => "pr.merge_requested" 1,
        MergeSent => "pr.merge_sent" 1,
        Updated => "pr.updated" 1,
        Outdated => "pr.outdated" 1,
        Merged => "pr.merged" 1,
        Closed => "pr.closed" 1,
    }
    Terminal: TerminalRecord {
        MonitorStarted => "session.monitor_started" 1,
        MonitorStopped => "session.monitor_stopped" 1,
        InputPromptDetected => "session.input_prompt_detected" 1,
        InputPromptGone => "session.input_prompt_gone" 1,
        InputTracked => "session.input_tracked" 1,
        InputOrdered => "session.input_ordered" 1,
        InputInjected => "session.input_injected" 1,
        InputUndelivered => "session.input_undelivered" 1,
        InputDeclined => "session.input_declined" 1,
    }
    Workflow: WorkflowRecord {
        Started => "workflow.started" 1,
        StepBegan => "workflow.step_began" 1,
        StepWaits => "workflow.step_waits" 1,
        StepCompleted => "workflow.step_completed" 1,
        StepFailed => "workflow.step_failed" 1,
        ExtraRecorded => "workflow.extra_recorded" 1,
        Paused => "workflow.paused" 1,
        Completed => "workflow.completed" 1,
        Cancelled => "workflow.cancelled" 1,
        Expired => "workflow.expired" 1,
    }
    Schedule: ScheduleRecord {
        Created => "schedule.created" 1,
        Changed => "schedule.changed" 1,
        Due => "schedule.due" 1,
        Fired => "schedule.fired" 1,
        Skipped => "schedule.skipped" 1,
        Missed => "schedule.missed" 1,
        Removed => "schedule.removed" 1,
    }
    Hub: HubRecord {
        Started => "hub.started" 1,
        Stopped => "hub.stopped" 1,
        ActorRestarted => "hub.actor_restarted" 1,
        JournalMended => "hub.journal_mended" 1,
        PatternForgotten => "hub.pattern_forgotten" 1,
        PatternPromoted => "hub.pattern_promoted" 1,
        TicketIssued => "hub.ticket_issued" 1,
        TicketKept => "hub.ticket_kept" 1,
        TicketAnswered => "hub.ticket_answered" 1,
        TicketCancelled => "hub.ticket_cancelled" 1,
        TicketExpired => "hub.ticket_expired" 1,
        DeliveryDeadLettered => "hub.delivery_dead_lettered" 1,
        DeliveryRetried => "hub.delivery_retried" 1,
        DeliveryDropped => "hub.delivery_dropped" 1,
        TaskStarving => "hub.task_starving" 1,
        HookReceived => "hub.hook_received" 1,
        WebhookAdded => "hub.webhook_added" 1,
        WebhookChanged => "hub.webhook_changed" 1,
        WebhookRemoved => "hub.webhook_removed" 1,
        CommentReplied => "hub.comment_replied" 1,
    }
}

impl Kind {
    /// The kind of this name, as it is written today.
    pub fn find(name: &str) -> Option<Self> {
        KINDS.iter().copied().find(|kind| kind.name == name)
    }

    /// The first part of its name: `task`, `run`, `agent`, `session`, `question`, `hub`.
    pub fn family(self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(family, _)| family)
    }
}
