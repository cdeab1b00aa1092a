//! Leave for one call of a tool that a client is about to make, asked of people in the client's place.
//!
//! ```text
//!   a rule says allow or deny ──────────────────────────────────► answered at once, nobody is asked
//!   else: asked ── a person, or the deadline (deny) ──► answered ── the client took it ──► used up
//! ```
//!
//! Leave is bound to the digest of the tool and all its arguments. *Once* is good for one call: taking it is a record
//! ([`Used`](super::QuestionRecord::Used)), so of two calls that wait for one answer only one runs. *For this task* is
//! good for the same call in that task. The deadline always denies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shown::shown;
use super::state::{Danger, Question, QuestionKind, QuestionSpec, QuestionState, Resolution, ResolutionType, Risk};
use crate::danger::by_default::{Effect, effect};
use crate::danger::find_in;
use crate::ids::TaskId;

/// The answers, as people are offered them.
pub const ALLOW_ONCE: &str = "allow once";
pub const ALLOW_FOR_TASK: &str = "allow for this task";
pub const DENY: &str = "deny";

/// How much of a call people are shown, in bytes; the digest is of all of it.
const SHOWN: usize = 8 * 1024;

/// What leave is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Permission {
    /// As the client calls it.
    pub tool: String,
    /// Of the tool and all its arguments: SHA-256, in hexadecimal digits.
    pub digest: String,
    /// The arguments as people read them, at most 8 kB: a command, JSON, changes as unified diffs; secrets out.
    pub input: String,
    /// How many bytes of that are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: usize,
    /// What in it may destroy something, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Permission {
    /// As people are shown it.
    pub fn new(tool: String, digest: String, input: &Value, risk: Option<String>) -> Self {
        let whole = shown(input);
        let input = crate::text::cut(&whole, SHOWN).to_owned();
        let hidden = whole.len() - input.len();
        Self { tool, digest, input, hidden, risk }
    }
}

impl QuestionSpec {
    /// Whether this answer may destroy something, so that a press on it is asked about once more: by its own words and
    /// the question's, whatever the default does. What leaves things as they are does not.
    pub fn may_destroy(&self, value: &str) -> bool {
        if let Some(call) = &self.permission {
            let destroys = self.danger.as_ref().is_some_and(|danger| danger.risk() == Risk::Destructive);
            return value != DENY && (destroys || call.risk.is_some());
        }
        let says_so = self.danger == Some(Danger::Declared) || find_in(&[&self.question, value]).is_some();
        says_so && effect(&self.question, &self.options, value) != Effect::Rests
    }

    /// Whether both ask for leave for the same call; none where one of them asks for something else.
    pub(super) fn is_the_same_call_as(&self, other: &Self) -> Option<bool> {
        match (&self.permission, &other.permission) {
            (None, None) => None,
            (one, other) => Some(one.as_ref().map(|it| &it.digest) == other.as_ref().map(|it| &it.digest)),
        }
    }
}

impl Question {
    /// Whether it is leave that stays good for this task.
    pub fn is_leave_for(&self, task: Option<&TaskId>) -> bool {
        let said = self.resolution().is_some_and(|it| it.kind == ResolutionType::Human && it.value == ALLOW_FOR_TASK);
        said && self.spec.kind == QuestionKind::Permission && task.is_some() && self.spec.task_id.as_ref() == task
    }

    /// Whether this answer is for the call that asks, now or again, and no news to anybody: leave, given or denied.
    pub fn answers_a_call(&self, kind: ResolutionType) -> bool {
        self.spec.permission.is_some() && matches!(kind, ResolutionType::Human | ResolutionType::Timeout)
    }

    /// Whether its answer was taken by a call, and is good for no other.
    pub const fn is_used_up(&self) -> bool {
        matches!(self.state, QuestionState::Resolved { used: true, .. })
    }
}

impl Resolution {
    pub fn allows(&self) -> bool {
        self.kind == ResolutionType::Human && [ALLOW_ONCE, ALLOW_FOR_TASK].contains(&self.value.as_str())
    }
}
