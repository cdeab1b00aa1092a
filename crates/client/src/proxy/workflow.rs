//! The workflow that the client follows. A language model cannot say which one its calls belong to, and this knows: it
//! saw the answer that carried the prompt. So it puts the workflow's id into the calls of tools in that plan.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::envelope::with_meta;

/// Under this key a call names its workflow.
const TASK_ID: &str = "dev.callboard/taskId";

/// The keys under which a client may have named one itself.
const NAMES: [&str; 3] = [TASK_ID, "io.modelcontextprotocol/related-task", "_task_id"];

/// Under this key an answer says which workflow it is about.
const WORKFLOW: &str = "dev.callboard/workflow";

/// Under this key a request for a prompt carries its idempotency key.
const KEY: &str = "dev.callboard/idempotencyKey";

/// The tool that ends a workflow, which is in no plan.
const COMPLETES: &str = "workflow_complete";

/// The workflow whose prompt the client saw last.
#[derive(Debug, Default)]
pub(super) struct Followed(Option<Workflow>);

#[derive(Debug)]
struct Workflow {
    id: String,
    tools: BTreeSet<String>,
}

impl Followed {
    /// The hub answers this: the prompt of a workflow, or what became of a call that named one.
    pub(super) fn hears(&mut self, text: &str) {
        // Nearly no answer is about a workflow, and none is read for nothing.
        if !text.contains(WORKFLOW) {
            return;
        }
        let message: Value = serde_json::from_str(text).unwrap_or_default();
        let about = &message["result"]["_meta"][WORKFLOW];
        let Some(id) = about["taskId"].as_str() else { return };
        let is_it = self.0.as_ref().is_some_and(|workflow| workflow.id == id);
        match about["steps"].as_array() {
            Some(steps) if message["result"]["messages"].is_array() => {
                let tools = steps.iter().flat_map(|step| [&step["tool"], &step["followUp"]]).filter_map(Value::as_str);
                let tools = tools.map(ToOwned::to_owned).collect();
                self.0 = (about["status"] == "working").then(|| Workflow { id: id.to_owned(), tools });
            }
            Some(_) | None if is_it && matches!(about["reason"].as_str(), Some("ended" | "unknown")) => self.0 = None,
            Some(_) | None => {}
        }
    }

    /// The call of this tool with the workflow's id; none where the tool is not in its plan, or the call names one.
    pub(super) fn named_in(&self, tool: &str, text: &str) -> Option<String> {
        let Workflow { id, tools } = self.0.as_ref()?;
        if !tools.contains(tool) && tool != COMPLETES {
            return None;
        }
        with_meta(text, &NAMES, TASK_ID, &json!(id))
    }
}

/// The request for a prompt with a key of ours, where it has none: a hub that is lost over it is asked again, and must
/// not do the same twice.
pub(super) fn keyed(text: &str, key: &str) -> Option<String> {
    with_meta(text, &[KEY], KEY, &json!(key))
}
