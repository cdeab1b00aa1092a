//! Where requests come in: what goes wrong with them, and who answers.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Response};
use serde_json::{Value, json};

use super::wire::{Answer, header};
use super::world::World;
use super::{Fault, Kind, forgejo, github};
use crate::time::Timestamp;

/// Answers one request; none where the connection is reset.
pub(super) fn answer(
    world: &mut World,
    request: &Request<Bytes>,
    kind: Kind,
    now: Timestamp,
) -> Option<Response<Bytes>> {
    let path = request.uri().path().to_owned();
    world.asked.push(format!("{} {path}", request.method()));
    world.now = now;
    let writes = request.method() != Method::GET && path != "/graphql";
    let fits = |fault: &Fault| *fault != Fault::LosesAnswers || writes;
    let fault = match world.next.front() {
        Some(next) if fits(next) => world.next.pop_front(),
        Some(_) | None => None,
    };
    let fault = fault.unwrap_or_else(|| world.fault.clone());
    let wrong = |status: u16, headers: Vec<(&'static str, String)>| {
        Some(response(status, &json!({"message": "as ordered"}), &headers))
    };
    let used_up = |name: &'static str, value: String| vec![(name, value), ("x-ratelimit-remaining", "0".to_owned())];
    match fault {
        Fault::Down => return None,
        Fault::BadGateway => return Some(response(502, &Value::Null, &[])),
        Fault::UsedUp(until) if now < until => {
            return wrong(403, used_up("x-ratelimit-reset", until.0.div_ceil(1_000).to_string()));
        }
        Fault::TooMany(pause) => {
            return wrong(429, vec![("retry-after", pause.as_secs().to_string())]);
        }
        Fault::Revoked => return wrong(401, Vec::new()),
        Fault::Answers(status, headers) => return wrong(status, headers),
        Fault::Says(status, body) => return Some(response(status, &body, &[])),
        Fault::ReadsOnly if writes => return Some(response(502, &Value::Null, &[])),
        Fault::None | Fault::UsedUp(_) | Fault::LosesAnswers | Fault::ReadsOnly => {}
    }
    let there = Timestamp(now.0.saturating_add_signed(world.ahead));
    if let Some(location) = moved(world, request, &path) {
        let status = if request.method() == Method::GET { 301 } else { 307 };
        return Some(response(status, &json!({"message": "Moved Permanently"}), &[("location", location)]));
    }
    if world.reads_only && writes {
        return wrong(403, Vec::new());
    }
    let answered = match kind {
        Kind::GitHub => github::answered(world, request, &path, there),
        Kind::Forgejo => forgejo::answered(world, request, &path),
    };
    let (status, body, total) = match answered {
        Ok(Answer { plain: Some(text), .. }) => return Some(Response::new(Bytes::from(text))),
        Ok(answer) => (answer.status, answer.body, answer.total),
        Err((status, body)) => (status, body, None),
    };
    let total = total.map(|total| ("x-total-count", total.to_string()));
    let headers: Vec<_> = total.into_iter().chain([("date", date(there))]).collect();
    let lost = fault == Fault::LosesAnswers && writes;
    (!lost).then(|| response(status, &body, &headers))
}

/// Where what was asked of a repository's old name is now.
fn moved(world: &World, request: &Request<Bytes>, path: &str) -> Option<String> {
    let (before, behind) = path.split_once("/repos/")?;
    let mut parts = behind.splitn(3, '/');
    let name = format!("{}/{}", parts.next()?, parts.next()?);
    let (id, _) = world.renamed.get(&name)?;
    let rest = parts.next().map(|rest| format!("/{rest}")).unwrap_or_default();
    let host = request.uri().authority().map(ToString::to_string);
    let host = host.unwrap_or_else(|| header(request, "host").to_owned());
    let scheme = request.uri().scheme_str().unwrap_or("http");
    Some(format!("{scheme}://{host}{before}/repositories/{id}{rest}"))
}

/// A moment as headers have it: `Fri, 27 Nov 2026 17:20:38 GMT`.
fn date(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = at.to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let day = usize::try_from(at.0 / 86_400_000 % 7).unwrap_or_default();
    let month = part(5, 7).parse::<usize>().unwrap_or(1);
    let (day, month) = (DAYS[day], MONTHS[month.clamp(1, 12) - 1]);
    format!("{day}, {} {month} {} {} GMT", part(8, 10), part(0, 4), part(11, 19))
}

fn response(status: u16, body: &Value, headers: &[(&'static str, String)]) -> Response<Bytes> {
    let mut built = Response::builder().status(status).header(CONTENT_TYPE, "application/json; charset=utf-8");
    for (name, value) in headers {
        built = built.header(*name, value);
    }
    built.body(Bytes::from(body.to_string())).unwrap_or_default()
}
