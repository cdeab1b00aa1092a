//! What others may see of a review: the body of `/api/v1/reviews/{id}`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diff::DiffFile;
use super::state::{
    DiffFrom, DiffSize, Resolution, Review, ReviewComment, ReviewState, Round, Side, Verdict, VerdictKind,
};
use crate::task::Origin;

/// A review, as everybody with the right to see it sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewView {
    /// The task that is reviewed; also the name of the review.
    pub task_id: String,
    /// A line about the task; filled in by whoever knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Where it stands.
    pub state: ReviewState,
    /// Whether it is approved, and every approval of it was taken back on the forge since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken_back: bool,
    /// The number of the newest round, from 1.
    pub round: u32,
    /// Who handed it in last.
    pub agent_id: String,
    /// The pull request, as its forge names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_id: Option<String>,
    /// The pull request, as a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr_url: Option<String>,
    /// The commit that the pull request ended in when it was handed in, where the hub saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What it was to be merged into then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Whose diff it is, where a pull request was handed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_from: Option<DiffFrom>,
    /// The newest diff, which `…/diff` gives whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<DiffView>,
    /// Each time that the work was handed in, oldest first.
    pub rounds: Vec<RoundView>,
    /// What people said of it, oldest first; a reply names the comment that began its thread.
    pub comments: Vec<CommentView>,
    /// How many threads nobody settled.
    pub unresolved: usize,
    /// When it was handed in first, RFC 3339.
    pub opened_at: String,
    /// When it was handed in last, RFC 3339.
    pub submitted_at: String,
    /// When anything last happened to it, RFC 3339.
    pub updated_at: String,
}

/// A diff, without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffView {
    /// How large it is.
    #[serde(flatten)]
    pub size: DiffSize,
    /// The files that it changes, at most a thousand of them; only where one review is asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<DiffFile>,
}

/// One time that the work was handed in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoundView {
    /// Which round it is, counted from 1.
    pub number: u32,
    /// Who handed it in.
    pub agent_id: String,
    /// In which session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What it says; the beginning, where it is long.
    pub message: String,
    /// What the reviewer should look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// When, RFC 3339.
    pub at: String,
    /// What was judged of it, oldest first.
    pub verdicts: Vec<VerdictView>,
}

/// A reviewer's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct VerdictView {
    /// Which way it goes.
    pub verdict: VerdictKind,
    pub by: Origin,
    /// Where they acted.
    pub surface: String,
    /// The rule that gives them the right to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<String>,
    /// What they say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When, RFC 3339.
    pub at: String,
    /// When it was taken back on the forge, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<String>,
}

/// A comment on a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentView {
    pub id: String,
    /// Who wrote it.
    pub from: Origin,
    pub text: String,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Of which side of the diff the line is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// In which round it was made.
    pub round: u32,
    /// The comment that began its thread, where that is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Who settled the thread, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ResolvedView>,
    /// When, RFC 3339.
    pub at: String,
}

/// The end of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolvedView {
    /// Who settled it.
    pub by: Origin,
    /// What they say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// When, RFC 3339.
    pub at: String,
}

impl Review {
    /// How it looks from outside, without what only the task knows.
    pub fn view(&self) -> ReviewView {
        let last = self.round();
        let change = last.map(|round| &round.change);
        ReviewView {
            task_id: self.task.to_string(),
            title: None,
            state: self.state,
            taken_back: self.is_taken_back(),
            round: last.map_or(0, |round| round.number),
            agent_id: self.agent().map(ToString::to_string).unwrap_or_default(),
            pr_id: change.and_then(|change| change.pr_id.clone()),
            pr_url: change.and_then(|change| change.pr_url.clone()),
            commit: change.and_then(|change| change.commit.clone()),
            base: change.and_then(|change| change.base.clone()),
            diff_from: change.and_then(|change| change.diff_from),
            diff: change.and_then(|change| change.size).map(|size| DiffView { size, changes: Vec::new() }),
            rounds: self.rounds.iter().map(RoundView::from).collect(),
            comments: self.comments.iter().map(CommentView::from).collect(),
            unresolved: self.unresolved().filter(|comment| comment.comment.reply_to.is_none()).count(),
            opened_at: self.opened_at.to_string(),
            submitted_at: last.map_or(self.opened_at, |round| round.at).to_string(),
            updated_at: self.updated_at.to_string(),
        }
    }
}

impl From<&Round> for RoundView {
    fn from(round: &Round) -> Self {
        Self {
            number: round.number,
            agent_id: round.agent.to_string(),
            session_id: round.session.as_ref().map(ToString::to_string),
            message: round.message.head().to_owned(),
            notes: round.notes.clone(),
            at: round.at.to_string(),
            verdicts: round.verdicts.iter().map(VerdictView::from).collect(),
        }
    }
}

impl From<&Verdict> for VerdictView {
    fn from(verdict: &Verdict) -> Self {
        Self {
            verdict: verdict.kind,
            by: verdict.by.clone(),
            surface: verdict.surface.as_str().to_owned(),
            right: verdict.grounds.as_ref().map(|grounds| grounds.rule.clone()),
            message: verdict.message.clone(),
            at: verdict.at.to_string(),
            taken_back: verdict.taken_back.map(|at| at.to_string()),
        }
    }
}

impl From<&ReviewComment> for CommentView {
    fn from(known: &ReviewComment) -> Self {
        let comment = &known.comment;
        Self {
            id: comment.id.to_string(),
            from: comment.from.clone(),
            text: comment.text.clone(),
            file: comment.file.clone(),
            line: comment.line,
            side: comment.line.map(|_| known.side),
            round: known.round,
            reply_to: comment.reply_to.as_ref().map(ToString::to_string),
            resolved: known.resolved.as_ref().map(ResolvedView::from),
            at: comment.at.to_string(),
        }
    }
}

impl From<&Resolution> for ResolvedView {
    fn from(end: &Resolution) -> Self {
        Self { by: end.by.clone(), response: end.response.clone(), at: end.at.to_string() }
    }
}
