//! `answer_task`: who asked for a task gives its worker the answer it waits for.

use super::order::{Moved, order};
use super::prelude::*;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AnswerTask {
    /// The BLOCKED task, as `assign_task` named it.
    task_id: String,
    /// The answer; its worker reads this.
    answer: String,
}

impl Verb for AnswerTask {
    const NAME: &'static str = "answer_task";
    const TITLE: &'static str = "Answer a blocked task";
    const DESCRIPTION: &'static str = "\
        Answer a task that you assigned and that is BLOCKED. It goes back to its last worker first, with your \
        answer.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;

    type Output = Moved;

    async fn run(call: Call, input: Self) -> Result<Answer<Moved>> {
        let answer = words(Self::NAME, "answer", &input.answer, TEXT_LIMIT)?;
        let receipt =
            order(&call, &input.task_id, call.author().answer(answer, call.sanitized.as_deref().cloned())).await?;
        let task = &receipt.task_id;
        let message = format!("Answer recorded for {task}. It is {} again.", receipt.state);
        let prompt =
            format!("## NEXT STEP\nCall wait_for_task with taskId {task} if you need its result before you go on.");
        Ok(Answer::new(message, Moved::from(&receipt)).prompt(prompt))
    }
}
