//! What a person does to the work of an agent, and which right each of these things needs.

use crate::pull::PullCommand;
use crate::session::SessionCommand;
use crate::task::TaskCommand;

/// What `people.yaml` gives or keeps back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Hand work to it.
    Assign,
    /// Answer its question, or its blocked task.
    Answer,
    /// Approve its work, or ask for changes.
    Approve,
    /// Retry, requeue, reassign or cancel its task; speak in its session; send it away.
    Operate,
}

/// Something that a person does, through whatever door.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deed {
    /// Hand out work.
    AssignTask,
    /// Call a task off.
    CancelTask,
    /// Put a FAILED or TIMEOUT task back.
    RetryTask,
    /// Put a dead letter back.
    RequeueTask,
    /// Take a task from one target; that it goes to another is [`Deed::AssignTask`].
    ReassignTask,
    /// Change what a task asks, or how urgent it is.
    EditTask,
    /// Report on a task in its holder's place.
    ReportOnTask,
    /// Answer a BLOCKED task.
    AnswerTask,
    /// Remark on a task: its holder hears it.
    CommentOnTask,
    ApproveWork,
    /// Send work back.
    JudgeWork,
    /// Comment on a change, without a verdict.
    DiscussWork,
    /// Settle a thread of a review.
    SettleComment,
    /// Say in an agent's session what it does, or that it is blocked.
    SpeakInSession,
    /// Ask a human in an agent's name.
    AskInSession,
    /// Take an agent's question back.
    WithdrawQuestion,
    AnswerQuestion,
    /// Show the hub what an agent's program printed.
    PrintInTerminal,
    /// Have an answer typed into the terminal of an agent.
    TypeInTerminal,
    /// Send an agent away.
    EvictAgent,
    /// Build an actor anew.
    RestartActor,
    /// Have a delivery of the outbox sent again, or not sent.
    SettleDelivery,
    /// End a run of a workflow that is somebody else's.
    CancelWorkflow,
    /// Make, rotate or revoke a token: who has an agent's token speaks for it.
    ManageToken,
}

impl Right {
    /// The key of `people.yaml` that says so.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Assign => "canAssignTo",
            Self::Answer => "canAnswer",
            Self::Approve => "canApprove",
            Self::Operate => "canOperate",
        }
    }
}

impl Deed {
    pub const ALL: [Self; 24] = [
        Self::AssignTask,
        Self::CancelTask,
        Self::RetryTask,
        Self::RequeueTask,
        Self::ReassignTask,
        Self::EditTask,
        Self::ReportOnTask,
        Self::AnswerTask,
        Self::CommentOnTask,
        Self::ApproveWork,
        Self::JudgeWork,
        Self::DiscussWork,
        Self::SettleComment,
        Self::SpeakInSession,
        Self::AskInSession,
        Self::WithdrawQuestion,
        Self::AnswerQuestion,
        Self::PrintInTerminal,
        Self::TypeInTerminal,
        Self::EvictAgent,
        Self::RestartActor,
        Self::SettleDelivery,
        Self::CancelWorkflow,
        Self::ManageToken,
    ];

