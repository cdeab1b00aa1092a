//! `link_task`: an agent says which work item its session is about.

use super::prelude::*;
use crate::domain::work_item::WorkItem;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTask {
    /// `owner/repo#12`, or a tracker's id; replaces the one from before.
    work_item: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    session_id: String,
    /// What it is linked to.
    work_item: String,
}

impl Verb for LinkTask {
    const NAME: &'static str = "link_task";
    const TITLE: &'static str = "Say which work item you are on";
    const DESCRIPTION: &'static str = "\
        Tie your session to an issue, pull request or tracker item. Comments by people there then answer your \
        questions, and you hear of reviews, checks and pushes.";
    const FOR: For = For::Anybody(Scope::Operate);
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Output;

    async fn run(call: Call, input: Self) -> Result<Answer<Output>> {
        let work_item = WorkItem::parse(&input.work_item);
        let work_item = work_item.map_err(|error| refuse::bad_argument(Self::NAME, "work_item", error))?;
        let receipt = call.order_session(SessionCommand::Link { work_item: work_item.clone() }).await?;
        let message = format!("Your session is linked to {work_item}.");
        let fields = Output { session_id: receipt.session.id.to_string(), work_item: work_item.to_string() };
        Ok(Answer::new(message, fields))
    }
}
