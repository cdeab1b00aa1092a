//! `callboard inbox …`: what needs you, the most pressing first, and acting on it.

use super::columns::INBOX;
use super::id::note_unknown;
use super::prelude::*;
use super::typed::{next_step, with_flags};
use crate::domain::inbox::InboxKind;
use crate::domain::refusal::status_of;

#[derive(Debug, Subcommand)]
pub(super) enum InboxVerb {
    List(ListArgs),
    Act(ActArgs),
}

/// List what needs you: questions, reviews, blocked tasks, dead letters
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard inbox list
  callboard inbox list --kind review --kind question
  callboard inbox list --agent fullstack-1 --limit 0 -o wide")]
pub(super) struct ListArgs {
    /// Only these sorts; may be given more than once
    #[arg(long, value_name = "KIND", value_parser = kind, value_delimiter = ',')]
    kind: Vec<InboxKind>,
    /// Only what is about this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

/// Act on an item: answer it, approve it, retry it
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard inbox act review:TASK approve
  callboard inbox act blocked:TASK answer \"use the staging database\"
  callboard inbox act dead_letter:TASK requeue

`callboard inbox list -o wide` shows in YOU CAN what can be done with each item.")]
pub(super) struct ActArgs {
    /// The item, as `callboard inbox list` shows it
    item: String,
    /// What to do
    #[arg(value_parser = ["answer", "approve", "request-changes", "retry", "requeue", "reassign", "cancel", "drop"])]
    action: String,
    /// The answer, the message, what is to change, the new target, or the reason
    value: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &InboxVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        InboxVerb::List(args) => list(args, hub).await,
        InboxVerb::Act(args) => {
            let done = act(hub, &args.item, &args.action, args.value.as_deref()).await?;
            let state = text(&done, "state");
            args.output.show(&done, || match done["changed"] == false {
                true => format!("Nothing to do: that was done before. `{}` is {state}.", args.item),
                false => format!("`{}` is now {state}.", args.item),
            })
        }
    }
}

pub(super) async fn act(hub: &HubClient, item: &str, action: &str, value: Option<&str>) -> Result<Value, Problem> {
    let mut deed = json!({ "item": item, "action": action });
    if let Some(value) = value {
        deed["value"] = json!(value);
    }
    let mut answered = hub.post(&["api", "v1", "inbox", "actions"], &json!({ "actions": [deed] })).await?;
    let outcome = answered["results"][0].take();
    if outcome["ok"] == true { Ok(outcome) } else { Err(undone(item, action, &outcome)) }
}

/// What the hub advises there (`details.prompt`) is for an agent, which has tools and no commands.
fn undone(item: &str, action: &str, outcome: &Value) -> Problem {
    let code = str_at(outcome, "code").unwrap_or_default();
    let told = Problem::new(Exit::of_code(code), format!("nothing was done about `{item}`"));
    let told = told.because(with_flags(&text(outcome, "error")));
    let next = match code {
        // The hub may not know whether it was typed, and says so then.
        "UNAVAILABLE" => "callboard session follow SESSION: it may have been done, so look before you act again",
        // What is missing is the value, the last word of the command.
        "INVALID_ARGUMENTS" => return told.next(format!("callboard inbox act {item} {action} VALUE")),
        code => next_step(status_of(code), code).unwrap_or("callboard inbox list"),
    };
    told.next(next)
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    if !args.kind.is_empty() {
        query.push(("kind", args.kind.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(",")));
    }
    query.extend(args.agent.clone().map(|agent| ("agent", agent)));
    let items = hub.list(&["api", "v1", "inbox"], &query, args.page.limit).await?;
    let empty = nothing(!query.is_empty(), "Nothing needs you.");
    args.page.output.table(&items, (INBOX, Clock::system().now()), empty)?;
    note_unknown(hub, args.agent.as_deref(), items.items.is_empty()).await;
    Ok(())
}

/// Reads a sort in any case, with `-` for `_`.
fn kind(text: &str) -> Result<InboxKind, String> {
    InboxKind::parse(&text.to_lowercase().replace('-', "_")).ok_or_else(|| {
        let known: Vec<_> = InboxKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("`{text}` is no sort of item: {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests;
