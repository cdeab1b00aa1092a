//! What a person does to the work of an agent, and which right each of these things needs.

use crate::pull::PullCommand;
use crate::session::SessionCommand;
use crate::task::TaskCommand;

/// What `people.yaml` gives or keeps back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    Assign,
    /// Answer its question, or its blocked task.
    Answer,
    /// Approve its work, or ask for changes.
    Approve,
    /// Retry, requeue, reassign or cancel its task; speak in its session; send it away.
    Operate,
}

macro_rules! deeds {
    ($($(#[$doc:meta])* $deed:ident = $words:literal, by $($right:ident)+;)+) => {
        /// Something that a person does, through whatever door.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Deed {
            $($(#[$doc])* $deed),+
        }

        impl Deed {
            pub const ALL: [Self; [$($words),+].len()] = [$(Self::$deed),+];

            /// One of these rights is needed. The first is the one that a refusal names.
            pub const fn rights(self) -> &'static [Right] {
                match self {
                    $(Self::$deed => &[$(Right::$right),+]),+
                }
            }

            /// As a sentence says it: `Ada may not judge the work of …`.
            pub const fn words(self) -> &'static str {
                match self {
                    $(Self::$deed => $words),+
                }
            }
        }
    };
}

deeds! {
    AssignTask = "assign tasks to", by Assign;
    CancelTask = "cancel a task of", by Operate;
    /// Put a FAILED or TIMEOUT task back.
    RetryTask = "retry a task of", by Operate;
    /// Put a dead letter back.
    RequeueTask = "requeue a task of", by Operate;
    /// Take a task from one target; that it goes to another is [`Deed::AssignTask`].
    ReassignTask = "reassign a task of", by Operate;
    /// Change what a task asks, or how urgent it is.
    EditTask = "edit a task of", by Operate;
    ReportOnTask = "report for", by Operate;
    AnswerTask = "answer a task of", by Answer;
    /// Its holder hears it. Whoever has anything to do with an agent's work may say something about it.
    CommentOnTask = "comment on a task of", by Operate Approve Answer Assign;
    ApproveWork = "approve the work of", by Approve;
    JudgeWork = "judge the work of", by Approve;
    /// Comment on a change, without a verdict.
    DiscussWork = "comment on the work of", by Approve;
    SettleComment = "settle a comment on the work of", by Approve;
    SpeakInSession = "speak in the session of", by Operate;
    AskInSession = "ask for", by Operate;
    WithdrawQuestion = "withdraw a question of", by Operate;
    AnswerQuestion = "answer", by Answer;
    PrintInTerminal = "print into the terminal of", by Operate;
    TypeInTerminal = "type into the terminal of", by Operate;
    EvictAgent = "send away", by Operate;
    RestartActor = "restart what belongs to", by Operate;
    /// Have a delivery of the outbox sent again, or not sent.
    SettleDelivery = "retry or drop a delivery of", by Operate;
    CancelWorkflow = "cancel a workflow of", by Operate;
    /// Make, rotate or revoke a token: who has an agent's token speaks for it.
    ManageToken = "change a token of", by Operate;
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
    /// Whether only a human being does it: what is answered and judged counts as a person's word.
    pub const fn is_a_persons_word(self) -> bool {
        matches!(self, Self::AnswerQuestion | Self::ApproveWork | Self::JudgeWork)
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
            | TaskCommand::SettleBudget { .. }
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
