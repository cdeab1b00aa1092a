//! `append_output`: what a program printed, sent by whoever runs it.

use super::prelude::*;
use super::terminals::print;
use crate::actors::terminal::Output as Printed;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AppendOutput {
    /// The session in whose terminal it was printed; your own when left out.
    #[serde(default)]
    session_id: Option<String>,
    /// What was printed since the last call, escape sequences included.
    text: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Output {
    session_id: String,
    /// How many bytes it ever got.
    file_position: u64,
}

impl Verb for AppendOutput {
    const NAME: &'static str = "append_output";
    const TITLE: &'static str = "Show the hub what a program printed";
    const DESCRIPTION: &'static str = "\
        Send what a program in your terminal printed. The hub draws it as a terminal does; detect_input_prompt then \
        says whether the program waits for somebody.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::ADDS;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let session = input.session_id.or_else(|| call.session.as_ref().map(ToString::to_string));
        let session_id = session.ok_or_else(refuse::session_required)?;
        let drawn = call.once(async {
            let output = Printed::of(input.text);
            let file_position = print(&call.hub, &call.caller.principal, &session_id, output).await?;
            Ok(Output { session_id, file_position })
        });
        Ok(Answer::new("Drawn.", drawn.await?))
    }
}
