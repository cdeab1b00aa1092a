//! What GitHub answers: strict about headers, routes, fields and branches.

use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Map, Value, json};

use super::comments;
use super::wire::{Answer, Answered, Refused, admitted, fields, header, listed, page, pull, query, refused, text};
use super::world::{Merge, OWN, Pull, Repository, World};
use crate::time::Timestamp;

/// How many are on a page: the default, and the most.
const PAGE: (usize, usize) = (30, 100);

/// 422, with one error.
fn unfit(message: &str) -> Refused {
    let error = json!({"resource": "PullRequest", "code": "custom", "message": message});
    (422, json!({"message": "Validation Failed", "errors": [error]}))
}

/// How a diff is asked for.
const DIFF: &str = "application/vnd.github.diff";

fn compared(status: &str, fork: &str) -> Answer {
    Answer::new(200, json!({"status": status, "merge_base_commit": {"sha": fork}}))
}

/// Answers a request that no fault met.
pub(super) fn answered(world: &mut World, request: &Request<Bytes>, path: &str, now: Timestamp) -> Answered {
    admitted(world, request, "Bearer")?;
    let wants_diff = path.contains("/compare/") && header(request, "accept") == DIFF;
    let speaks = wants_diff || header(request, "accept") == "application/vnd.github+json";
    if !speaks || header(request, "x-github-api-version") != "2022-11-28" {
        return Err(refused(415, "Name the media type and the version of the interface"));
    }
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    match (request.method(), parts.as_slice()) {
        (&Method::POST, ["graphql"]) => graphql(world, &fields(request, &["query", "variables"])?),
        (&Method::GET, ["user"]) => Ok(Answer::new(200, json!({"login": OWN, "type": "User"}))),
        (&Method::GET, ["repositories", id]) => {
            let name = world.renamed.values().find(|(known, _)| known.to_string() == *id).map(|(_, name)| name);
            name.map(|name| Answer::new(200, json!({"full_name": name}))).ok_or_else(|| refused(404, "Not Found"))
        }
        (_, ["repos", owner, name, rest @ ..]) => {
            let full = format!("{owner}/{name}");
            if let (&Method::PUT, ["pulls", number, "merge"]) = (request.method(), rest) {
                return merges(world, &full, number, request);
            }
            let known = world.repositories.get_mut(&full).ok_or_else(|| refused(404, "Not Found"))?;
            match rest {
                ["issues", rest @ ..] => comments::answered(world, request, &full, rest, now),
                rest => of_repository(known, request, owner, &full, rest),
            }
        }
        (_, _) => Err(refused(404, "Not Found")),
    }
}

fn of_repository(
    repository: &mut Repository,
    request: &Request<Bytes>,
    owner: &str,
    full: &str,
    rest: &[&str],
) -> Answered {
    let of_list = |all: Vec<Value>| Ok(Answer::new(200, page(request, "per_page", PAGE, all).0));
    match (request.method(), rest) {
        (&Method::GET, []) => {
            let permissions = json!({"pull": true, "push": repository.may_push, "admin": false});
            let body = json!({"full_name": full, "default_branch": repository.default_branch, "has_issues": true,
                "archived": false, "permissions": permissions});
            Ok(Answer::new(200, body))
        }
        (&Method::GET, ["pulls"]) => {
            let query = query(request, &["state", "head", "base", "sort", "direction", "per_page", "page"])?;
            let head = query.get("head");
            let fits = |pull: &Pull| head.is_none_or(|head| *head == format!("{owner}:{}", pull.head));
            of_list(listed(repository, &query, fits).map(|pull| shown(pull, full, false)).collect())
        }
        (&Method::POST, ["pulls"]) => opened(repository, full, request),
        (&Method::PATCH, ["pulls", number]) => changed(pull(repository, number)?, full, request),
        (&Method::GET, ["pulls", number]) => {
            let pull = pull(repository, number)?;
            let answer = Answer::new(200, shown(pull, full, true));
            pull.pondered = pull.pondered.saturating_sub(1);
            Ok(answer)
        }
        (&Method::GET, ["compare", range]) => {
            let (first, second) = range.split_once("...").unwrap_or_default();
            let found = repository.pulls.iter().find(|pull| pull.commit == second);
            match found {
                Some(pull) if header(request, "accept") == DIFF => Ok(Answer::plain(pull.diff(second))),
                Some(pull) => Ok(compared("diverged", &pull.fork)),
                None if !repository.branches.contains_key(second) => Err(refused(404, "Not Found")),
                None if repository.lost.contains(first) => Ok(compared("diverged", &"0".repeat(40))),
                None => Ok(compared("ahead", first)),
            }
        }
        (&Method::GET, ["commits", commit, "check-suites"]) => {
            let (suites, total) = page(request, "per_page", PAGE, check_suites(repository, commit));
            Ok(Answer::new(200, json!({"total_count": total, "check_suites": suites})))
        }
        (&Method::GET, ["pulls", number, "reviews"]) => of_list(reviews(pull(repository, number)?)),
        (&Method::GET, ["commits", commit, "check-runs"]) => {
            let (runs, total) = page(request, "per_page", PAGE, check_runs(repository, commit));
            Ok(Answer::new(200, json!({"total_count": total, "check_runs": runs})))
        }
        (&Method::GET, ["commits", _, "status"]) => {
            Ok(Answer::new(200, json!({"state": "pending", "statuses": [], "total_count": 0})))
        }
        (_, _) => Err(refused(404, "Not Found")),
    }
}

