//! `update_pr`: an agent changes its pull request on the forge.

use super::pr::Shown;
use super::prelude::*;
use super::texts::text;
use crate::domain::pull::{PullAsk, PullChange, with_work_item};
use crate::domain::text::for_forge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpdatePr {
    /// The id that `create_pr` answered with, or the number on the forge.
    pr_id: String,
    /// A new title.
    #[serde(default)]
    title: Option<String>,
    /// A new text.
    #[serde(default)]
    body: Option<String>,
    /// Whether it is not ready to be reviewed.
    #[serde(default)]
    draft: Option<bool>,
    /// Whether it is to be open or closed.
    #[serde(default)]
    state: Option<Wanted>,
}

/// What it is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    /// Open, also where it was closed.
    Open,
    /// Closed, and not merged.
    Closed,
}

impl Verb for UpdatePr {
    const NAME: &'static str = "update_pr";
    const TITLE: &'static str = "Change a pull request";
    const DESCRIPTION: &'static str = "\
        Change the title or the text of one of your pull requests, make it ready or a draft, close or reopen it.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::SETTLES;
    const IN_SESSION: bool = true;

    type Output = Shown;

    async fn run(call: Call, input: Self) -> Result<Answer<Shown>> {
        let pull = call.named_pull(&input.pr_id).await?;
        let body = input.body.map(|body| text(Self::NAME, "body", &body, TEXT_LIMIT)).transpose()?;
        let title = input.title.map(|title| words(Self::NAME, "title", &title, LINE_LIMIT)).transpose()?;
        let change = PullChange {
            title: title.map(|title| title.replace(['\n', '\r'], " ")),
            body: body.map(|body| with_work_item(&for_forge(&body), pull.work_item.as_ref())),
            draft: input.draft,
            open: input.state.map(|state| state == Wanted::Open),
        };
        if change == PullChange::default() {
            return Err(refuse::bad_argument(
                Self::NAME,
                "title",
                "or body, draft or state is needed: nothing changes",
            ));
        }
        call.ask_forge(&pull, PullAsk::Change(change)).await
    }
}
