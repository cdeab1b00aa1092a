//! The database that holds the journal, where the settings name one: whether it answers, is fit, and how far away.

use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::finding::Finding;
use crate::cli::exit::Exit;
use crate::cli::place::store_password;
use crate::domain::node::NodeState;
use crate::journal::TEAM;
use crate::journal::postgres::{DatabasePlace, OpenError, Probed, probe};
use crate::settings::HubSettings;

const CHECK: &str = "store";

/// A change waits for the way there and back once: from here on it is felt.
const FAR: Duration = Duration::from_millis(20);

/// Looks; nothing where the journal is a file.
pub(super) async fn look(hub: &HubSettings) -> Option<Finding> {
    let url = hub.store.clone()?;
    let password = match store_password(hub) {
        Ok(password) => password,
        Err(problem) => return Some(Finding::of_problem(CHECK, &problem).next("callboard config check")),
    };
    let folder = hub.data_dir.clone();
    let looking = tokio::task::spawn_blocking(move || {
        let password = password.as_ref().map(|password| password.expose_secret());
        let place = DatabasePlace::parse(&url, password, TEAM, &folder)?;
        probe(&place).map(|probed| (place.shown(), probed))
    });
    Some(match looking.await {
        Ok(Ok((shown, probed))) => answers(&shown, &probed, hub.node.name.is_some()),
        Ok(Err(error)) => refused(&error),
        Err(error) => Finding::wrong(CHECK, Exit::Failed, error.to_string()).next("callboard doctor again"),
    })
}

fn answers(shown: &str, probed: &Probed, several: bool) -> Finding {
    let way = format!("{:.1} ms there and back", probed.round_trip.as_secs_f64() * 1_000.0);
    let message = format!("PostgreSQL {} at `{shown}` answers, {way}", probed.server);
    if probed.round_trip > FAR {
        return Finding::doubtful(CHECK, format!("{message}: each change waits for that"))
            .next("run the hub nearer to its database");
    }
    let named = |wanted: NodeState| {
        let of_state = probed.nodes.iter().filter(|node| node.state == wanted);
        of_state.map(|node| format!("`{}`", node.name)).collect::<Vec<_>>().join(", ")
    };
    let (owner, others) = (named(NodeState::Owner), named(NodeState::Standby));
    match (several, owner.is_empty(), others.is_empty()) {
        (false, _, _) => Finding::good(CHECK, message),
        (true, true, _) => Finding::doubtful(CHECK, format!("{message}; no hub has the journal"))
            .next("callboard serve on each of the hubs"),
        (true, false, true) => {
            Finding::doubtful(CHECK, format!("{message}; {owner} has the journal, and none stands by"))
                .next("callboard serve on another machine with the same `store` and another `node.name`")
        }
        (true, false, false) => Finding::good(CHECK, format!("{message}; {owner} has the journal, {others} stands by")),
    }
}

fn refused(error: &OpenError) -> Finding {
    let (exit, code) = if matches!(error, OpenError::Unreachable { .. }) {
        (Exit::Unreachable, "STORE_UNREACHABLE")
    } else if matches!(error, OpenError::Password { .. } | OpenError::NoRight { .. }) {
        (Exit::Refused, "STORE_REFUSES")
    } else {
        (Exit::Configuration, "STORE_UNFIT")
    };
    let next = "put right what stands above, then callboard doctor again";
    Finding::wrong(CHECK, exit, error.to_string()).code(code).next(next)
}