fn opened(repository: &mut Repository, full: &str, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["title", "head", "base", "body", "draft"])?;
    let word = |field: &str| text(&asked, field).unwrap_or_default();
    let (title, head, base) = (word("title"), word("head"), word("base"));
    if title.is_empty() || title.chars().count() > 256 {
        return Err(unfit("title is missing or too long (maximum is 256 characters)"));
    }
    for (what, branch) in [("head", head), ("base", base)] {
        if !repository.branches.contains_key(branch) {
            let error = json!({"resource": "PullRequest", "field": what, "code": "invalid"});
            return Err((422, json!({"message": "Validation Failed", "errors": [error]})));
        }
    }
    if head == base {
        return Err(unfit(&format!("No commits between {base} and {head}")));
    }
    if repository.has_open(head, base) {
        return Err(unfit(&format!("A pull request already exists for {full}:{head}.")));
    }
    let draft = asked.get("draft").and_then(Value::as_bool).unwrap_or_default();
    Ok(Answer::new(201, shown(repository.open(title, word("body"), head, base, draft), full, true)))
}

fn changed(pull: &mut Pull, full: &str, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["title", "body", "state"])?;
    pull.turn(text(&asked, "state")).map_err(unfit)?;
    pull.title = text(&asked, "title").unwrap_or(&pull.title).to_owned();
    pull.body = text(&asked, "body").unwrap_or(&pull.body).to_owned();
    Ok(Answer::new(200, shown(pull, full, true)))
}

/// Merges, and notes whether that was approved.
fn merges(world: &mut World, full: &str, number: &str, request: &Request<Bytes>) -> Answered {
    /// A look that is older than that says nothing of the moment of the merge.
    const JUST_BEFORE: Duration = Duration::from_secs(30);
    let now = world.now;
    let repository = world.repositories.get_mut(full).ok_or_else(|| refused(404, "Not Found"))?;
    let answer = merged(pull(repository, number)?, request)?;
    let place = number.parse::<usize>().unwrap_or_default().saturating_sub(1);
    let pull = &repository.pulls[place];
    let looked = pull.looked.is_some_and(|(at, approved)| approved && now.since(at) < JUST_BEFORE);
    let approved = repository.is_approved(pull) || looked;
    let (commit, base) = (pull.commit.clone(), pull.base.clone());
    world.merges.push(Merge { number: pull.number, commit, base, approved });
    Ok(answer)
}

fn merged(pull: &mut Pull, request: &Request<Bytes>) -> Answered {
    let asked = fields(request, &["merge_method", "sha"])?;
    if !matches!(text(&asked, "merge_method"), Some("merge" | "squash" | "rebase")) {
        return Err(unfit("merge_method is invalid"));
    }
    if !pull.open || pull.draft || pull.conflicts {
        return Err(refused(405, "Pull Request is not mergeable"));
    }
    if text(&asked, "sha") != Some(&pull.commit) {
        return Err(refused(409, "Head branch was modified. Review and try the merge again."));
    }
    (pull.open, pull.merged) = (false, true);
    let body = json!({"sha": pull.commit, "merged": true, "message": "Pull Request successfully merged"});
    Ok(Answer::new(200, body))
}

fn shown(pull: &Pull, full: &str, whole: bool) -> Value {
    let end = |name: &str, commit: &str| json!({"ref": name, "sha": commit, "label": name});
    let mut shown = json!({
        "number": pull.number,
        "node_id": format!("PR_{}", pull.number),
        "html_url": format!("https://github.example/{full}/pull/{}", pull.number),
        "user": {"login": pull.author},
        "title": pull.title,
        "body": pull.body,
        "state": if pull.open { "open" } else { "closed" },
        "draft": pull.draft,
        "merged_at": pull.merged.then_some("2026-05-28T20:26:40Z"),
        "head": end(&pull.head, &pull.commit),
        "base": end(&pull.base, &"0".repeat(40)),
    });
    if whole {
        let mergeable = (pull.pondered == 0).then_some(pull.open && !pull.conflicts);
        let more = json!({"mergeable": mergeable, "merged": pull.merged, "commits": 1,
            "changed_files": 2, "additions": 30, "deletions": 4});
        if let (Value::Object(shown), Value::Object(more)) = (&mut shown, more) {
            shown.extend(more);
        }
    }
    shown
}

