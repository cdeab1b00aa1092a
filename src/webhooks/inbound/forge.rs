//! Payloads of GitHub, and of Gitea and Forgejo, which write the same fields.
//!
//! Agents read only names of branches, titles and logins, cleaned, cut and quoted. Review texts are kept apart.

use reqwest::Url;
use serde_json::Value;

use super::not_taken::NotTaken;
use super::tracker::{author, comment_text, find, item_of, said};
use crate::domain::hook::{Change, HookEvent, ItemComment, PullSaid, SaidReview, Touched};
use crate::domain::pull::{PullState, Verdict};
use crate::domain::text::{check_link, clean, quoted};
use crate::domain::time::Timestamp;
use crate::domain::work_item::WorkItem;

/// How much of a text by somebody outside is told of a change, in characters.
const TOLD: usize = 80;
/// How many work items a pull request may be about, as it says itself.
const MENTIONS: usize = 20;
/// How many pull requests a check may be about.
const CHECKED: usize = 20;
/// The longest title that is kept, in bytes.
const TITLE: usize = 1_000;

/// The forge's own name of a comment or review: deliveries from organisation and repository with the same are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverySubject {
    /// The host of the forge, where the delivery says it: then the name means the same whichever source it comes from.
    pub host: Option<String>,
    pub name: String,
}

/// By the shape of the payload. The header that names the event is not signed, so it is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Event {
    Review,
    Comment,
    Check(&'static str),
    PullRequest,
    Push,
    Repository,
}

impl Event {
    fn of(payload: &Value) -> Option<Self> {
        let has = |path| find(payload, path).is_some_and(Value::is_object);
        if has("comment") {
            // A comment on a line of a change, on a commit or in a discussion is none on a work item.
            return has("issue").then_some(Self::Comment);
        }
        if has("review") {
            return has("pull_request").then_some(Self::Review);
        }
        if let Some(of) = ["check_run", "workflow_run"].into_iter().find(|of| has(of)) {
            return Some(Self::Check(of));
        }
        if has("pull_request") {
            return Some(Self::PullRequest);
        }
        let commits = find(payload, "commits").is_some_and(Value::is_array);
        if commits && !text(payload, "ref").is_empty() {
            return Some(Self::Push);
        }
        has("repository").then_some(Self::Repository)
    }
}

pub(super) fn heard(payload: &Value) -> Result<Option<HookEvent>, NotTaken> {
    let action = text(payload, "action");
    let change = match (Event::of(payload), action) {
        (Some(Event::Comment), "created" | "edited") => return comment(payload, action == "edited"),
        (Some(Event::Repository), "renamed" | "transferred") => return Ok(renamed(payload)),
        (
            Some(Event::PullRequest),
            "opened" | "closed" | "reopened" | "ready_for_review" | "converted_to_draft" | "edited",
        ) => Some(pull_request(payload, action)?),
        (Some(Event::Review), _) => verdict(payload, action).map(|verdict| review(payload, verdict)).transpose()?,
        (Some(Event::Check(of)), "completed") => checked(payload, of)?,
        (Some(Event::Push), "") => push(payload)?,
        (Some(_) | None, _) => None,
    };
    Ok(change.map(|change| HookEvent::Change { change: Box::new(change) }))
}

/// Which way a review goes: GitHub says it by the state of the review, Gitea and Forgejo by its type.
fn verdict(payload: &Value, action: &str) -> Option<Verdict> {
    let state = text(payload, "review.state").to_ascii_lowercase();
    match (action, state.as_str(), text(payload, "review.type")) {
        ("submitted", "approved", _) | ("reviewed", _, "pull_request_review_approved") => Some(Verdict::Approved),
        ("submitted", "changes_requested", _) | ("reviewed", _, "pull_request_review_rejected") => {
            Some(Verdict::ChangesRequested)
        }
        ("submitted", "commented", _) | ("reviewed", _, "pull_request_review_comment" | "pull_request_comment") => {
            Some(Verdict::Commented)
        }
        ("dismissed", _, _) => Some(Verdict::Dismissed),
        _ => None,
    }
}

pub(super) fn told(payload: &Value) -> Option<DeliverySubject> {
    let (kind, id) = ["comment", "review"].into_iter().find_map(|kind| {
        let id = find(payload, &format!("{kind}.id")).and_then(Value::as_u64)?;
        Some((kind, id))
    })?;
    let repository = text(payload, "repository.full_name").to_lowercase();
    let host = host_of(text(payload, &format!("{kind}.html_url")));
    // The dismissal of a review is another one than the review.
    let taken_back = if text(payload, "action") == "dismissed" { " dismissed" } else { "" };
    Some(DeliverySubject { host, name: format!("{kind} {id} in {repository}{taken_back}") })
}

/// The host of a link, with a port that is not the usual one.
pub fn host_of(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}{port}", url.host_str()?))
}

/// How a comment of a forge is called everywhere.
pub fn comment_id(link: &str, id: u64, repository: &str) -> String {
    format!("{} comment {id} in {}", host_of(link).unwrap_or_default(), repository.to_lowercase())
}

