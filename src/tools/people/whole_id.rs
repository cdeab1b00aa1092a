//! A thing named by how its id begins, as people type it.
//!
//! The beginning must fit exactly one id. Changing a thing takes [`LEAST`] characters beyond its kind's mark, so that a
//! slip does not hit an id that appears later.

use super::prelude::*;
use super::webhook::webhook_names;
use crate::domain::text::nearest;
use crate::journal::IdKind;

/// How many characters beyond the mark a changing verb takes at the least.
const LEAST: usize = 4;

/// How many candidates an ambiguous beginning lists.
const CANDIDATES: usize = 5;

/// Before the ids that are near to what was given.
pub const MEANT: &str = "did you mean";

/// What people name by an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NamedKind {
    Task,
    Session,
    Question,
    /// By the id of its task.
    Review,
    Agent,
    Webhook,
    /// A run of a workflow.
    Workflow,
    /// By its public id. Who keeps the tokens looks it up: see [`the_one`].
    #[serde(skip)]
    Token,
}

/// What an id is wanted for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IdUse {
    #[default]
    Look,
    Change,
}

impl NamedKind {
    /// What every id of this kind begins with.
    const fn mark(self) -> &'static str {
        match self {
            Self::Session => "s_",
            Self::Question => "q_",
            Self::Workflow => "w_",
            Self::Task | Self::Review | Self::Agent | Self::Webhook | Self::Token => "",
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Session => "session",
            Self::Question => "question",
            Self::Review => "review",
            Self::Agent => "agent",
            Self::Webhook => "webhook",
            Self::Workflow => "run of a workflow",
            Self::Token => "token",
        }
    }
}

/// Fails with `NOT_FOUND`, `ID_AMBIGUOUS`, `ID_TOO_SHORT`, or when the hub cannot be asked.
pub async fn whole_id(hub: &HubRef, kind: NamedKind, given: &str, wanted_for: IdUse) -> Result<String> {
    let kept = match kind {
        NamedKind::Task => IdKind::Task,
        NamedKind::Session => IdKind::Session,
        NamedKind::Question => IdKind::Question,
        NamedKind::Review => IdKind::Review,
        NamedKind::Workflow => IdKind::Workflow,
        NamedKind::Agent => {
            let agents = hub.agent_views().await.map_err(|error| refuse::fault(error).unadvised())?;
            let ids = agents.into_iter().map(|agent| agent.agent_id).collect();
            return among_names(kind, given, wanted_for, ids);
        }
        NamedKind::Webhook => return among_names(kind, given, wanted_for, webhook_names(hub).await?),
        NamedKind::Token => return the_one(kind, given, wanted_for, []),
    };
    let least = kind.mark().len() + LEAST;
    let whole = given.to_owned();
    let read = hub.journal.read(move |reader| {
        let found = reader.ids_beginning(kept, &whole, CANDIDATES + 1)?;
        let mut near = Vec::new();
        // Nothing begins so: the longest beginning of it that something begins with.
        let shorter = whole.char_indices().map(|(at, _)| at).rev().take_while(|at| *at >= least);
        for at in shorter.filter(|_| found.is_empty()) {
            near = reader.ids_beginning(kept, &whole[..at], CANDIDATES)?;
            if !near.is_empty() {
                break;
            }
        }
        Ok((found, near))
    });
    let (found, near) = read.await.map_err(|error| self::read(&error))?;
    the_one(kind, given, wanted_for, found).map_err(|refusal| meant(refusal, near))
}

/// Among names that people chose: a slip may be anywhere in one.
fn among_names(kind: NamedKind, given: &str, wanted_for: IdUse, ids: Vec<String>) -> Result<String> {
    let near = nearest(given, ids.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    the_one(kind, given, wanted_for, ids).map_err(|refusal| meant(refusal, near))
}

/// Says which ids are near to one that is not there.
fn meant(mut refusal: Refusal, near: Vec<String>) -> Refusal {
    if refusal.code == "NOT_FOUND" && !near.is_empty() {
        let ids = near.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(" or ");
        refusal.message = format!("{}: {MEANT} {ids}?", refusal.message);
    }
    refusal
}

/// Of the ids that `given` begins, the first six are enough to know. Fails as [`whole_id`] does.
pub fn the_one(
    kind: NamedKind,
    given: &str,
    wanted_for: IdUse,
    ids: impl IntoIterator<Item = String>,
) -> Result<String> {
    let mut found: Vec<String> = ids.into_iter().filter(|id| !given.is_empty() && id.starts_with(given)).collect();
    found.sort_unstable();
    let (name, beginning) = (kind.name(), shown(given));
    // A whole id sorts before those that it begins.
    match found.as_slice() {
        [] => Err(Refusal::without_advice("NOT_FOUND", format!("the id of no {name} begins with `{beginning}`"))),
        [first, ..] if first == given => Ok(found.swap_remove(0)),
        [_] if wanted_for == IdUse::Change && given.len() < kind.mark().len() + LEAST => {
            let message = format!("`{beginning}` is too short to change what it names: type the id of the {name}");
            Err(Refusal::without_advice("ID_TOO_SHORT", message).detail("candidates", found))
        }
        [_] => Ok(found.swap_remove(0)),
        [..] => {
            let more = if found.len() > CANDIDATES { ", and more" } else { "" };
            found.truncate(CANDIDATES);
            let several = found.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
            let message = format!("`{beginning}` begins the id of more than one {name}: {several}{more}");
            Err(Refusal::without_advice("ID_AMBIGUOUS", message).detail("candidates", found))
        }
    }
}

#[cfg(test)]
mod tests;
