//! What a person named by how its id begins: the hub says which one is meant.

use serde::Serialize;

use super::client::HubClient;
use super::exit::Exit;
use super::problem::Problem;
use super::typed::next_step;
use crate::ids;
use crate::tools::people::{IdUse, MEANT, NamedKind, the_one};

pub(super) async fn to_look(hub: &HubClient, kind: NamedKind, given: &str) -> Result<String, Problem> {
    whole(hub, kind, given, IdUse::Look).await
}

pub(super) async fn to_change(hub: &HubClient, kind: NamedKind, given: &str) -> Result<String, Problem> {
    whole(hub, kind, given, IdUse::Change).await
}

/// What nothing begins with, or nearly, stays as it is: the command itself says that there is no such thing.
async fn whole(hub: &HubClient, kind: NamedKind, given: &str, wanted_for: IdUse) -> Result<String, Problem> {
    if given.is_empty() {
        return Err(Problem::configuration("the id that was given is empty").next("type it, or how it begins"));
    }
    let given = &as_made(kind, given);
    if ids::is_whole(given) {
        return Ok(given.to_owned());
    }
    let query = [("kind", word(kind)), ("begins", given.to_owned()), ("for", word(wanted_for))];
    match hub.get(&["api", "v1", "ids"], &query).await {
        Ok(found) => Ok(found["id"].as_str().unwrap_or(given).to_owned()),
        Err(problem) if problem.exit() == Exit::NotFound && !problem.told().contains(MEANT) => Ok(given.to_owned()),
        Err(problem) => Err(problem),
    }
}

/// In the case in which the hub makes ids. Names are as somebody chose them.
fn as_made(kind: NamedKind, given: &str) -> String {
    let marked = given.get(..2).is_some_and(|mark| ["s_", "q_", "w_"].iter().any(|own| mark.eq_ignore_ascii_case(own)));
    let made = marked || matches!(kind, NamedKind::Task | NamedKind::Review);
    if made { given.to_lowercase() } else { given.to_owned() }
}

/// Says on standard error, under an empty list, that the agent is not there whose things were asked for.
pub(super) async fn note_unknown(hub: &HubClient, agent: Option<&str>, is_empty: bool) {
    let Some(agent) = agent.filter(|_| is_empty) else { return };
    if let Err(problem) = hub.get(&["api", "v1", "agents", agent], &[]).await
        && problem.exit() == Exit::NotFound
    {
        problem.told_by("note:");
    }
}

/// As the hub reads it in a query.
fn word(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn among(kind: NamedKind, given: &str, ids: impl IntoIterator<Item = String>) -> Result<String, Problem> {
    match the_one(kind, given, IdUse::Change, ids) {
        Ok(id) => Ok(id),
        Err(refusal) if refusal.code == "NOT_FOUND" => Ok(given.to_owned()),
        Err(refusal) => {
            let (status, code) = (refusal.status(), refusal.code);
            let next = next_step(status, code).unwrap_or_default();
            Err(Problem::new(Exit::of(status, code), refusal.message).because(format!("{code} ({status})")).next(next))
        }
    }
}

#[cfg(test)]
mod tests;
