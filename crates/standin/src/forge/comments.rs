//! Comments on issues, as GitHub answers for them.

use bytes::Bytes;
use http::{Method, Request};
use serde_json::{Value, json};

use super::wire::{Answer, Answered, Refused, fields, page, query, refused, text};
use super::world::{Comment, OWN, World};
use crate::time::Timestamp;

/// The longest comment, in characters.
const LONGEST: usize = 65_536;
/// How many are on a page: the default, and the most.
const PAGE: (usize, usize) = (30, 100);

/// Below `/repos/OWNER/NAME/issues`, of a repository that is there.
pub(super) fn answered(
    world: &mut World,
    request: &Request<Bytes>,
    repository: &str,
    rest: &[&str],
    now: Timestamp,
) -> Answered {
    match (request.method(), rest) {
        (&Method::GET, [number]) => {
            let item = item(repository, number)?;
            let count = world.comments.iter().filter(|comment| comment.item == item).count();
            Ok(Answer::new(200, json!({"number": number.parse::<u64>().unwrap_or_default(), "comments": count})))
        }
        (&Method::GET, ["comments", id]) => {
            let known = world.comments.iter().find(|comment| comment.id.to_string() == *id);
            known.map(|comment| Answer::new(200, shown(comment))).ok_or_else(|| refused(404, "Not Found"))
        }
        (&Method::GET, [number, "comments"]) => {
            query(request, &["per_page", "page", "since"])?;
            let item = item(repository, number)?;
            let all = world.comments.iter().filter(|comment| comment.item == item).map(shown).collect();
            Ok(Answer::new(200, page(request, "per_page", PAGE, all).0))
        }
        (&Method::POST, [number, "comments"]) => {
            let (item, body) = (item(repository, number)?, body(request)?);
            Ok(Answer::new(201, shown(&world.add_comment(&item, &body, OWN, now))))
        }
        (&Method::PATCH, ["comments", id]) => {
            let body = body(request)?;
            let known = world.comments.iter_mut().find(|comment| comment.id.to_string() == *id);
            let comment = known.ok_or_else(|| refused(404, "Not Found"))?;
            (comment.body, comment.edits) = (body, comment.edits + 1);
            Ok(Answer::new(200, shown(comment)))
        }
        (_, _) => Err(refused(404, "Not Found")),
    }
}

fn item(repository: &str, number: &str) -> Result<String, Refused> {
    let number: u64 = number.parse().ok().filter(|number| *number > 0).ok_or_else(|| refused(404, "Not Found"))?;
    Ok(format!("{repository}#{number}"))
}

/// The one field that a comment has.
fn body(request: &Request<Bytes>) -> Result<String, Refused> {
    let fields = fields(request, &["body"])?;
    match text(&fields, "body").filter(|text| !text.trim().is_empty()) {
        Some(text) if text.chars().count() <= LONGEST => Ok(text.to_owned()),
        Some(_) => Err(refused(422, "Body is too long")),
        None => Err(refused(422, "Validation Failed")),
    }
}

fn shown(comment: &Comment) -> Value {
    let url = format!("https://forge.example/{}-{}", comment.item.replace('#', "/issues/"), comment.id);
    json!({"id": comment.id, "html_url": url, "body": comment.body, "created_at": comment.at.to_string(),
        "user": {"login": comment.by, "type": "User"}})
}
