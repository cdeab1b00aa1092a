//! What one person may, held against whose a thing is.

use thiserror::Error;

use super::deed::{Deed, Right};
use super::whose::Whose;
use crate::routing::Roster;
use crate::task::RightsSet;

/// What is said of one person: each right is a list of agents and roles. Without a list it reaches everybody, but for
/// the right to approve, which follows the right to answer then.
#[derive(Debug, Clone, Copy)]
pub struct PersonRights<'a> {
    /// Whom they may hand work to.
    pub assign: Option<&'a RightsSet>,
    /// Whose questions and blocked tasks they may answer.
    pub answer: Option<&'a RightsSet>,
    /// Whose work they may judge.
    pub approve: Option<&'a RightsSet>,
    /// Whose tasks, sessions and actors they may act upon.
    pub operate: Option<&'a RightsSet>,
    /// Whom they have nothing to do with, whatever else is said.
    pub deny: &'a RightsSet,
}

/// A person may not do that. `key` is what says so in `people.yaml`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("may not {} `{whose}`: see `{key}` in config/people.yaml", deed.words())]
pub struct Denied {
    pub deed: Deed,
    pub whose: String,
    /// `canAnswer` and the like where a right does not reach that far, `deny` where it is kept back.
    pub key: &'static str,
}

impl PersonRights<'_> {
    /// Whether the person may do that. The error says which key of `people.yaml` says no.
    pub fn decide(&self, deed: Deed, whose: &Whose) -> Result<(), Denied> {
        let denied = |key| Denied { deed, whose: whose.to_string(), key };
        if self.is_denied(whose) {
            return Err(denied("deny"));
        }
        let rights = deed.rights();
        match rights.iter().any(|right| self.reaches(*right, whose)) {
            true => Ok(()),
            false => Err(denied(rights.first().map_or("deny", |right| right.key()))),
        }
    }

    /// Whether the person may approve work. `given`: where merges need an approval, the right to give one has to be
    /// given by name. The error says which key of `people.yaml` says no.
    pub fn approves(&self, whose: &Whose, given: bool) -> Result<&'static str, Denied> {
        self.decide(Deed::ApproveWork, whose)?;
        match (self.approve, given) {
            (Some(_), _) => Ok(Right::Approve.key()),
            (None, false) => Ok(Right::Answer.key()),
            (None, true) => {
                let (deed, whose) = (Deed::ApproveWork, whose.to_string());
                Err(Denied { deed, whose, key: Right::Approve.key() })
            }
        }
    }

    /// Whom they may hand work to, of everybody who can be named: what is denied is taken out.
    pub fn assignable(&self, roster: &Roster) -> RightsSet {
        self.assign.unwrap_or(&RightsSet::All).without(self.deny, roster)
    }

    /// Of what is everybody's, whoever is kept from anybody is kept from it.
    fn is_denied(&self, whose: &Whose) -> bool {
        match whose {
            Whose::Everybody => !self.deny.is_empty(),
            Whose::Agent { .. } | Whose::Role { .. } | Whose::Anybody => self.deny.allows(whose.agent(), whose.role()),
        }
    }

    fn reaches(&self, right: Right, whose: &Whose) -> bool {
        let list = match right {
            Right::Assign => self.assign,
            Right::Answer => self.answer,
            Right::Approve => self.approve.or(self.answer),
            Right::Operate => self.operate,
        };
        list.is_none_or(|list| list.allows(whose.agent(), whose.role()))
    }
}
