//! `mark_blocked`: an agent cannot go on unless somebody acts.

use schemars::JsonSchema;
use serde::Deserialize;

use super::refusal::Refusal;
use super::refuse;
use super::session::{Standing, standing};
use super::texts::{LINE_LIMIT, words};
use super::verb::{Answer, Call, For, Hints, Verb};
use crate::domain::principal::Scope;
use crate::domain::session::SessionCommand;

/// The most blockers that are named.
const BLOCKERS: usize = 20;

pub(super) enum MarkBlocked {}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// What you need, and from whom.
    reason: String,
    /// What is in the way, one by one.
    #[serde(default)]
    blockers: Vec<String>,
}

impl Verb for MarkBlocked {
    const NAME: &'static str = "mark_blocked";
    const TITLE: &'static str = "Say that you cannot go on";
    const DESCRIPTION: &'static str = "\
        Say that you cannot go on and why. Your task becomes BLOCKED and whoever asked for it hears the reason; with \
        their answer it comes back to you. When one question to a person would do, call request_input instead.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Input = Input;
    type Output = Standing;

    async fn run(call: Call, input: Input) -> Result<Answer<Standing>, Refusal> {
        let reason = words(Self::NAME, "reason", &input.reason, LINE_LIMIT)?;
        if input.blockers.len() > BLOCKERS {
            let what = format!("has {} entries; {BLOCKERS} is the most", input.blockers.len());
            return Err(refuse::bad_argument(Self::NAME, "blockers", what));
        }
        let blockers = input.blockers.iter().map(|blocker| words(Self::NAME, "blockers", blocker, LINE_LIMIT));
        let blockers = blockers.collect::<Result<Vec<_>, _>>()?;
        let receipt = call.order_session(SessionCommand::Block { reason, blockers }).await?;
        let fields = standing(&receipt);
        Ok(Answer::new("You are blocked, and people can see why.", fields).prompt(crate::domain::reminder::next_task()))
    }
}
