//! Which runs have an open step for which tool, by owner: what a call is matched by that names no run.
//!
//! Every call of a tool looks here: a map in memory, which each run updates at the end of its turn. A run that the hub
//! drives puts nothing in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::watch;

use crate::domain::ids::{PrincipalId, WorkflowId};

/// The tool that brings the answer to a question.
const ANSWERS: &str = "wait_for_answer";

type Open = BTreeMap<PrincipalId, BTreeMap<WorkflowId, BTreeSet<String>>>;

#[derive(Debug, Clone)]
pub struct OpenSteps(Arc<watch::Sender<Open>>);

impl Default for OpenSteps {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Open::new())))
    }
}

impl OpenSteps {
    /// The one run of this owner that has an open step for this tool; none where there are several.
    pub fn only(&self, owner: &PrincipalId, tool: &str) -> Option<WorkflowId> {
        let open = self.0.borrow();
        let mut found = open.get(owner)?.iter().filter(|(_, tools)| tools.contains(tool)).map(|(id, _)| id);
        let first = found.next()?;
        found.next().is_none().then(|| first.clone())
    }

    /// The only run of this owner that has anything open; none where there are several.
    pub fn only_of(&self, owner: &PrincipalId) -> Option<WorkflowId> {
        let open = self.0.borrow();
        let runs = open.get(owner)?;
        runs.keys().next().filter(|_| runs.len() == 1).cloned()
    }

    /// The runs that may wait for a person: those of people, and those that wait for an answer.
    pub fn for_people(&self) -> Vec<WorkflowId> {
        let open = self.0.borrow();
        let runs = open.iter().flat_map(|(owner, runs)| runs.iter().map(move |(id, tools)| (owner, id, tools)));
        let waits = runs.filter(|(owner, _, tools)| !owner.as_str().starts_with("agent:") || tools.contains(ANSWERS));
        waits.map(|(_, id, _)| id.clone()).collect()
    }

    /// What is open in a run; none where it is over, or driven.
    pub(super) fn put(&self, owner: &PrincipalId, id: &WorkflowId, tools: Option<BTreeSet<String>>) {
        self.0.send_modify(|open| match tools {
            Some(tools) => drop(open.entry(owner.clone()).or_default().insert(id.clone(), tools)),
            None => {
                let left = open.get_mut(owner).is_some_and(|runs| {
                    runs.remove(id);
                    runs.is_empty()
                });
                if left {
                    open.remove(owner);
                }
            }
        });
    }
}
