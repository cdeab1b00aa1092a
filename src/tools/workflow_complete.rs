//! `workflow_complete`: the model says that a workflow is done, and what came of it.

use super::caller::Follows;
use super::prelude::*;
use crate::actors::workflow::WorkflowError;
use crate::domain::ids::WorkflowId;
use crate::domain::workflow::run::WorkflowCommand;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WorkflowComplete {
    /// The workflow. Not needed while you have only one.
    #[serde(default)]
    task: Option<String>,
    /// What came of it.
    result: Value,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Output {
    /// `completed`.
    status: String,
    /// How far its steps came, in a line.
    status_message: String,
}

impl Verb for WorkflowComplete {
    const NAME: &'static str = "workflow_complete";
    const TITLE: &'static str = "Complete a workflow";
    const DESCRIPTION: &'static str = "\
        Say that the workflow whose prompt you follow is done, and what came of it. Call it when all of its calls are \
        made, or when the rest is not needed.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let given = input.task.as_deref().filter(|given| !given.is_empty()).or(match &call.caller.follows {
            Follows::Named(id) => Some(id.as_str()),
            Follows::Unsaid | Follows::Nothing => None,
        });
        let id = match given {
            Some(given) => WorkflowId::parse(given).map_err(|_| refuse::workflow(WorkflowError::Unknown))?,
            None => call.hub.open_steps.only_of(&call.caller.principal.id).ok_or_else(|| {
                refuse::workflow(WorkflowError::Unknown)
                    .advise("Name the workflow in `task`: you have none that goes on, or several.")
            })?,
        };
        let (hub, caller) = (call.hub.clone(), call.caller.clone());
        let completes = async {
            let command = WorkflowCommand::Complete(input.result);
            let request = Some(caller.request.clone());
            let done = hub.order_workflow(&id, command, caller.by(), request).await.map_err(refuse::workflow)?;
            Ok(Output { status: done.run.status.as_str().to_owned(), status_message: done.run.status_message() })
        };
        let output = call.once(completes).await?;
        Ok(Answer::new(format!("The workflow is completed: {}.", output.status_message), output))
    }
}
