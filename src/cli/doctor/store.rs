//! The database that holds the journal, where the settings name one: whether it answers, is fit, and how far away.

use std::path::Path;
use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::finding::Finding;
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, store_password};
use crate::domain::node::NodeState;
use crate::hub::has_all_of_the_file;
use crate::journal::postgres::{DatabasePlace, OpenError, Probed, probe};
use crate::journal::{TEAM, is_in_database};
use crate::settings::HubSettings;

const CHECK: &str = "store";

/// A change waits for the way there and back once: from here on it is felt.
const FAR: Duration = Duration::from_millis(20);

/// How far the clock of the database may be from this machine's before somebody wonders.
const APART: Duration = Duration::from_secs(5);

/// Looks; nothing where the journal is a file.
pub(super) async fn look(hub: &HubSettings, globals: &GlobalArgs) -> Vec<Finding> {
    if hub.store.is_none() {
        return unnamed(hub, globals).into_iter().collect();
    }
    match probed(hub, &hub.data_dir).await {
        Ok((shown, probed)) => match has_all_of_the_file(probed.position, &shown, &hub.data_dir) {
            Ok(()) => findings(&shown, &probed, hub.node.name.is_some()),
            Err(error) => {
                let next = "put right what stands above, then callboard doctor again";
                vec![Finding::wrong(CHECK, Exit::Configuration, error.to_string()).code("STORE_UNFIT").next(next)]
            }
        },
        Err(finding) => vec![*finding],
    }
}

/// Of a database that no settings name, though the data directory says that there is one.
fn unnamed(hub: &HubSettings, globals: &GlobalArgs) -> Option<Finding> {
    let looks = is_in_database(&hub.data_dir) && globals.config_dir().is_none();
    looks.then(|| {
        let dir = hub.data_dir.display();
        let message =
            format!("the journal of `{dir}` is in a database, which was not looked at: no settings are named");
        Finding::doubtful(CHECK, message).next("callboard doctor --config DIR, as callboard serve has it")
    })
}

/// What the database is that `store` names, and where, or what is wrong with it for a hub of this data directory.
pub(in crate::cli) async fn probed(hub: &HubSettings, folder: &Path) -> Result<(String, Probed), Box<Finding>> {
    let (url, folder) = (hub.store.clone().unwrap_or_default(), folder.to_owned());
    let password =
        store_password(hub).map_err(|problem| Finding::of_problem(CHECK, &problem).next("callboard config check"))?;
    let looking = tokio::task::spawn_blocking(move || {
        let password = password.as_ref().map(|password| password.expose_secret());
        let place = DatabasePlace::parse(&url, password, TEAM, &folder)?;
        probe(&place).map(|probed| (place.shown(), probed))
    });
    match looking.await {
        Ok(probed) => probed.map_err(|error| refused(&error).into()),
        Err(error) => Err(Finding::wrong(CHECK, Exit::Failed, error.to_string()).next("callboard doctor again").into()),
    }
}

/// What there is to say of it, the first of it that it answers.
pub(in crate::cli) fn findings(shown: &str, probed: &Probed, several: bool) -> Vec<Finding> {
    let mut findings = vec![answers(shown, probed, several)];
    if !probed.hears {
        let message = "one connection does not hear another: a pooler in transaction mode is on the way, and the locks \
                       by which hubs see that one ended say nothing behind it";
        findings.push(Finding::doubtful(CHECK, message).next("name the server itself, or a pool in session mode"));
    }
    let apart = Duration::from_millis(probed.ahead.unsigned_abs());
    if apart > APART + probed.round_trip {
        let which = if probed.ahead > 0 { "ahead of" } else { "behind" };
        let message = format!("the clock of the database is {apart:?} {which} this machine's, and hubs go by it");
        findings.push(Finding::doubtful(CHECK, message).next("timedatectl status, on both machines"));
    }
    if probed.replicas > 0 && !probed.synchronous {
        let many = probed.replicas;
        let message = format!("no change waits for a replica ({many} follow): one that is promoted may lack the last");
        let next = "set `synchronous_standby_names` in postgresql.conf";
        findings.push(Finding::doubtful(CHECK, message).next(next));
    }
    let there = probed.nodes.iter().filter(|node| node.state != NodeState::Gone);
    let others = there.clone().filter(|node| there.clone().next().is_some_and(|first| first.config != node.config));
    let others: Vec<_> = others.map(|node| format!("`{}`", node.name)).collect();
    if let (Some(first), false) = (there.clone().next(), others.is_empty()) {
        let message = format!("`{}` was started with other settings than {}", first.name, others.join(", "));
        findings.push(Finding::doubtful(CHECK, message).next("compare callboard config show on each of them"));
    }
    findings
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
        (true, false, false) => {
            Finding::good(CHECK, format!("{message}; {owner} has the journal; standing by: {others}"))
        }
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