fn comment(payload: &Value, edited: bool) -> Result<Option<HookEvent>, NotTaken> {
    let before = find(payload, "changes.body.from").and_then(Value::as_str);
    if edited && before == Some(said(payload, "comment.body")?) {
        return Ok(None);
    }
    let number = number(payload, "issue.number")?;
    let item = item_of("repository.full_name", &format!("{}#{number}", repository(payload)?))?;
    // Whoever may moderate there edits what others wrote: those are the words of who edited them.
    let editor = Some("sender").filter(|_| edited && !text(payload, "sender.login").is_empty());
    let writer = editor.unwrap_or("comment.user");
    let login = format!("{writer}.login");
    let comment = ItemComment {
        item,
        id: find(payload, "comment.id")
            .and_then(Value::as_u64)
            .map(|id| comment_id(text(payload, "comment.html_url"), id, text(payload, "repository.full_name"))),
        edited,
        author: author(&login, said(payload, &login)?)?,
        by_program: is_program(payload, "comment", writer),
        text: comment_text(said(payload, "comment.body")?),
        at: Timestamp::parse(text(payload, if edited { "comment.updated_at" } else { "comment.created_at" })),
    };
    Ok(Some(HookEvent::Comment { comment: Box::new(comment) }))
}

/// A repository that has another name or another owner now; none where the payload does not say what it was called.
fn renamed(payload: &Value) -> Option<HookEvent> {
    let to = repository(payload).ok()?;
    let (owner, name) = to.split_once('/')?;
    let was = |path: &str| Some(text(payload, path)).filter(|was| !was.is_empty());
    let owner_was = was("changes.owner.from.user.login").or_else(|| was("changes.owner.from.organization.login"));
    let from = format!("{}/{}", owner_was.unwrap_or(owner), was("changes.repository.name.from").unwrap_or(name));
    WorkItem::parse(&from).ok().filter(|_| from != to).map(|_| HookEvent::Renamed { from, to: to.to_owned() })
}

fn pull_request(payload: &Value, action: &str) -> Result<Change, NotTaken> {
    let merged = find(payload, "pull_request.merged").and_then(Value::as_bool).unwrap_or_default();
    let (what, echoes) = match action {
        "closed" if merged => ("was merged", false),
        "closed" => ("was closed without a merge", false),
        "reopened" => ("was opened again", false),
        "ready_for_review" => ("is ready for review", true),
        "converted_to_draft" => ("is a draft again", true),
        "edited" => ("was changed", true),
        _ => ("was opened", true),
    };
    let mut change = about_pull_request(payload, what)?;
    change.echoes = echoes;
    if matches!(action, "edited" | "converted_to_draft") {
        // No news to who only works on what its text mentions.
        change.items.truncate(1);
    }
    Ok(change)
}

fn review(payload: &Value, verdict: Verdict) -> Result<Change, NotTaken> {
    let what = match verdict {
        Verdict::Approved => "was approved",
        Verdict::ChangesRequested => "was sent back with requests for changes",
        Verdict::Commented => "was reviewed with comments",
        Verdict::Dismissed => "lost a review, which was dismissed",
    };
    let change = about_pull_request(payload, what)?;
    // On Gitea only the sender is named.
    let by = ["review.user.login", "sender.login"].into_iter().find(|path| !text(payload, path).is_empty());
    let by = by.unwrap_or("review.user.login");
    let words = ["review.body", "review.content"].map(|path| text(payload, path)).concat();
    let url = Some(text(payload, "review.html_url")).filter(|url| check_link(url).is_ok());
    let commit =
        ["review.commit_id", "commit_id"].map(|path| text(payload, path)).into_iter().find(|id| !id.is_empty());
    let review = SaidReview {
        verdict,
        author: author(by, said(payload, by)?)?,
        by_program: is_program(payload, "review", if by == "sender.login" { "sender" } else { "review.user" }),
        text: comment_text(&words),
        url: url.map(str::to_owned),
        at: Timestamp::parse(text(payload, "review.submitted_at")),
        commit: commit.map(str::to_owned),
    };
    Ok(Change { review: Some(review), ..change })
}

fn about_pull_request(payload: &Value, what: &str) -> Result<Change, NotTaken> {
    let repository = repository(payload)?;
    let number = number(payload, "pull_request.number")?;
    let mut items: Vec<WorkItem> = WorkItem::numbered(repository, number).into_iter().collect();
    let texts = [text(payload, "pull_request.title"), text(payload, "pull_request.body")];
    let mentioned = texts.into_iter().flat_map(mentions);
    items.extend(mentioned.take(MENTIONS).filter_map(|number| WorkItem::numbered(repository, number)));
    let by = quoted(text(payload, "sender.login"), TOLD);
    let title = quoted(text(payload, "pull_request.title"), TOLD);
    let sentence = format!("pull request {repository}#{number} {what} by {by}: {title}");
    let is_own = text(payload, "pull_request.head.repo.full_name").eq_ignore_ascii_case(repository);
    let branch = Some(text(payload, "pull_request.head.ref")).filter(|branch| is_own && !branch.is_empty());
    let url = Some(text(payload, "pull_request.html_url")).filter(|url| is_page_of(url, repository, number));
    let (branch, url) = (branch.map(str::to_owned), url.map(str::to_owned));
    Ok(Change {
        repository: repository.to_owned(),
        items,
        text: sentence,
        touched: Touched { numbers: vec![number], branch, url },
        said: pull_said(payload),
        ..Change::default()
    })
}

