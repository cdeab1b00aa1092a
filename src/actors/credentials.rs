//! What a person's own credentials let them do, for doors that know a person by something else: by a user of Discord,
//! or by an account on a forge. Whoever may only look by their token does no more there.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::domain::ids::PrincipalId;
use crate::domain::principal::Scope;

type ScopesOf = dyn Fn(&PrincipalId) -> Option<BTreeSet<Scope>> + Send + Sync;

/// The credentials that are known. Cheap to clone; every clone is the same one.
#[derive(Clone, Default)]
pub struct Credentials(Arc<OnceLock<Box<ScopesOf>>>);

impl Credentials {
    /// Asks here from now on: for the scopes of all credentials of a principal that are good now, none where it has no
    /// credential at all. Said again, it changes nothing.
    pub fn begin(&self, scopes_of: impl Fn(&PrincipalId) -> Option<BTreeSet<Scope>> + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(scopes_of));
    }

    /// Whether a person still has a credential that lets them hand out work. True until somebody says which there are.
    pub fn operates(&self, principal: &PrincipalId) -> bool {
        let covers = |have: BTreeSet<Scope>| have.iter().any(|have| have.covers(Scope::Operate));
        self.0.get().is_none_or(|scopes_of| scopes_of(principal).is_some_and(covers))
    }

    /// What a person may do at a door that is not theirs by a credential: what their credentials let them, and never
    /// what administrators do. Who has none may what the rules of that door give.
    pub fn of_person(&self, principal: &PrincipalId) -> BTreeSet<Scope> {
        let usual = BTreeSet::from([Scope::View, Scope::Operate]);
        let Some(have) = self.0.get().and_then(|scopes_of| scopes_of(principal)) else { return usual };
        usual.into_iter().filter(|wanted| have.iter().any(|have| have.covers(*wanted))).collect()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("begun", &self.0.get().is_some()).finish()
    }
}
