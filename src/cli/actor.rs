//! `callboard actor …`: the actors of the hub, as `/admin/actors` shows them. The token needs the scope `admin`.

use super::columns::ACTORS;
use super::prelude::*;

/// How many actors of a kind are asked for: the most that the hub shows.
const OF_A_KIND: usize = 500;

#[derive(Debug, Subcommand)]
pub(super) enum ActorVerb {
    List(ListArgs),
    Show(OneArgs),
    Restart(RestartArgs),
}

/// List the actors, each below the one that supervises it
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard actor list -o wide")]
pub(super) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

/// Show an actor's own picture of itself, as JSON inside
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard actor show dispatcher")]
pub(super) struct OneArgs {
    /// The actor's name, as `callboard actor list` shows it
    actor: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// End an actor, and build it anew from the journal
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard actor restart agent:fullstack-1")]
pub(super) struct RestartArgs {
    #[command(flatten)]
    one: OneArgs,
}

pub(super) async fn run(verb: &ActorVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        ActorVerb::List(args) => list(args, hub).await,
        ActorVerb::Show(args) => {
            let actor = hub.get(&["admin", "actors", &args.actor], &[]).await?;
            args.output.show(&actor, || describe(&actor))
        }
        ActorVerb::Restart(RestartArgs { one }) => {
            let done = hub.post(&["admin", "actors", &one.actor, "restart"], &json!({})).await?;
            one.output.show(&done, || format!("Actor `{}` was built anew from the journal.", text(&done, "id")))
        }
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let tree = hub.get(&["admin", "actors"], &[("limit", OF_A_KIND.to_string())]).await?;
    let mut actors = Vec::new();
    flatten(tree, 0, &mut actors);
    args.output.table(&actors.into(), (ACTORS, Clock::system().now()), "No actors.")
}

/// The tree as a list: each actor before those that it supervises.
fn flatten(mut actor: Value, depth: u64, into: &mut Vec<Value>) {
    let children = actor.get_mut("children").map(Value::take);
    if let Some(fields) = actor.as_object_mut() {
        fields.remove("children");
        fields.insert("depth".to_owned(), json!(depth));
    }
    into.push(actor);
    if let Some(Value::Array(children)) = children {
        children.into_iter().for_each(|child| flatten(child, depth + 1, into));
    }
}

fn describe(actor: &Value) -> String {
    let rows = ["kind", "state", "mailbox", "handled", "restarts", "deadline", "lastRefusals", "startedAt", "detail"];
    let mut words = format!("actor         {}\n", text(actor, "id"));
    for row in rows.into_iter().filter(|row| actor.get(row).is_some_and(|value| !value.is_null())) {
        words.push_str(&format!("{row:<13} {}\n", text(actor, row).replace('\n', " ")));
    }
    words
}

#[cfg(test)]
mod tests;
