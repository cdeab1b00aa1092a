//! `callboard inbox`: what needs you, the most pressing first.

use clap::Args;
use serde_json::{Value, json};

use super::client::HubClient;
use super::output::cell::{ago, line, str_at, text, until};
use super::output::table::Column;
use super::output::{OutputArgs, nothing, say, say_json, show_list};
use super::problem::Problem;
use super::values::at_least_one;
use crate::clock::Clock;
use crate::domain::inbox::InboxKind;
use crate::domain::time::Timestamp;

/// List what needs you: questions, reviews, blocked tasks, dead letters
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard inbox
  callboard inbox --kind review --kind question
  callboard inbox --agent fullstack-1 --limit 500 -o wide")]
pub(super) struct InboxArgs {
    /// Only this sort; may be given more than once
    #[arg(long, value_name = "KIND", value_parser = kind)]
    kind: Vec<InboxKind>,
    /// Only what is about this agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_parser = at_least_one)]
    limit: usize,
    #[command(flatten)]
    output: OutputArgs,
}

/// Lists it.
pub(super) async fn run(args: &InboxArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    if !args.kind.is_empty() {
        query.push(("kind", args.kind.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(",")));
    }
    query.extend(args.agent.clone().map(|agent| ("agent", agent)));
    let (items, total) = hub.counted_list(&["api", "v1", "inbox"], &query, args.limit).await?;
    if args.output.is_json() {
        return say_json(&json!({"items": items, "total": total}));
    }
    show_list(&items, &columns(Clock::system().now()), args.output, nothing(!query.is_empty(), "Nothing needs you."))?;
    let more = total.saturating_sub(items.len());
    if more == 0 { Ok(()) } else { say(&format!("and {more} more: callboard inbox --limit {total}")) }
}

fn columns(now: Timestamp) -> [Column<Value>; 9] {
    [
        Column::new("ITEM", |item| text(item, "id")),
        Column::new("AGENT", |item| text(item, "agentId")),
        Column::new("SINCE", move |item| ago(item, "since", now)),
        Column::new("DUE", move |item| str_at(item, "deadline").map_or("–".to_owned(), |at| until(at, now))),
        Column::new("WAITS", |item| text(item, "cost.waits")),
        Column::new("BEHIND", |item| text(item, "cost.standsStill")),
        Column::wide("PRIORITY", |item| text(item, "priority")),
        Column::wide("CAN", |item| text(item, "actions")),
        Column::new("WHY", |item| {
            let (title, why) = (str_at(item, "title").unwrap_or_default(), str_at(item, "reason").unwrap_or_default());
            headed(&line(title, 30), &line(why, 60))
        }),
    ]
}

/// A title before what it heads. One that ends a sentence, as an input prompt does that says `Name:`, needs no colon.
fn headed(title: &str, rest: &str) -> String {
    let between = if title.is_empty() || title.ends_with([':', ';', ',', '.', '?', '!']) { "" } else { ":" };
    format!("{title}{between} {rest}").trim_start().to_owned()
}

/// Reads a sort in any case, with `-` for `_`.
fn kind(text: &str) -> Result<InboxKind, String> {
    InboxKind::parse(&text.to_lowercase().replace('-', "_")).ok_or_else(|| {
        let known: Vec<_> = InboxKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("`{text}` is no sort of item: {}", known.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::output::table::table;

    #[test]
    fn a_title_that_ends_a_sentence_gets_no_second_sign() {
        let why = &columns(Timestamp(0))[8..];
        for (title, shown) in [
            ("Name:", "Name: its program waits"),
            ("Deploy now?", "Deploy now? its program waits"),
            ("Build the shop", "Build the shop: its program waits"),
            ("", "its program waits"),
        ] {
            let item = json!({ "title": title, "reason": "its program waits" });
            assert_eq!(table(why, &[item], false, false), format!("WHY\n{shown}\n"));
        }
    }
}
