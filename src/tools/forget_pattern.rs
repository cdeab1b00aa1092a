//! `forget_pattern`: a person decides that a habit is none.

use super::prelude::*;
use super::terminals::may_change;
use crate::actors::learner::Order;
use crate::domain::ids::PatternId;
use crate::domain::text::shown;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForgetPattern {
    /// The pattern, as `get_learned_patterns` names it.
    pattern_id: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    pattern_id: String,
    /// Whether it is gone.
    forgotten: bool,
}

impl Verb for ForgetPattern {
    const NAME: &'static str = "forget_pattern";
    const TITLE: &'static str = "Forget what people answer";
    const DESCRIPTION: &'static str = "\
        Forget a learned pattern: its answers are suggested no more. For people; an agent's own report can neither \
        teach much nor make the hub forget.";
    const FOR: For = For::People(Scope::Operate);
    const HINTS: Hints = Hints::ENDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let forgotten = call.once(async {
            may_change(&call.hub, &call.caller.principal, None).await?;
            let unknown = || no_such_pattern(&input.pattern_id);
            let id = PatternId::parse(input.pattern_id.trim()).map_err(|_| unknown())?;
            let (by, request) = (call.caller.by(), Some(call.caller.request.clone()));
            let gone = call.hub.learner.change(id, Order::Forget, by, request).await.map_err(refuse::fault)?;
            let gone = gone.ok_or_else(unknown)?;
            Ok(Output { pattern_id: gone.id.to_string(), forgotten: true })
        });
        Ok(Answer::new("It is suggested no more.", forgotten.await?))
    }
}

/// No such pattern. The id is shown as it came.
pub(super) fn no_such_pattern(given: &str) -> Refusal {
    Refusal::new("PATTERN_NOT_FOUND", format!("there is no pattern `{}`", shown(given)))
}
