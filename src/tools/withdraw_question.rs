//! `withdraw_question`: the agent found out by itself.

use super::prelude::*;
use super::session::{Waited, told};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WithdrawQuestion {
    /// The question, as `request_input` answered it.
    question_id: String,
    /// Why you need no answer any more.
    #[serde(default)]
    reason: Option<String>,
}

impl Verb for WithdrawQuestion {
    const NAME: &'static str = "withdraw_question";
    const TITLE: &'static str = "Take a question back";
    const DESCRIPTION: &'static str = "\
        Take back a question that you asked with request_input, because you found out by yourself. People see that no \
        answer is needed any more.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Waited;

    async fn run(call: Call, input: Self) -> Result<Answer<Waited>> {
        let question = Call::question_id(&input.question_id)?;
        let reason = maybe(Self::NAME, "reason", input.reason.as_deref(), LINE_LIMIT)?;
        let receipt = call.order_session(SessionCommand::Withdraw { question, reason }).await?;
        let question = receipt.question.ok_or_else(|| refuse::no_such_question(&input.question_id))?;
        Ok(told(&question))
    }
}
