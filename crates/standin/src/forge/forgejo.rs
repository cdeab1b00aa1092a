//! What Forgejo and Gitea answer: strict about headers, routes, fields and branches. A page is shorter than what is
//! asked for, as on an instance that caps it.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use super::wire::{Answer, Answered, admitted, decoded, fields, header, listed, page, pull, query, refused, text};
use super::world::{Pull, Repository, Review, World};
use crate::time::Timestamp;

/// How many are on a page: the default, and the most.
const PAGE: (usize, usize) = (10, 20);
/// The beginnings of a title that mark a draft.
const DRAFT: [&str; 2] = ["wip:", "[wip]"];
/// The review that all threads of comments belong to.
const COMMENTING: u64 = 900;

/// Answers a request that no fault met.
pub(super) fn answered(world: &mut World, request: &Request<Bytes>, path: &str) -> Answered {
    admitted(world, request, "token")?;
    if header(request, "accept") != "application/json" {
        return Err(refused(406, "only JSON is answered"));
    }
    let path = path.strip_prefix("/api/v1/").ok_or_else(|| refused(404, "page not found"))?;
    let parts: Vec<String> = path.split('/').map(decoded).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    match (request.method(), parts.as_slice()) {
        (&Method::GET, ["user"]) => Ok(Answer::new(200, json!({"login": "callboard-bot"}))),
        (_, ["repos", owner, name, rest @ ..]) => {
            let full = format!("{owner}/{name}");
            let known =
                world.repositories.get_mut(&full).ok_or_else(|| refused(404, "The target couldn't be found."))?;
            of_repository(known, request, &full, rest)
        }
        (_, _) => Err(refused(404, "page not found")),
    }
}

fn of_repository(repository: &mut Repository, request: &Request<Bytes>, full: &str, rest: &[&str]) -> Answered {
    let of_list = |all: Vec<Value>| {
        let (body, total) = page(request, "limit", PAGE, all);
        Ok(Answer { total: Some(total), ..Answer::new(200, body) })
    };
    match (request.method(), rest) {
        (&Method::GET, []) => {
            let permissions = json!({"pull": true, "push": repository.may_push, "admin": false});
            let body = json!({"full_name": full, "default_branch": repository.default_branch, "archived": false,
                "has_pull_requests": true, "permissions": permissions});
            Ok(Answer::new(200, body))
        }
        (&Method::GET, ["pulls"]) => {
            // Older instances do not know `head`, and list all.
            let query = query(request, &["state", "sort", "page", "limit", "head"])?;
            of_list(listed(repository, &query, |_| true).map(|pull| shown(pull, full)).collect())
        }
        (&Method::POST, ["pulls"]) => opened(repository, full, request),
        (&Method::PATCH, ["pulls", number]) => changed(pull(repository, number)?, full, request),
        (&Method::POST, ["pulls", number, "merge"]) => merged(pull(repository, number)?, request),
        (&Method::GET, ["pulls", named]) if named.ends_with(".diff") => {
            let pull = pull(repository, named.trim_end_matches(".diff"))?;
            Ok(Answer::plain(pull.diff(&pull.commit)))
        }
        (&Method::GET, ["pulls", number]) => {
            let pull = pull(repository, number)?;
            let answer = Answer::new(200, shown(pull, full));
            pull.pondered = pull.pondered.saturating_sub(1);
            Ok(answer)
        }
        (&Method::GET, ["pulls", number, "commits"]) => {
            query(request, &["page", "limit", "files", "verification"])?;
            of_list(vec![json!({"sha": pull(repository, number)?.commit}), json!({"sha": "1".repeat(40)})])
        }
        (&Method::GET, ["pulls", number, "reviews"]) => {
            query(request, &["page", "limit"])?;
            let number = pull(repository, number)?.number;
            of_list(reviews(repository, number))
        }
        (&Method::GET, ["collaborators", who, "permission"]) => {
            let permission = match repository.permission(who) {
                "triage" => "read",
                other => other,
            };
            Ok(Answer::new(200, json!({"permission": permission, "role_name": permission, "user": {"login": who}})))
        }
        (&Method::GET, ["issues", number, "timeline"]) => {
            query(request, &["page", "limit"])?;
            let changed = pull(repository, number)?.base_changed_at;
            let shown = |at: &Timestamp| json!({"type": "change_target_branch", "created_at": at.to_string()});
            of_list(changed.iter().map(shown).collect())
        }
        (&Method::GET, ["pulls", number, "reviews", id, "comments"]) if *id == COMMENTING.to_string() => {
            Ok(Answer::new(200, comments(pull(repository, number)?)))
        }
        // The newest first, and each context once.
        (&Method::GET, ["commits", commit, "status"]) => {
            query(request, &["page", "limit"])?;
            let statuses = repository.checks(commit).into_iter().map(
                |(name, conclusion)| json!({"context": name, "status": conclusion.as_deref().unwrap_or("pending")}),
            );
            let (statuses, total) = page(request, "limit", PAGE, statuses.collect());
            // It is null where there is none.
            let statuses = if statuses == json!([]) { Value::Null } else { statuses };
            let body = json!({"state": "pending", "statuses": statuses, "total_count": total});
            Ok(Answer { total: Some(total), ..Answer::new(200, body) })
        }
        (&Method::GET, ["compare", range]) => compared(repository, range),
        (&Method::GET, ["pulls", base, head @ ..]) => by_branches(repository, base, &head.join("/"), full),
        (_, _) => Err(refused(404, "page not found")),
    }
}

