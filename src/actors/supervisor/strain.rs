//! Actors under strain: a mailbox that is nearly full, or failures that come in quick succession.
//!
//! Both are counted outside the actors, so nobody is asked, and one that does not answer is found, too.

use super::state::State;
use crate::domain::time::Timestamp;

/// A mailbox that is fuller than this is a strain, in hundredths of its limit.
const FULL_PERCENT: usize = 80;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strained {
    /// Its name in the tree, as `agent:fullstack-1`.
    pub actor: String,
    pub strain: Strain,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strain {
    /// Doors are refused soon.
    Mailbox { depth: usize, limit: usize },
    /// It fails over and over.
    Restarts {
        /// Failures since the hub started.
        count: u32,
        last: String,
    },
}

impl State {
    /// Every actor under strain at `now`, by name.
    pub(super) fn strained(&self, now: Timestamp) -> Vec<Strained> {
        let mut found: Vec<Strained> = Vec::new();
        let own = strain_of_mailbox(self.mailbox_metrics.depth(), self.mailbox_metrics.limit());
        found.extend(own.map(|strain| Strained { actor: "supervisor".to_owned(), strain }));
        for (name, held) in &self.children {
            let mailbox_metrics = held.child.mailbox_metrics();
            let restarts = held.lately.is_failing(now).then(|| Strain::Restarts {
                count: held.restarts.count,
                last: held.restarts.last.clone().unwrap_or_default(),
            });
            let strains =
                strain_of_mailbox(mailbox_metrics.depth(), mailbox_metrics.limit()).into_iter().chain(restarts);
            found.extend(strains.map(|strain| Strained { actor: name.clone(), strain }));
        }
        found
    }
}

fn strain_of_mailbox(depth: usize, limit: usize) -> Option<Strain> {
    (depth * 100 > limit * FULL_PERCENT).then_some(Strain::Mailbox { depth, limit })
}

#[cfg(test)]
mod tests;
