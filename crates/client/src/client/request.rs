//! One question to the hub. A mutation carries a key, so that asking again after a lost connection does nothing twice.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::pin::pin;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::header::{ACCEPT, ORIGIN, RETRY_AFTER};
use reqwest::{Method, RequestBuilder, Response, Url};
use secrecy::ExposeSecret as _;
use serde_json::Value;
use tokio::time::timeout;

use super::find::{HubClient, below};
use super::nodes::is_not_owner;
use super::refusal::{Unheard, refused};
use crate::domain::text::for_terminal;
use crate::exit::Exit;
use crate::output::Listed;
use crate::problem::Problem;

/// A status and the words beside it, or why there are none.
pub type Words = Result<(u16, String), Unheard>;

/// What is asked for; else it is a text as it is.
const JSON: &str = "application/json";
/// How often a question is asked before the hub counts as unreachable.
const TRIES: u32 = 3;
/// How long an answer may take; no route of the API blocks longer. Who is silent for so long is not asked again.
pub(super) const TIMEOUT: Duration = Duration::from_secs(30);
/// How long an answer takes before whoever looks on is told that it does.
const PATIENCE: Duration = Duration::from_secs(4);
/// How often a hub that went away is looked for, once a second, by who follows something.
pub(super) const RECONNECTS: u32 = 30;
/// How often all nodes are asked while one says that it does not own: longer than a take-over takes.
const ROUNDS: usize = 15;
/// The pause before the next round, where no node says one.
const A_MOMENT: Duration = Duration::from_secs(1);
/// The longest pause that the hub may ask for and get.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How many items are asked for at once.
const PAGE: usize = 200;

impl HubClient {
    /// Asks for something.
    pub async fn get(&self, path: &[&str], query: &[(&str, String)]) -> Result<Value, Problem> {
        self.ask(&Method::GET, path, query, None).await
    }

    /// The status that a page of that origin gets; none when nobody answers.
    pub async fn status_from(&self, origin: String) -> Option<u16> {
        let request = self.request(&Method::GET, &["api", "v1", "me"], &[]).timeout(TIMEOUT);
        let answer = request.header(ORIGIN, origin).send().await.ok()?;
        Some(answer.status().as_u16())
    }