/// How many commits a branch lacks of another one.
fn compared(repository: &Repository, range: &str) -> Answered {
    let (base, commit) = range.split_once("...").unwrap_or_default();
    if !repository.branches.contains_key(base) {
        return Err(refused(404, "The target couldn't be found."));
    }
    Ok(Answer::new(200, json!({"total_commits": u64::from(repository.lost.contains(commit))})))
}

/// The open one that leads from one branch to the other.
fn by_branches(repository: &Repository, base: &str, head: &str, full: &str) -> Answered {
    let found = repository.pulls.iter().find(|pull| pull.open && pull.base == base && pull.head == head);
    found.map(|pull| Answer::new(200, shown(pull, full))).ok_or_else(|| refused(404, "no such pull request"))
}

fn opened(repository: &mut Repository, full: &str, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["title", "head", "base", "body"])?;
    let word = |field: &str| text(&asked, field).unwrap_or_default();
    let (title, head, base) = (word("title"), word("head"), word("base"));
    if title.is_empty() || title.chars().count() > 255 {
        return Err(refused(422, "title is empty or too long"));
    }
    if [head, base].iter().any(|branch| !repository.branches.contains_key(*branch)) {
        return Err(refused(404, "head or base does not exist"));
    }
    if head == base {
        return Err(refused(422, "no commits between head and base"));
    }
    if repository.has_open(head, base) {
        return Err(refused(409, "pull request already exists for these targets"));
    }
    Ok(Answer::new(201, shown(repository.open(title, word("body"), head, base, false), full)))
}

fn changed(pull: &mut Pull, full: &str, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["title", "body", "state"])?;
    pull.turn(text(&asked, "state")).map_err(|words| refused(412, words))?;
    pull.title = text(&asked, "title").unwrap_or(&pull.title).to_owned();
    pull.body = text(&asked, "body").unwrap_or(&pull.body).to_owned();
    Ok(Answer::new(201, shown(pull, full)))
}

fn merged(pull: &mut Pull, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["Do", "head_commit_id"])?;
    if !matches!(text(&asked, "Do"), Some("merge" | "squash" | "rebase")) {
        return Err(refused(422, "[Do]: Required"));
    }
    if pull.pondered > 0 {
        pull.pondered -= 1;
        return Err(refused(405, "Please try again later"));
    }
    if !pull.open || is_draft(pull) || pull.conflicts {
        return Err(refused(405, "The PR is not mergeable"));
    }
    if text(&asked, "head_commit_id") != Some(&pull.commit) {
        return Err(refused(409, "head out of date"));
    }
    (pull.open, pull.merged) = (false, true);
    Ok(Answer::new(200, Value::Null))
}

fn is_draft(pull: &Pull) -> bool {
    let title = pull.title.to_lowercase();
    DRAFT.iter().any(|mark| title.starts_with(mark))
}

fn shown(pull: &Pull, full: &str) -> Value {
    let end = |name: &str, commit: &str| json!({"ref": name, "sha": commit, "label": name});
    let mergeable = pull.open && !pull.conflicts && !is_draft(pull) && pull.pondered == 0;
    json!({
        "number": pull.number,
        "html_url": format!("https://git.example/{full}/pulls/{}", pull.number),
        "user": {"login": pull.author},
        "title": pull.title,
        "body": pull.body,
        "state": if pull.open { "open" } else { "closed" },
        "draft": is_draft(pull),
        "merged": pull.merged,
        "mergeable": mergeable,
        "changed_files": 2,
        "additions": 30,
        "deletions": 4,
        "head": end(&pull.head, &pull.commit),
        "base": end(&pull.base, &"0".repeat(40)),
        "merge_base": pull.fork,
    })
}

fn reviews(repository: &Repository, number: u64) -> Vec<Value> {
    let Some(pull) = repository.pulls.iter().find(|pull| pull.number == number) else { return Vec::new() };
    let said = (1..).zip(&pull.reviews).map(|(id, review): (u64, &Review)| {
        let state = match review.state.as_str() {
            "CHANGES_REQUESTED" | "DISMISSED" => "REQUEST_CHANGES",
            "COMMENTED" => "COMMENT",
            other => other,
        };
        json!({"id": id, "user": {"login": review.who, "id": 7}, "state": state,
            "official": repository.writes(&review.who), "stale": review.commit != pull.commit,
            "commit_id": review.commit, "submitted_at": review.at.to_string(),
            "dismissed": review.state == "DISMISSED", "comments_count": 0})
    });
    let threads = (pull.open_threads > 0).then(|| {
        json!({"id": COMMENTING, "user": {"login": "ada"}, "state": "COMMENT", "official": false, "stale": false,
            "dismissed": false, "comments_count": 2 * pull.open_threads + 2})
    });
    said.chain(threads).collect()
}

/// Each thread has a comment and an answer to it; only the first one says that its thread is resolved, as that of the
/// last thread does.
fn comments(pull: &Pull) -> Value {
    let comment = |at: usize, resolver: Value| {
        let line = at + 1;
        json!({"path": "src/a.rs", "position": line, "original_position": 0, "resolver": resolver})
    };
    let open = (0..pull.open_threads).flat_map(|at| [comment(at, Value::Null), comment(at, Value::Null)]);
    let at = pull.open_threads;
    open.chain([comment(at, json!({"login": "ada"})), comment(at, Value::Null)]).collect()
}
