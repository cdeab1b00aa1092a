//! `callboard review …`: what is to be judged; one of them, its change, and its threads.

use super::cells::{change_size, review_state};
use super::columns::REVIEWS;
use super::prelude::*;
use super::values::task_id;

#[derive(Debug, Subcommand)]
pub(super) enum ReviewVerb {
    List(ListArgs),
    Show(ShowArgs),
    Resolve(ResolveArgs),
}

/// List reviews, the one that was opened last first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard review list
  callboard review list --state all --agent fullstack-1")]
pub(super) struct ListArgs {
    /// Only those that stand so
    #[arg(long, default_value = "open",
        value_parser = ["open", "changes_requested", "approved", "withdrawn", "all"])]
    state: String,
    /// Only those that this agent handed in
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

/// Show a review, or print its change
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard review show TASK
  callboard review show TASK --diff | less
  callboard task approve TASK")]
pub(super) struct ShowArgs {
    /// The task's id, or how it begins
    #[arg(value_parser = task_id)]
    task: String,
    /// Print the change itself
    #[arg(long)]
    diff: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Settle a thread of comments
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard review resolve TASK COMMENT --response \"renamed\"")]
pub(super) struct ResolveArgs {
    /// The task's id, or at least four characters of its beginning
    #[arg(value_parser = task_id)]
    task: String,
    /// A comment of the thread, as `callboard review show` names it
    comment: String,
    /// What was done about it
    #[arg(long, value_name = "TEXT")]
    response: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &ReviewVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        ReviewVerb::List(args) => list(args, hub).await,
        ReviewVerb::Show(ShowArgs { task, diff: true, .. }) => {
            let task = &to_look(hub, NamedKind::Review, task).await?;
            let review = hub.get(&["api", "v1", "reviews", task], &[]).await?;
            let diff = hub.text(&["api", "v1", "reviews", task, "diff"]).await?;
            say(&with_warning(&review, &diff))
        }
        ReviewVerb::Show(ShowArgs { task, output, .. }) => {
            let task = &to_look(hub, NamedKind::Review, task).await?;
            let review = hub.get(&["api", "v1", "reviews", task], &[]).await?;
            output.show(&review, || describe(&review, Clock::system().now()))
        }
        ReviewVerb::Resolve(ResolveArgs { task, comment, response, output }) => {
            let task = &to_change(hub, NamedKind::Review, task).await?;
            let mut body = json!({ "commentId": comment });
            if let Some(response) = response {
                body["response"] = json!(response);
            }
            let after = hub.post(&["api", "v1", "reviews", task, "resolve"], &body).await?;
            output.show(&after, || format!("The thread of comment `{comment}` on task `{task}` is settled."))
        }
    }
}

async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = vec![("state", args.state.clone())];
    query.extend(args.agent.clone().map(|agent| ("agent", agent)));
    let reviews = hub.list(&["api", "v1", "reviews"], &query, args.page.limit).await?;
    let chosen = args.state != "open" || args.agent.is_some();
    let empty = nothing(chosen, "No reviews. Nothing waits for your judgement.");
    args.page.output.table(&reviews, (REVIEWS, Clock::system().now()), empty)
}

/// A change with what is to be known of it first: what reads a diff skips lines before its first header.
fn with_warning(review: &Value, diff: &str) -> String {
    let said = beware(review).map(|words| format!("BEWARE: {words}\n\n")).unwrap_or_default();
    format!("{said}{}", for_terminal(diff))
}

fn beware(review: &Value) -> Option<&'static str> {
    match str_at(review, "diffFrom")? {
        "forge_against_agent" => Some("the agent handed in another diff; shown is the pull request's change"),
        "agent" => Some("the diff is the agent's own, and was compared with nothing: look at the pull request itself"),
        _ => None,
    }
}

/// A review in words. What people and agents wrote is indented, so that none of it passes for the hub's own.
fn describe(review: &Value, now: Timestamp) -> String {
    let mut words = format!("review    {}  {}\n", text(review, "taskId"), review_state(review));
    let mut row = |name: &str, value: String| words.push_str(&format!("{name:<9} {value}\n"));
    if str_at(review, "title").is_some() {
        row("title", text(review, "title").replace('\n', " "));
    }
    row("by", format!("{}, round {}", text(review, "agentId"), text(review, "round")));
    row("since", format!("{} ago", ago(review, "submittedAt", now)));
    row("change", change_size(review));
    if str_at(review, "prUrl").is_some() {
        row("pr", text(review, "prUrl"));
    }
    if at(review, "diff.hidden").and_then(Value::as_u64).is_some_and(|hidden| hidden > 0) {
        row("BEWARE", format!("{} hidden characters are shown as \\u{{…}}", text(review, "diff.hidden")));
    }
    if let Some(words) = beware(review) {
        row("BEWARE", words.to_owned());
    }
    for file in items(review, "diff.changes") {
        row("", format!("+{} -{} {}", text(file, "added"), text(file, "removed"), text(file, "path")));
    }
    for round in items(review, "rounds") {
        words.push_str(&format!("\nround {} by {}\n", text(round, "number"), text(round, "agentId")));
        words.push_str(&indented(str_at(round, "message").unwrap_or_default()));
        words.push_str(&str_at(round, "notes").map(indented).unwrap_or_default());
        for verdict in items(round, "verdicts") {
            let back = if at(verdict, "takenBack").is_some() { ", taken back on the forge" } else { "" };
            words.push_str(&format!("  {} by {}{back}\n", text(verdict, "verdict"), text(verdict, "by.displayName")));
            words.push_str(&str_at(verdict, "message").map(indented).unwrap_or_default());
        }
    }
    for comment in items(review, "comments") {
        let place = match (at(comment, "file"), at(comment, "line")) {
            (Some(_), Some(_)) => format!(" at {}:{}", text(comment, "file"), text(comment, "line")),
            (Some(_), None) => format!(" at {}", text(comment, "file")),
            (None, _) => String::new(),
        };
        let settled = if at(comment, "resolved").is_some() { ", settled" } else { "" };
        let who = text(comment, "from.displayName");
        words.push_str(&format!("\n{} by {who}{place}{settled}\n", text(comment, "id")));
        words.push_str(&indented(str_at(comment, "text").unwrap_or_default()));
    }
    words
}

fn items<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn indented(text: &str) -> String {
    for_terminal(text).lines().map(|line| format!("    {line}\n")).collect()
}

#[cfg(test)]
mod tests;
