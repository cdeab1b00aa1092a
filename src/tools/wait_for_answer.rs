//! `wait_for_answer`: wait for a human.

use super::prelude::*;
use super::session::Waited;
use super::wait_for_prompt::this_time;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WaitForAnswer {
    /// The question, as `request_input` answered it.
    question_id: String,
    /// How long to wait at most, in seconds; best left out.
    #[serde(default)]
    #[schemars(range(min = 0, max = 31_536_000))]
    timeout: Option<f64>,
}

impl Verb for WaitForAnswer {
    const NAME: &'static str = "wait_for_answer";
    const TITLE: &'static str = "Wait for a person's answer";
    const DESCRIPTION: &'static str = "\
        Wait for the answer to a question that you asked with request_input. When it returns pending, call it again.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::LOOKS;
    const IN_SESSION: bool = true;
    const BLOCKS: bool = true;
    const TELLS: bool = true;

    type Output = Waited;

    async fn run(call: Call, input: Self) -> Result<Answer<Waited>> {
        let until = call.waits_until(input.timeout);
        let id = Call::question_id(&input.question_id)?;
        let question = call.await_answer(&id, until).await?;
        let open = question.is_open();
        let mut answer = call.tells(question).await?;
        if let Some(prompt) = answer.prompt.as_mut().filter(|_| open && !call.is_on_call()) {
            prompt.push_str(&this_time(&call, input.timeout).unwrap_or_default());
        }
        Ok(answer)
    }
}
