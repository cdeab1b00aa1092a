//! A run of a workflow that waits for a person: the rest of it is theirs to do, or it waits for their answer.

use super::item::{InboxAction, InboxItem, InboxKind};
use super::tasks::LINE;
use crate::text::shorten;
use crate::workflow::run::{PauseReason, WorkflowRun};

/// What a run needs of the person whose it is; none while the hub runs it, once it is over, or where no person has it.
pub fn of_workflow(run: &WorkflowRun) -> Option<InboxItem> {
    let deadline = run.next_deadline()?;
    let of_a_program = ["agent:", "service:"].iter().any(|kind| run.owner.as_str().starts_with(kind));
    if !run.handed_over || of_a_program {
        return None;
    }
    let why = run.pause.as_ref().map_or_else(|| "the rest of it is yours to do".to_owned(), PauseReason::sentence);
    Some(InboxItem {
        title: shorten(&format!("{}: {}", run.plan.name, run.status_message()), LINE),
        reason: shorten(&why, LINE),
        workflow_id: Some(run.id.to_string()),
        owner: Some(run.owner.clone()),
        deadline: Some(deadline.at),
        then: Some("it expires".to_owned()),
        actions: vec![InboxAction::Cancel],
        ..InboxItem::new(InboxKind::Workflow, &run.id, run.updated_at)
    })
}

/// Says of a question that a step of this run waits for its answer; of any other question nothing.
pub fn waited_for_by(question: &mut InboxItem, run: &WorkflowRun) {
    let asked = question.id.strip_prefix("question:");
    if asked.is_some() && run.awaited_question() == asked {
        question.workflow_id = Some(run.id.to_string());
        question.reason = shorten(&format!("{}; workflow `{}` waits for it", question.reason, run.plan.name), LINE);
    }
}