fn user(login: &str) -> Value {
    json!({"login": login, "type": if login.ends_with("[bot]") { "Bot" } else { "User" }})
}

fn reviews(pull: &Pull) -> Vec<Value> {
    let shown = (1..).zip(&pull.reviews).map(|(id, review): (u64, _)| {
        json!({"id": id, "user": user(&review.who), "state": review.state, "commit_id": review.commit,
            "submitted_at": review.at.to_string(), "author_association": "MEMBER"})
    });
    shown.collect()
}

fn check_suites(repository: &Repository, commit: &str) -> Vec<Value> {
    let pulls = repository.pulls.iter().filter(|pull| pull.commit == commit);
    let shown = pulls.flat_map(|pull| &pull.suites).map(|(app, conclusion)| {
        let status = if conclusion.is_some() { "completed" } else { "queued" };
        json!({"status": status, "conclusion": conclusion, "app": {"slug": app}, "latest_check_runs_count": 0})
    });
    shown.collect()
}

fn check_runs(repository: &Repository, commit: &str) -> Vec<Value> {
    let shown = repository.checks(commit).into_iter().map(|(name, conclusion)| {
        let status = if conclusion.is_some() { "completed" } else { "in_progress" };
        json!({"name": name, "status": status, "conclusion": conclusion})
    });
    shown.collect()
}

fn graphql(world: &mut World, asked: &Map<String, Value>) -> Answered {
    let query = text(asked, "query").unwrap_or_default();
    let variables = asked.get("variables").cloned().unwrap_or_default();
    let errs = |message: &str| Ok(Answer::new(200, json!({"errors": [{"message": message}]})));
    let to = [("convertPullRequestToDraft", true), ("markPullRequestReadyForReview", false)];
    if let Some((_, draft)) = to.into_iter().find(|(mutation, _)| query.contains(mutation)) {
        let mut pulls = world.repositories.values_mut().flat_map(|repository| &mut repository.pulls);
        let found = pulls.find(|pull| variables["id"] == format!("PR_{}", pull.number).as_str());
        let Some(pull) = found else { return errs("Could not resolve to a node") };
        pull.draft = draft;
        return Ok(Answer::new(200, json!({"data": {}})));
    }
    let writers = query.contains("latestOpinionatedReviews(first: 100, after: $after, writersOnly: true)");
    if !writers && !query.contains("reviewThreads(first: 100, after: $after)") {
        return errs("Parse error");
    }
    let full = [&variables["owner"], &variables["name"]].map(|part| part.as_str().unwrap_or_default()).join("/");
    let repository = world.repositories.get_mut(&full).ok_or_else(|| refused(404, "Not Found"))?;
    if writers {
        let number = variables["number"].to_string();
        let answer = house(repository, &number)?;
        let place = number.parse::<usize>().unwrap_or_default().saturating_sub(1);
        repository.pulls[place].looked = Some((world.now, repository.is_approved(&repository.pulls[place])));
        return Ok(answer);
    }
    let pull = pull(repository, &variables["number"].to_string())?;
    // A cursor is the number of threads before it.
    let from = variables["after"].as_str().map_or(Ok(0), str::parse::<usize>);
    let Ok(from) = from else { return errs("the cursor is none of ours") };
    let until = pull.open_threads.min(from + 100);
    let nodes: Vec<Value> = (from..until).map(|_| json!({"isResolved": false})).collect();
    let info = json!({"hasNextPage": until < pull.open_threads, "endCursor": until.to_string()});
    let threads = json!({"nodes": nodes, "pageInfo": info});
    Ok(Answer::new(200, json!({"data": {"repository": {"pullRequest": {"reviewThreads": threads}}}})))
}

/// Who may write of those who gave a verdict, and when the base was changed.
fn house(repository: &mut Repository, number: &str) -> Answered {
    let found = pull(repository, number)?.number;
    let Some(pull) = repository.pulls.iter().find(|pull| pull.number == found) else {
        return Err(refused(404, "Not Found"));
    };
    let author = |login: &str| {
        let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
        json!({"author": {"__typename": kind, "login": login}})
    };
    let may = |who: &str| matches!(repository.permission(who), "admin" | "write");
    let nodes: Vec<Value> = pull.verdicts().into_keys().filter(|who| may(who)).map(author).collect();
    let changed: Vec<Value> = pull.base_changed_at.iter().map(|at| json!({"createdAt": at.to_string()})).collect();
    let page = json!({"nodes": nodes, "pageInfo": {"hasNextPage": false, "endCursor": null}});
    let it = json!({"author": {"login": "callboard-bot"}, "timelineItems": {"nodes": changed},
        "latestOpinionatedReviews": page});
    let viewer = json!({"login": "callboard-bot"});
    Ok(Answer::new(200, json!({"data": {"viewer": viewer, "repository": {"pullRequest": it}}})))
}
