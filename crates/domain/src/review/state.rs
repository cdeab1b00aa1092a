//! What a review is: rounds, verdicts, comments.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{AgentId, CommentId, PullId, SessionId, TaskId};
use crate::names::names;
use crate::principal::Surface;
use crate::task::{Comment, KeptText, Origin};
use crate::time::Timestamp;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Review {
    /// Of which task; also the name of the review.
    pub task: TaskId,
    pub state: ReviewState,
    /// Each time that the work was handed in, oldest first; never empty.
    pub rounds: Vec<Round>,
    /// What people said of it, oldest first.
    pub comments: Vec<ReviewComment>,
    /// When it was handed in first.
    pub opened_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Where a review stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewState {
    /// Somebody must judge it.
    Open,
    /// Sent back, and not handed in again yet.
    ChangesRequested,
    /// Agreed with. Stays so whatever becomes of the task, until it is handed in again.
    Approved,
    /// Nobody needs to judge it any more: its holder took it back, or the task was called off.
    Withdrawn,
}

/// One time that the work was handed in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Which round it is, counted from 1.
    pub number: u32,
    pub agent: AgentId,
    pub session: Option<SessionId>,
    pub message: KeptText,
    pub change: Change,
    /// What the reviewer should look at.
    pub notes: Option<String>,
    pub at: Timestamp,
    /// What was judged of it, oldest first: a reviewer may still want changes in what was approved.
    pub verdicts: Vec<Verdict>,
}

/// The change that is to be judged. None of these where a session only says that its work waits for review.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The pull request, as its forge names it.
    pub pr_id: Option<String>,
    pub pr_url: Option<String>,
    /// The hub's own name for the pull request, where it is one that an agent of the hub opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull: Option<PullId>,
    /// The commit that the pull request ended in, where the hub saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What it was to be merged into then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Where the commit had parted from that, where the hub saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fork: Option<String>,
    /// Whose diff it is, where a pull request was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_from: Option<DiffFrom>,
    pub diff: Option<KeptText>,
    pub size: Option<DiffSize>,
}

/// Whose diff is kept of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffFrom {
    /// The forge's, of the commit that was handed in; the agent gave none, or one that changes the same.
    Forge,
    /// The forge's. The agent gave one that changes something else.
    ForgeAgainstAgent,
    /// The agent's: the forge's could not be had, and nothing says that it is the same.
    Agent,
}

/// How large a diff is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffSize {
    /// In bytes, as it is kept.
    pub bytes: u64,
    /// How many files it changes.
    pub files: u32,
    /// How many lines it adds.
    pub added: u64,
    /// How many lines it takes away.
    pub removed: u64,
    /// How many characters it had that nobody sees: they are kept as `\u{…}`.
    pub hidden: u64,
}

/// What comes with an order to hand in, beside what the task keeps of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Submission {
    pub session: Option<SessionId>,
    /// Its diff is what the task keeps of it.
    pub change: Change,
    pub notes: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    pub kind: VerdictKind,
    pub by: Origin,
    pub surface: Surface,
    pub message: Option<String>,
    /// What gave them the right to approve; none for wishes, and where an older hub wrote it down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounds: Option<Grounds>,
    pub at: Timestamp,
    /// When the hub heard that it was taken back on the forge, where it was said there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grounds {
    /// The rule, as the audit names it: `people.ada.canApprove`.
    pub rule: String,
    /// Whether that right was given by name, as it must be where a merge needs an approval.
    pub given: bool,
    /// The login under which they said so on the forge, where they did it there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forge_login: Option<String>,
}

/// Which way a verdict goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each name says it")]
pub enum VerdictKind {
    Approved,
    ChangesRequested,
}

/// A comment on a change; one that answers no other begins a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewComment {
    /// The text, who wrote it, and the file and line that it is about. `reply_to` names the thread.
    pub comment: Comment,
    /// Of which side of the diff the line is.
    pub side: Side,
    pub round: u32,
    /// Who settled the thread, and how; only on the comment that began it.
    pub resolved: Option<Resolution>,
}

/// A side of a diff.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// As it becomes.
    #[default]
    New,
    /// As it was.
    Old,
}

/// The end of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolution {
    pub by: Origin,
    pub response: Option<String>,
    pub at: Timestamp,
}

/// Why nobody needs to judge it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withdrawal {
    /// Its holder goes on with the work.
    TakenBack,
    /// The task was called off.
    Cancelled,
}

impl Verdict {
    /// Whether it is the approval that this login gave on the forge, and stands.
    pub fn is_standing_copy_of(&self, login: &str) -> bool {
        let said_there = self.grounds.as_ref().and_then(|grounds| grounds.forge_login.as_ref());
        let is_theirs = said_there.is_some_and(|known| known.eq_ignore_ascii_case(login));
        self.kind == VerdictKind::Approved && self.taken_back.is_none() && is_theirs
    }
}

impl Review {
    /// The most rounds of a review.
    pub const ROUNDS: usize = 100;
    /// The most comments of a review, replies counted.
    pub const COMMENTS: usize = 500;
    /// The most bytes of all comments of a review.
    pub const TEXT: usize = 1024 * 1024;

    pub fn round(&self) -> Option<&Round> {
        self.rounds.last()
    }

    pub fn agent(&self) -> Option<&AgentId> {
        self.round().map(|round| &round.agent)
    }

    /// Whether it is approved, and every approval of its newest round was taken back on the forge since.
    pub fn is_taken_back(&self) -> bool {
        let verdicts = self.round().map(|round| round.verdicts.as_slice()).unwrap_or_default();
        let agreed = || verdicts.iter().rev().take_while(|verdict| verdict.kind == VerdictKind::Approved);
        self.state == ReviewState::Approved
            && agreed().next().is_some()
            && agreed().all(|verdict| verdict.taken_back.is_some())
    }

    /// Who approved the newest round before changes were requested of it, oldest first; nobody while none are.
    pub fn overruled(&self) -> Vec<&str> {
        let verdicts = self.round().map(|round| round.verdicts.as_slice()).unwrap_or_default();
        let Some((Verdict { kind: VerdictKind::ChangesRequested, .. }, before)) = verdicts.split_last() else {
            return Vec::new();
        };
        let standing = before.iter().filter(|it| it.kind == VerdictKind::Approved && it.taken_back.is_none());
        standing.map(|verdict| verdict.by.display_name.as_str()).collect()
    }

    /// Threads that nobody settled, oldest first: each by the comment that began it, and the replies to it.
    pub fn unresolved(&self) -> impl Iterator<Item = &ReviewComment> {
        self.comments.iter().filter(|comment| self.thread_of(comment).is_none_or(|root| root.resolved.is_none()))
    }

    /// The comment that began the thread in which this one stands: often itself.
    pub fn thread_of<'a>(&'a self, comment: &'a ReviewComment) -> Option<&'a ReviewComment> {
        match &comment.comment.reply_to {
            Some(root) => self.comment(root),
            None => Some(comment),
        }
    }

    pub fn comment(&self, id: &CommentId) -> Option<&ReviewComment> {
        self.comments.iter().find(|known| known.comment.id == *id)
    }

    /// How many bytes its comments have in all.
    pub fn text_bytes(&self) -> usize {
        let resolved = |comment: &ReviewComment| {
            comment.resolved.as_ref().and_then(|end| end.response.as_ref()).map_or(0, String::len)
        };
        self.comments.iter().map(|comment| comment.comment.text.len() + resolved(comment)).sum()
    }
}

names!(ReviewState {
    Open = "open", ChangesRequested = "changes_requested", Approved = "approved", Withdrawn = "withdrawn",
});
