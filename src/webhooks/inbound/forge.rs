//! Payloads of GitHub, and of Gitea and Forgejo, which write the same fields.
//!
//! Of texts by strangers only names of branches, titles and logins go into what an agent reads of a change; each is
//! cleaned, cut short and quoted.

use serde_json::Value;

use super::not_taken::NotTaken;
use super::tracker::{author, comment_text, find, item_of, said};
use crate::domain::hook::{Change, Heard, ItemComment, NamedIn, is_own};
use crate::domain::text::{clean, shorten};
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

/// How much of a text by somebody outside is told of a change, in characters.
const TOLD: usize = 80;
/// How many work items a pull request may be about, as it says itself.
const MENTIONS: usize = 20;

/// What a delivery of this event says; none where nobody here acts on it.
pub(super) fn heard(event: Option<&str>, payload: &Value) -> Result<Option<Heard>, NotTaken> {
    let action = find(payload, "action").and_then(Value::as_str).unwrap_or_default();
    let change = match (event.unwrap_or_default(), action) {
        ("issue_comment" | "pull_request_comment", "created") => return comment(payload),
        ("pull_request", "opened" | "closed" | "reopened" | "ready_for_review") => pull_request(payload, action)?,
        ("pull_request_review", "submitted") => review(payload, state(payload))?,
        // Gitea has an event for each verdict.
        ("pull_request_approved", _) => review(payload, "approved")?,
        ("pull_request_rejected", _) => review(payload, "changes_requested")?,
        ("check_run", "completed") => checked(payload, "check_run", "name")?,
        ("workflow_run", "completed") => checked(payload, "workflow_run", "name")?,
        ("push", _) => push(payload)?,
        _ => None,
    };
    Ok(change.map(|change| Heard::Change { change: Box::new(change) }))
}

fn comment(payload: &Value) -> Result<Option<Heard>, NotTaken> {
    if is_own(said(payload, "comment.body")?) {
        return Ok(None);
    }
    let number = number(payload, "issue.number")?;
    let item = item_of("repository.full_name", &format!("{}#{number}", repository(payload)?))?;
    let kind = find(payload, "comment.user.type").and_then(Value::as_str);
    // A program that writes in a person's name says so here.
    let through = find(payload, "comment.performed_via_github_app").is_some_and(Value::is_object);
    let comment = ItemComment {
        item,
        author: author("comment.user.login", said(payload, "comment.user.login")?)?,
        named_in: NamedIn::Forge,
        by_program: through || kind.is_some_and(|kind| !kind.is_empty() && kind != "User"),
        text: comment_text(said(payload, "comment.body")?),
        at: find(payload, "comment.created_at").and_then(Value::as_str).and_then(Timestamp::parse),
    };
    Ok(Some(Heard::Comment { comment: Box::new(comment) }))
}

fn pull_request(payload: &Value, action: &str) -> Result<Option<Change>, NotTaken> {
    let merged = find(payload, "pull_request.merged").and_then(Value::as_bool).unwrap_or_default();
    let what = match action {
        "closed" if merged => "was merged",
        "closed" => "was closed without a merge",
        "reopened" => "was opened again",
        "ready_for_review" => "is ready for review",
        _ => "was opened",
    };
    about_pull_request(payload, what).map(Some)
}

fn state(payload: &Value) -> &str {
    find(payload, "review.state").and_then(Value::as_str).unwrap_or_default()
}

fn review(payload: &Value, verdict: &str) -> Result<Option<Change>, NotTaken> {
    let what = match verdict {
        "approved" => "was approved",
        "changes_requested" => "was sent back with requests for changes",
        "commented" => "was reviewed with comments",
        _ => return Ok(None),
    };
    about_pull_request(payload, what).map(Some)
}

fn about_pull_request(payload: &Value, what: &str) -> Result<Change, NotTaken> {
    let repository = repository(payload)?;
    let number = number(payload, "pull_request.number")?;
    let text = |path| find(payload, path).and_then(Value::as_str).unwrap_or_default();
    let mut items: Vec<WorkItem> = WorkItem::numbered(repository, number).into_iter().collect();
    let mentioned = [text("pull_request.title"), text("pull_request.body")].into_iter().flat_map(mentions);
    items.extend(mentioned.take(MENTIONS).filter_map(|number| WorkItem::numbered(repository, number)));
    let by = told(text("sender.login"));
    let title = told(text("pull_request.title"));
    let text = format!("pull request {repository}#{number} {what} by {by}: {title}");
    Ok(Change { repository: repository.to_owned(), items, text })
}

/// A check or a run of a workflow that ended. Good ends of single checks are many, and say little before the last.
fn checked(payload: &Value, of: &str, name: &str) -> Result<Option<Change>, NotTaken> {
    let repository = repository(payload)?.to_owned();
    let text = |field: &str| find(payload, &format!("{of}.{field}")).and_then(Value::as_str).unwrap_or_default();
    let conclusion = text("conclusion");
    if of == "check_run" && matches!(conclusion, "success" | "neutral" | "skipped") {
        return Ok(None);
    }
    let branch = find(payload, &format!("{of}.check_suite.head_branch")).and_then(Value::as_str);
    let branch = told(branch.unwrap_or_else(|| text("head_branch")));
    let what = if of == "check_run" { "check" } else { "workflow" };
    let (name, conclusion) = (told(text(name)), told(conclusion));
    let text = format!("the {what} {name} in {repository} ended on branch {branch}: {conclusion}");
    Ok(Some(Change { repository, items: Vec::new(), text }))
}

fn push(payload: &Value) -> Result<Option<Change>, NotTaken> {
    let repository = repository(payload)?.to_owned();
    let reference = said(payload, "ref")?;
    let branch = told(reference.strip_prefix("refs/heads/").unwrap_or(reference));
    let commits = find(payload, "commits").and_then(Value::as_array).map_or(0, Vec::len);
    let by = told(find(payload, "sender.login").and_then(Value::as_str).unwrap_or_default());
    let text = format!("{by} pushed to branch {branch} of {repository}: {commits} commits");
    Ok(Some(Change { repository, items: Vec::new(), text }))
}

/// `owner/repo`, which is safe to repeat.
fn repository(payload: &Value) -> Result<&str, NotTaken> {
    let field = "repository.full_name";
    let name = said(payload, field)?;
    item_of(field, name).map(|_| name)
}

fn number(payload: &Value, path: &str) -> Result<u64, NotTaken> {
    let wrong = || NotTaken::Field { field: path.to_owned(), what: "must be a number".to_owned() };
    find(payload, path).and_then(Value::as_u64).ok_or_else(wrong)
}

/// The numbers behind `#` in a text.
fn mentions(text: &str) -> impl Iterator<Item = u64> {
    text.split('#').skip(1).filter_map(|rest| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest.get(..digits)?.parse().ok()
    })
}

/// A stranger's words as they stand in a notice: short, in one line, in quotes.
fn told(given: &str) -> String {
    format!("`{}`", shorten(&clean(given, 4 * TOLD).text.replace('`', "'"), TOLD))
}
