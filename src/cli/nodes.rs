//! `callboard nodes`: the hubs on one database, as the one that has the journal sees them, or the database itself.

use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::client::{HubClient, is_not_owner};
use super::columns::NODES;
#[cfg(feature = "postgres")]
use super::doctor::{report, store};
use super::exit::Exit;
use super::output::OutputArgs;
use super::output::cell::str_at;
use super::place::GlobalArgs;
use super::problem::Problem;
use crate::clock::Clock;

/// How long a hub may take to say whether it has the journal.
const TIMEOUT: Duration = Duration::from_secs(10);

/// See the hubs on one database, and which of them has the journal
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard nodes")]
pub(super) struct NodesArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &NodesArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let hub = HubClient::find(globals).map(HubClient::telling);
    let stands_by = match &hub {
        Ok(hub) => standing_by(hub).await.map(|why| stands_by(&why)),
        Err(_) => None,
    };
    let nodes = match (hub, stands_by) {
        (Ok(hub), None) => {
            hub.get(&["admin", "nodes"], &[]).await?.get_mut("items").map(Value::take).unwrap_or_default()
        }
        (Ok(_), Some(problem)) | (Err(problem), _) => in_database(globals, problem).await?,
    };
    let items = nodes.as_array().cloned().unwrap_or_default();
    args.output.table(&items.into(), (NODES, Clock::system().now()), "This hub is alone: `node.name` is not set.")
}

/// What the hub says where none of its addresses leads to the one that has the journal.
async fn standing_by(hub: &HubClient) -> Option<String> {
    let heard = hub.words_of_each(&["readyz"], TIMEOUT).await;
    if heard.iter().any(|(_, said)| matches!(said, Ok((200, _)))) {
        return None;
    }
    heard.into_iter().filter_map(|(_, said)| said.ok()).find(|(status, text)| is_not_owner(*status, text)).map(|said| {
        let said: Value = serde_json::from_str(&said.1).unwrap_or_default();
        str_at(&said, "error").unwrap_or("it stands by").to_owned()
    })
}

/// The same from the database itself, which holds whatever a hub knows of the others. A hub that stands by knows no
/// token, and so tells nobody of them. Fails with that problem where the settings name no database.
#[cfg(feature = "postgres")]
async fn in_database(globals: &GlobalArgs, problem: Problem) -> Result<Value, Problem> {
    let hub = globals.settings()?.settings.hub;
    if hub.store.is_none() {
        return Err(problem);
    }
    match store::probed(&hub, &hub.data_dir).await {
        Ok((_, probed)) => serde_json::to_value(probed.nodes).map_err(|error| Problem::failed(error.to_string())),
        Err(finding) => report(&[*finding], false).map(|()| Value::Null),
    }
}

#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "as the one that asks a database")]
async fn in_database(_: &GlobalArgs, problem: Problem) -> Result<Value, Problem> {
    Err(problem)
}

fn stands_by(why: &str) -> Problem {
    Problem::new(Exit::Unreachable, "this hub does not have the journal").because(why).next(
        "callboard nodes --config DIR, as callboard serve has it, which asks the database; or name the other hub by \
         CALLBOARD_URL",
    )
}
