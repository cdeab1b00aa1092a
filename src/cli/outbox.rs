//! `callboard outbox …`: what still has to reach the outside, and what could not.

use super::columns::OUTBOX;
use super::prelude::*;
use crate::domain::inbox::InboxKind;

#[derive(Debug, Subcommand)]
pub(super) enum OutboxVerb {
    /// List deliveries, the newest first
    List(ListArgs),
    /// Show one delivery
    Show(ShowArgs),
    /// Send a dead letter again, or what waits for the end of a pause at once
    Retry(RetryArgs),
    /// Have a delivery not sent
    Drop(DropArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard outbox list --destination discord --state pending,dead-letter")]
pub(super) struct ListArgs {
    /// Only those in these states: pending, delivered, dead-letter, dropped
    #[arg(long, value_name = "STATES")]
    state: Option<String>,
    /// Only those to this destination
    #[arg(long, value_name = "NAME")]
    destination: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard outbox show d_1042_0")]
pub(super) struct ShowArgs {
    /// The delivery's id
    delivery: String,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard outbox retry d_1042_0")]
pub(super) struct RetryArgs {
    /// The delivery's id
    delivery: String,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard outbox drop d_1042_0 --reason \"the channel is gone\"")]
pub(super) struct DropArgs {
    /// The delivery's id
    delivery: String,
    /// Why; whoever looks at it later reads this
    #[arg(long, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &OutboxVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        OutboxVerb::List(args) => list(args, hub).await,
        OutboxVerb::Show(args) => {
            let delivery = hub.get(&["api", "v1", "outbox", id(&args.delivery)], &[]).await?;
            args.output.show(&delivery, || describe(&delivery, Clock::system().now()))
        }
        OutboxVerb::Retry(args) => order(hub, id(&args.delivery), "retry", &json!({}), args.output).await,
        OutboxVerb::Drop(args) => {
            order(hub, id(&args.delivery), "drop", &json!({ "reason": args.reason }), args.output).await
        }
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    query.extend(args.state.clone().map(|state| ("state", state)));
    query.extend(args.destination.clone().map(|destination| ("destination", destination)));
    let items = hub.list(&["api", "v1", "outbox"], &query, args.page.limit).await?;
    let empty = nothing(!query.is_empty(), "Nothing has to go out.");
    args.page.output.table(&items, (OUTBOX, Clock::system().now()), empty)
}

fn describe(delivery: &Value, now: Timestamp) -> String {
    let mut words = format!("delivery   {}  {}\n", text(delivery, "id"), text(delivery, "state"));
    let given = |path: &str| str_at(delivery, path).map(|_| text(delivery, path));
    let rows = [
        ("to", Some(format!("{}, lane {}", text(delivery, "destination"), text(delivery, "lane")))),
        ("what", given("summary")),
        ("key", given("idempotencyKey")),
        ("created", Some(format!("{} ago", ago(delivery, "createdAt", now)))),
        ("sent", Some(format!("{} times", text(delivery, "attempts")))),
        ("next", str_at(delivery, "notBefore").map(|at| until(at, now))),
        ("last error", given("lastError")),
        ("because", given("reason")),
        ("dropped", given("droppedBy").map(|by| format!("by {by}"))),
        ("receipt", given("receipt")),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            words.push_str(&format!("{name:<10} {}\n", value.replace('\n', " ")));
        }
    }
    words.trim_end().to_owned()
}

/// A delivery by its id, or by that of its item in the inbox.
fn id(given: &str) -> &str {
    let item = given.strip_prefix(InboxKind::DeadDelivery.as_str()).and_then(|rest| rest.strip_prefix(':'));
    item.unwrap_or(given)
}

async fn order(hub: &HubClient, id: &str, verb: &str, body: &Value, output: OutputArgs) -> Result<(), Problem> {
    let answer = hub.post(&["api", "v1", "outbox", id, verb], body).await?;
    output.show(&answer, || format!("Delivery `{}` is {} now.", text(&answer, "id"), text(&answer, "state")))
}