    /// Asks for more of what is followed: a hub that went away meanwhile is looked for.
    pub async fn get_on(&self, path: &[&str], query: &[(&str, String)]) -> Result<Value, Problem> {
        let mut tries = 0;
        loop {
            match self.get(path, query).await {
                Err(problem) if problem.exit() == Exit::Unreachable && tries < RECONNECTS => tries += 1,
                answered => return answered,
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    /// Asks for something once, and waits no longer than this.
    pub async fn once_within(&self, path: &[&str], patience: Duration) -> Result<Value, Unheard> {
        match self.once(Some(JSON), self.request(&Method::GET, path, &[]).timeout(patience)).await? {
            Answer::Body(body) => Ok(body),
            Answer::Later(_, problem) | Answer::NotOwner(_, problem) => Err(Unheard::Refused(problem)),
        }
    }

    /// The status and the words of a route that answers everybody, whatever they are.
    pub async fn words_within(&self, path: &[&str], patience: Duration) -> Result<(u16, String), Unheard> {
        self.words_at(self.nodes.now(), path, patience).await
    }

    /// The same of each of its addresses, in their order.
    pub async fn words_of_each(&self, path: &[&str], patience: Duration) -> Vec<(String, Words)> {
        let asked =
            self.nodes.all().iter().map(async |url| {
                (url.as_str().trim_end_matches('/').to_owned(), self.words_at(url, path, patience).await)
            });
        join_all(asked).await
    }

    async fn words_at(&self, url: &Url, path: &[&str], patience: Duration) -> Words {
        let url = below(url, path);
        let response = self.carrier(&url).get(url).timeout(patience).send().await?;
        Ok((response.status().as_u16(), response.text().await?))
    }

    /// A request without a credential, for who brings another.
    pub fn bare(&self, method: Method, url: &str) -> RequestBuilder {
        let carrier = Url::parse(url).map_or(self.carrier(self.nodes.now()), |url| self.carrier(&url));
        carrier.request(method, url)
    }

    pub async fn post(&self, path: &[&str], body: &Value) -> Result<Value, Problem> {
        self.ask(&Method::POST, path, &[], Some(body)).await
    }

    /// Changes a part of something.
    pub async fn patch(&self, path: &[&str], body: &Value) -> Result<Value, Problem> {
        self.ask(&Method::PATCH, path, &[], Some(body)).await
    }

    /// Takes something away.
    pub async fn delete(&self, path: &[&str]) -> Result<Value, Problem> {
        self.ask(&Method::DELETE, path, &[], None).await
    }

    /// A text as it is, such as a diff.
    pub async fn text(&self, path: &[&str]) -> Result<String, Problem> {
        let answer = self.ask_for(None, &Method::GET, path, &[], None).await?;
        Ok(answer.as_str().map_or_else(|| answer.to_string(), str::to_owned))
    }

    /// A list, page by page, until it ends or there are `limit` items; all of it where that is 0.
    pub async fn list(&self, path: &[&str], query: &[(&str, String)], limit: usize) -> Result<Listed, Problem> {
        let limit = if limit == 0 { usize::MAX } else { limit };
        let mut listed = Listed::default();
        loop {
            let mut query = query.to_vec();
            query.push(("limit", (limit - listed.items.len()).min(PAGE).to_string()));
            query.extend(listed.next_cursor.take().map(|cursor| ("cursor", cursor)));
            let mut page = self.get(path, &query).await?;
            let Some(Value::Array(more)) = page.get_mut("items").map(Value::take) else {
                return Err(self.not_a_hub("a list without `items`"));
            };
            let empty = more.is_empty();
            listed.items.extend(more);
            listed.next_cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if listed.next_cursor.is_none() {
                return Ok(listed.items.into());
            }
            if empty || listed.items.len() >= limit {
                listed.total = page.get("total").and_then(Value::as_u64);
                return Ok(listed);
            }
        }
    }

    async fn ask(
        &self,
        method: &Method,
        path: &[&str],
        query: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Value, Problem> {
        self.ask_for(Some(JSON), method, path, query, body).await
    }

    async fn ask_for(
        &self,
        accept: Option<&str>,
        method: &Method,
        path: &[&str],
        query: &[(&str, String)],
        body: Option<&Value>,
    ) -> Result<Value, Problem> {
        let key = (*method != Method::GET).then(|| self.ids.request());
        // The pause after a round in which a node said that it does not own.
        let (mut tries, mut asked, mut takes_over) = (0, 0_usize, None);
        let mut unsure = false;
        // What each address said last.
        let mut said = BTreeMap::new();
        loop {
            let from = self.nodes.now().clone();
            let mut request = self.request(method, path, query).timeout(TIMEOUT);
            if let Some(accept) = accept {
                request = request.header(ACCEPT, accept);
            }
            if let Some(key) = &key {
                request = request.header("idempotency-key", key);
            }
            if let Some(body) = body {
                request = request.json(body);
            }
            let answer = self.once(accept, request);
            // Where the hub is asked to wait, its silence is no news.
            let answered = match self.tells && !query.iter().any(|(name, _)| *name == "wait") {
                true => told_when_slow(answer, || self.tell("does not answer yet")).await,
                false => answer.await,
            };
            unsure |= key.is_some() && answered.as_ref().is_err_and(Unheard::may_be_done);
            let sends_on =
                matches!(answered, Ok(Answer::NotOwner(..))) || answered.as_ref().is_err_and(Unheard::is_away);
            if sends_on && self.has_several() {
                self.nodes.moves_on(&from);
                takes_over = pause_before_a_take_over(&answered).or(takes_over);
                said.insert(shown(&from).to_owned(), in_words(&answered));
                asked += 1;
                match takes_over {
                    _ if !asked.is_multiple_of(self.nodes.all().len()) => continue,
                    Some(pause) if asked < ROUNDS * self.nodes.all().len() => {
                        tokio::time::sleep(pause).await;
                        continue;
                    }
                    Some(_) | None => {}
                }
            } else {
                said.clear();
            }
            tries += 1;
            let pause = match answered {
                Ok(Answer::Body(body)) => return Ok(body),
                Ok(Answer::Later(pause, problem) | Answer::NotOwner(pause, problem)) => {
                    if tries == TRIES || pause > LONGEST_PAUSE {
                        return Err(none_of(&said, self.nodes.all()).unwrap_or(problem).maybe_done_if(unsure));
                    }
                    pause
                }
                Err(unheard) if tries == TRIES || !unheard.worth_asking_again() => {
                    let unsure = unsure && unheard.is_away();
                    let problem = none_of(&said, self.nodes.all()).unwrap_or_else(|| unheard.problem(shown(&from)));
                    return Err(problem.maybe_done_if(unsure));
                }
                Err(_) => Duration::from_millis(200) * tries,
            };
            tokio::time::sleep(pause).await;
        }
    }

    /// A request with who asks and from where.
    pub(super) fn request(&self, method: &Method, path: &[&str], query: &[(&str, String)]) -> RequestBuilder {
        let url = self.url_of(path, query);
        let request = self.carrier(&url).request(method.clone(), url);
        let request = request.bearer_auth(self.token.now().expose_secret()).header("callboard-surface", "cli");
        match &self.session {
            Some(session) => request.header("callboard-session-id", session),
            None => request,
        }
    }

    pub(super) fn url_of(&self, path: &[&str], query: &[(&str, String)]) -> Url {
        let mut url = below(self.nodes.now(), path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    async fn once(&self, accept: Option<&str>, request: RequestBuilder) -> Result<Answer, Unheard> {
        let response = request.send().await.map_err(Unheard::from)?;
        let status = response.status().as_u16();
        let pause = pause_of(&response);
        let text = response.text().await.map_err(Unheard::from)?;
        if (200..300).contains(&status) {
            if accept.is_none() {
                return Ok(Answer::Body(Value::String(text)));
            }
            if text.trim().is_empty() {
                return Ok(Answer::Body(Value::Null));
            }
            return match serde_json::from_str(&text) {
                Ok(body) => Ok(Answer::Body(body)),
                Err(_) => Err(Unheard::Gibberish { status, text }),
            };
        }
        let not_owner = is_not_owner(status, &text);
        match (status, pause) {
            (_, pause) if not_owner => {
                let problem = refused(status, &text, self.address());
                Ok(Answer::NotOwner(pause.unwrap_or(A_MOMENT), problem))
            }
            (429 | 503, Some(pause)) => Ok(Answer::Later(pause, refused(status, &text, self.address()))),
            (_, _) => Err(Unheard::Refused(refused(status, &text, self.address()))),
        }
    }

    /// A word on standard error about the hub, for a person who waits for it; none where none looks on.
    pub(super) fn tell(&self, what: &str) {
        if self.tells {
            drop(writeln!(io::stderr(), "{}", for_terminal(&format!("`{}` {what}", self.address()))));
        }
    }

    /// Something answers, and it is no hub, or a later one.
    pub fn not_a_hub(&self, what: &str) -> Problem {
        Unheard::Gibberish { status: 200, text: what.to_owned() }.problem(self.address())
    }
}

fn shown(url: &Url) -> &str {
    url.as_str().trim_end_matches('/')
}

const fn pause_before_a_take_over(answered: &Result<Answer, Unheard>) -> Option<Duration> {
    if let Ok(Answer::NotOwner(pause, _)) = answered { Some(*pause) } else { None }
}

/// What was answered, in the words of the node itself where it had any.
fn in_words(answered: &Result<Answer, Unheard>) -> String {
    match answered {
        Ok(Answer::Body(_)) => String::new(),
        Ok(Answer::Later(_, problem) | Answer::NotOwner(_, problem)) => problem.what().to_owned(),
        Err(unheard) => unheard.in_words(),
    }
}

/// Where every one of several addresses has said that it is not the one, or nothing: what each of them said last.
fn none_of(said: &BTreeMap<String, String>, all: &[Url]) -> Option<Problem> {
    if said.len() < 2 || said.len() < all.len() {
        return None;
    }
    let lines: Vec<_> = said.iter().map(|(address, why)| format!("`{address}`: {why}")).collect();
    let what = format!("none of these {} addresses leads to the hub that has the journal", said.len());
    Some(
        Problem::new(Exit::Unreachable, what)
            .because(lines.join("\n"))
            .next("callboard doctor, which asks each of them"),
    )
}

/// Waits for an answer, and tells once that it is long in coming.
pub(super) async fn told_when_slow<T>(answer: impl Future<Output = T>, tell: impl FnOnce()) -> T {
    let mut answer = pin!(answer);
    match timeout(PATIENCE, &mut answer).await {
        Ok(answered) => answered,
        Err(_) => {
            tell();
            answer.await
        }
    }
}

enum Answer {
    /// What was asked for.
    Body(Value),
    /// Not now: after this pause.
    Later(Duration, Problem),
    /// Not this node: another one, or this one after the pause.
    NotOwner(Duration, Problem),
}

fn pause_of(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}