/// Whether a link is the page of this pull request: a source names no others, whatever else stands in its payload.
fn is_page_of(link: &str, repository: &str, number: u64) -> bool {
    let path = Url::parse(link).map(|url| url.path().trim_end_matches('/').to_lowercase()).unwrap_or_default();
    let ends = ["pull", "pulls"].map(|pulls| format!("/{repository}/{pulls}/{number}").to_lowercase());
    check_link(link).is_ok() && ends.iter().any(|end| path.ends_with(end))
}

/// How the payload says that the pull request looks.
fn pull_said(payload: &Value) -> Option<PullSaid> {
    let flag = |path| find(payload, path).and_then(Value::as_bool).unwrap_or_default();
    let state = match text(payload, "pull_request.state") {
        "open" => PullState::Open,
        "closed" if flag("pull_request.merged") => PullState::Merged,
        "closed" => PullState::Closed,
        _ => return None,
    };
    let title = clean(text(payload, "pull_request.title"), TITLE).text;
    let at = Timestamp::parse(text(payload, "pull_request.updated_at"));
    Some(PullSaid { title, draft: flag("pull_request.draft"), state, at })
}

/// A check or a run of a workflow that ended. Good ends of single checks are many, and say little before the last.
fn checked(payload: &Value, of: &str) -> Result<Option<Change>, NotTaken> {
    let repository = repository(payload)?.to_owned();
    let field = |field: &str| text(payload, &format!("{of}.{field}"));
    let conclusion = field("conclusion");
    if of == "check_run" && matches!(conclusion, "success" | "neutral" | "skipped") {
        return Ok(None);
    }
    let branch = Some(field("check_suite.head_branch")).filter(|branch| !branch.is_empty());
    let branch = branch.unwrap_or_else(|| field("head_branch"));
    let what = if of == "check_run" { "check" } else { "workflow" };
    let [name, shown, end] = [field("name"), branch, conclusion].map(|text| quoted(text, TOLD));
    let sentence = format!("the {what} {name} in {repository} ended on branch {shown}: {end}");
    // A branch of the same name in somebody's fork is another one.
    let fork = field("head_repository.full_name");
    let is_own = !branch.is_empty() && (fork.is_empty() || fork.eq_ignore_ascii_case(&repository));
    let branch = is_own.then(|| branch.to_owned());
    let touched = Touched { numbers: checked_pulls(payload, of), branch, url: None };
    Ok(Some(Change { repository, text: sentence, touched, ..Change::default() }))
}

/// The numbers of the pull requests that a check is about. Of those of a fork some are in the repository it came from.
fn checked_pulls(payload: &Value, of: &str) -> Vec<u64> {
    let own = find(payload, "repository.id").and_then(Value::as_u64);
    let all = find(payload, &format!("{of}.pull_requests")).and_then(Value::as_array);
    let is_own = |pull: &&Value| {
        let base = find(pull, "base.repo.id").and_then(Value::as_u64);
        base.is_none() || base == own
    };
    let numbers = all.into_iter().flatten().filter(is_own).filter_map(|pull| find(pull, "number")?.as_u64());
    numbers.take(CHECKED).collect()
}

fn push(payload: &Value) -> Result<Option<Change>, NotTaken> {
    let repository = repository(payload)?.to_owned();
    let reference = said(payload, "ref")?;
    let branch = reference.strip_prefix("refs/heads/");
    let shown = quoted(branch.unwrap_or(reference), TOLD);
    let commits = find(payload, "commits").and_then(Value::as_array).map_or(0, Vec::len);
    let by = quoted(text(payload, "sender.login"), TOLD);
    let sentence = format!("{by} pushed to branch {shown} of {repository}: {commits} commits");
    let touched = Touched { branch: branch.map(str::to_owned), ..Touched::default() };
    Ok(Some(Change { repository, text: sentence, touched, ..Change::default() }))
}

/// Whether a program wrote it, as far as the payload says: one that writes in a person's name says so beside it.
fn is_program(payload: &Value, of: &str, by: &str) -> bool {
    let through = find(payload, &format!("{of}.performed_via_github_app")).is_some_and(Value::is_object);
    let kind = text(payload, &format!("{by}.type"));
    through || (!kind.is_empty() && kind != "User")
}

fn text<'a>(payload: &'a Value, path: &str) -> &'a str {
    find(payload, path).and_then(Value::as_str).unwrap_or_default()
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

fn mentions(text: &str) -> impl Iterator<Item = u64> {
    text.split('#').skip(1).filter_map(|rest| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest.get(..digits)?.parse().ok()
    })
}
