//! `callboard usage`: what runs on call used. What a client did not say is `unknown`, and so is each sum with it.

use serde_json::Number;

use super::output::table::Column;
use super::prelude::*;

const UNKNOWN: &str = "unknown";

/// The parts of what was used that are added up.
const PARTS: [&str; 6] = ["inputTokens", "outputTokens", "cachedTokens", "costUsd", "turns", "durationMs"];

/// See what agents on call used: tokens, money, turns
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard usage
  callboard usage --since 30d --by day
  callboard usage --by task -o wide

Runs are counted by when they began. `unknown` is what a client did not say; a sum with it is unknown, too.")]
pub(super) struct UsageArgs {
    /// How far back, as 7d or 12h
    #[arg(long, value_name = "SPAN", default_value = "7d")]
    since: String,
    /// By what to sum up
    #[arg(long, default_value = "role", value_parser = ["role", "agent", "client", "task", "day"])]
    by: String,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &UsageArgs, hub: &HubClient) -> Result<(), Problem> {
    let query = [("since", args.since.clone()), ("by", args.by.clone())];
    let answer = hub.get(&["api", "v1", "usage"], &query).await?;
    let mut items = answer["items"].as_array().cloned().unwrap_or_default();
    if items.len() > 1 && !args.output.is_json() {
        items.push(total(&items));
    }
    let mut columns: Vec<Column<Value>> = vec![
        Column::new(head(&args.by), |item| text(item, "key")),
        Column::new("RUNS", |item| text(item, "runs")),
        Column::new("INPUT TOKENS", |item| used(item, "inputTokens")),
        Column::new("OUTPUT TOKENS", |item| used(item, "outputTokens")),
        Column::new("COST (USD)", cost),
        Column::wide("CACHED TOKENS", |item| used(item, "cachedTokens")),
        Column::wide("TURNS", |item| used(item, "turns")),
        Column::wide("MILLISECONDS", |item| used(item, "durationMs")),
    ];
    if args.by == "role" {
        columns.insert(5, Column::new("BUDGET", budget));
    }
    let none = format!("Nothing ran on call in the last {}.", args.since);
    args.output.list(&items.into(), &columns, &none)
}

fn head(by: &str) -> &'static str {
    match by {
        "agent" => "AGENT",
        "client" => "CLIENT",
        "task" => "TASK",
        "day" => "DAY (UTC)",
        _ => "ROLE",
    }
}

fn part<'a>(item: &'a Value, name: &str) -> Option<&'a Number> {
    at(item, "usage")?.get(name)?.as_number()
}

fn used(item: &Value, name: &str) -> String {
    at(item, "usage").and_then(|usage| at(usage, name)).map_or_else(|| UNKNOWN.to_owned(), plain)
}

fn cost(item: &Value) -> String {
    let cost = part(item, "costUsd").and_then(Number::as_f64);
    cost.map_or_else(|| UNKNOWN.to_owned(), |dollars| format!("{dollars:.2}"))
}

/// What a role may use, for one task and a day.
fn budget(item: &Value) -> String {
    let Some(budget) = at(item, "budget") else { return String::new() };
    let part = |name: &str, of: &str| Some(format!("{} a {of}", at(budget, name)?.as_str()?));
    let today = match at(item, "today").and_then(Value::as_str) {
        Some("day_used") => " (used up: people are asked)",
        Some("day_goes_on") => " (used up, and goes on today)",
        Some("day_stops") => " (used up, and stopped for today)",
        Some(_) | None => "",
    };
    let parts: Vec<String> = [part("perTask", "task"), part("perDay", "day")].into_iter().flatten().collect();
    format!("{}{today}", parts.join(", "))
}

/// All rows together; a part that one row does not know is not known.
fn total(items: &[Value]) -> Value {
    let sum = |name: &str| match name {
        "costUsd" => items.iter().map(|item| part(item, name)?.as_f64()).sum::<Option<f64>>().map(Value::from),
        _ => items.iter().map(|item| part(item, name)?.as_u64()).sum::<Option<u64>>().map(Value::from),
    };
    let usage: serde_json::Map<String, Value> =
        PARTS.iter().map(|name| ((*name).to_owned(), sum(name).unwrap_or_default())).collect();
    let runs: u64 = items.iter().filter_map(|item| item["runs"].as_u64()).sum();
    json!({ "key": "all", "runs": runs, "usage": usage })
}

#[cfg(test)]
mod tests;