    /// The table: one of these rights is needed. The first is the one that a refusal names.
    pub const fn rights(self) -> &'static [Right] {
        match self {
            Self::AssignTask => &[Right::Assign],
            Self::CancelTask
            | Self::RetryTask
            | Self::RequeueTask
            | Self::ReassignTask
            | Self::EditTask
            | Self::ReportOnTask
            | Self::SpeakInSession
            | Self::AskInSession
            | Self::WithdrawQuestion
            | Self::PrintInTerminal
            | Self::TypeInTerminal
            | Self::EvictAgent
            | Self::RestartActor
            | Self::SettleDelivery
            | Self::CancelWorkflow
            | Self::ManageToken => &[Right::Operate],
            Self::AnswerTask | Self::AnswerQuestion => &[Right::Answer],
            Self::ApproveWork | Self::JudgeWork | Self::DiscussWork | Self::SettleComment => &[Right::Approve],
            // Whoever has anything to do with an agent's work may say something about it.
            Self::CommentOnTask => &[Right::Operate, Right::Approve, Right::Answer, Right::Assign],
        }
    }

    /// Whether only a human being does it: what is answered and judged counts as a person's word.
    pub const fn is_a_persons_word(self) -> bool {
        matches!(self, Self::AnswerQuestion | Self::ApproveWork | Self::JudgeWork)
    }

    /// As a sentence says it: `Ada may not judge the work of …`.
    pub const fn words(self) -> &'static str {
        match self {
            Self::AssignTask => "assign tasks to",
            Self::CancelTask => "cancel a task of",
            Self::RetryTask => "retry a task of",
            Self::RequeueTask => "requeue a task of",
            Self::ReassignTask => "reassign a task of",
            Self::EditTask => "edit a task of",
            Self::ReportOnTask => "report for",
            Self::AnswerTask => "answer a task of",
            Self::CommentOnTask => "comment on a task of",
            Self::ApproveWork => "approve the work of",
            Self::JudgeWork => "judge the work of",
            Self::DiscussWork => "comment on the work of",
            Self::SettleComment => "settle a comment on the work of",
            Self::SpeakInSession => "speak in the session of",
            Self::AskInSession => "ask for",
            Self::WithdrawQuestion => "withdraw a question of",
            Self::AnswerQuestion => "answer",
            Self::PrintInTerminal => "print into the terminal of",
            Self::TypeInTerminal => "type into the terminal of",
            Self::EvictAgent => "send away",
            Self::RestartActor => "restart what belongs to",
            Self::SettleDelivery => "retry or drop a delivery of",
            Self::CancelWorkflow => "cancel a workflow of",
            Self::ManageToken => "change a token of",
        }
    }

    /// What an order to a task is; none for what the hub does by itself.
    pub const fn of_task(command: &TaskCommand) -> Option<Self> {
        match command {
            TaskCommand::Create { .. } => Some(Self::AssignTask),
            TaskCommand::Cancel { .. } => Some(Self::CancelTask),
            TaskCommand::Retry => Some(Self::RetryTask),
            TaskCommand::Requeue => Some(Self::RequeueTask),
            TaskCommand::Reassign { .. } => Some(Self::ReassignTask),
            TaskCommand::Edit { .. } => Some(Self::EditTask),
            TaskCommand::Answer { .. } => Some(Self::AnswerTask),
            TaskCommand::Remark { .. } => Some(Self::CommentOnTask),
            TaskCommand::Approve { .. } => Some(Self::ApproveWork),
            TaskCommand::RequestChanges { .. } => Some(Self::JudgeWork),
            TaskCommand::Discuss { .. } => Some(Self::DiscussWork),
            TaskCommand::Resolve { .. } => Some(Self::SettleComment),
            TaskCommand::Acknowledge { .. }
            | TaskCommand::Report { .. }
            | TaskCommand::SubmitForReview { .. }
            | TaskCommand::TakeBack { .. } => Some(Self::ReportOnTask),
            TaskCommand::Offer { .. }
            | TaskCommand::ReturnOffer { .. }
            | TaskCommand::PassOn { .. }
            | TaskCommand::Release { .. }
            | TaskCommand::Await { .. }
            | TaskCommand::Resume { .. }
            | TaskCommand::DependencyMoved { .. }
            | TaskCommand::Dismiss { .. }
            | TaskCommand::GiveGrace { .. }
            | TaskCommand::StartRun { .. }
            | TaskCommand::NameConversation { .. }
            | TaskCommand::LimitRun { .. }
            | TaskCommand::ResumeRun { .. }
            | TaskCommand::EndRun { .. }
            | TaskCommand::Tick => None,
        }
    }

    /// What an order to a session is; none for what the hub does by itself.
    pub const fn of_session(command: &SessionCommand) -> Option<Self> {
        match command {
            SessionCommand::Report { .. } | SessionCommand::Block { .. } | SessionCommand::Link { .. } => {
                Some(Self::SpeakInSession)
            }
            SessionCommand::Ask { .. } | SessionCommand::Use { .. } => Some(Self::AskInSession),
            SessionCommand::Withdraw { .. } => Some(Self::WithdrawQuestion),
            SessionCommand::Answer { .. } => Some(Self::AnswerQuestion),
            // Whether it may be merged is asked of the role, and where it may be is a list of the hub's.
            SessionCommand::Pull(PullCommand::Open { .. } | PullCommand::Ask { .. }) => Some(Self::SpeakInSession),
            SessionCommand::Pull(
                PullCommand::Send { .. }
                | PullCommand::Settle { .. }
                | PullCommand::See { .. }
                | PullCommand::Outdate { .. },
            )
            | SessionCommand::OpenRound
            | SessionCommand::Tick => None,
        }
    }
}
