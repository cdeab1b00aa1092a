//! `merge_pr`: an agent merges its pull request, when what its role asks for is there.

use std::collections::BTreeSet;

use super::pr::Shown;
use super::prelude::*;
use crate::domain::pull::{MergeMethod, Missing, PullAsk, PullRefusal, PullRequest, PullState};
use crate::domain::session::SessionRefusal;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MergePr {
    /// The id that `create_pr` answered with, or the number on the forge.
    pr_id: String,
    /// How; merge when left out.
    #[serde(default)]
    method: MergeMethod,
}

impl Verb for MergePr {
    const NAME: &'static str = "merge_pr";
    const TITLE: &'static str = "Merge a pull request";
    const DESCRIPTION: &'static str = "\
        Merge one of your pull requests. What your role asks for must be there, as an approval and green checks; else \
        the answer names what is missing.";
    const FOR: For = For::Agents;
    const HINTS: Hints = Hints::ENDS;
    const IN_SESSION: bool = true;

    type Output = Shown;

    async fn run(call: Call, input: Self) -> Result<Answer<Shown>> {
        let pull = call.named_pull(&input.pr_id).await?;
        if matches!(pull.state, PullState::Opening | PullState::Failed) {
            return Err(not_open(&pull));
        }
        let look = call.look_to_merge(&pull).await?;
        let pull = call.sees(pull, &look).await?;
        if pull.state == PullState::Merged {
            let message = format!("Pull request {} is merged already.", pull.id);
            return Ok(Answer::new(message, Shown::of(&pull)));
        }
        if pull.state != PullState::Open {
            return Err(not_open(&pull));
        }
        let missing = call.judged(&pull, &look).await?.missing;
        let commit = look.seen.commit.filter(|_| missing.is_empty());
        let Some(commit) = commit else {
            let codes: BTreeSet<&str> = missing.iter().map(Missing::code).collect();
            let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
            let said = format!("pull request {} may not be merged yet: {}", pull.id, missing.join("; "));
            return Err(Refusal::new("MERGE_BLOCKED", said)
                .detail("missing", missing)
                .detail("missingCodes", codes.into_iter().collect::<Vec<_>>())
                .detail("prId", pull.id.as_str()));
        };
        call.ask_forge(&pull, PullAsk::Merge(input.method, commit, look.seen.base)).await
    }
}

fn not_open(pull: &PullRequest) -> Refusal {
    let refusal = SessionRefusal::from(PullRefusal::NotOpen { id: pull.id.clone(), state: pull.state });
    Refusal::new(refusal.code(), refusal.to_string())
}
