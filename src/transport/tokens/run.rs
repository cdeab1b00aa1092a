//! Tokens of runs on call are not stored: the run's id and an HMAC of it, good until that run ends.

use std::collections::BTreeSet;

use subtle::ConstantTimeEq as _;

use super::store::{TokenRefusal, TokenStore};
use super::table::Credential;
use crate::actors::on_call::OnCall;
use crate::domain::ids::{PrincipalId, RunId};
use crate::domain::on_call::RunToken;
use crate::domain::principal::{Principal, PrincipalKind, Scope};

const PREFIX: &str = "cb_r_";

impl TokenStore {
    pub fn run_token(&self, run: &RunId) -> RunToken {
        // No secret of a token has a blank, so no HMAC of one is that of a run.
        let code = self.table.borrow().hmac(&format!("run {run}"));
        RunToken(format!("{PREFIX}{run}.{code}"))
    }

    /// None when it is not of a run's form. Fails when it is not genuine, or its run ended or never began.
    pub fn authenticate_run(&self, token: &str, on_call: &OnCall) -> Option<Result<Credential, TokenRefusal>> {
        let given = token.strip_prefix(PREFIX)?;
        Some(self.run_of(token, given, on_call).ok_or(TokenRefusal))
    }

    fn run_of(&self, token: &str, given: &str, on_call: &OnCall) -> Option<Credential> {
        let id = RunId::parse(given.split_once('.')?.0).ok()?;
        let genuine: bool = self.run_token(&id).0.as_bytes().ct_eq(token.as_bytes()).into();
        let run = on_call.run(&id).filter(|_| genuine)?;
        let principal = Principal {
            id: PrincipalId::parse(&format!("agent:{}", run.agent)).ok()?,
            display_name: run.agent.to_string(),
            kind: PrincipalKind::Run { agent: run.agent.clone(), run: id.clone(), task: run.task.clone() },
            scopes: BTreeSet::from([Scope::Agent]),
        };
        Some(Credential::of_run(principal, id.to_string(), run))
    }
}
