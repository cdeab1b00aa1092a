//! A client that does not give up.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;

use serde_json::Value;

use super::promises::Promise;
use crate::support::dice::Dice;
use crate::support::pause;
use crate::support::plain_http;

/// What the clients of a run share.
#[derive(Default)]
pub(super) struct Stage {
    /// Where the hub listens now; 0 while it is dead.
    pub(super) port: AtomicU16,
    /// No more is asked for.
    pub(super) enough: AtomicBool,
    /// Everything has ended; everybody goes home.
    pub(super) over: AtomicBool,
    /// Calls whose answer never came.
    pub(super) unseen: AtomicUsize,
    /// Orders that were sent, and those of them that have ended.
    pub(super) asked: AtomicUsize,
    pub(super) ended: AtomicUsize,
}

/// By which door a client calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Door {
    Http,
    Mcp,
}

/// A client with its token.
pub(super) struct Client<'a> {
    pub(super) name: String,
    pub(super) token: String,
    pub(super) door: Door,
    pub(super) stage: &'a Stage,
    pub(super) told: Sender<Promise>,
    pub(super) dice: Dice,
    /// What it heard; a notice comes again until it was.
    pub(super) heard: BTreeSet<String>,
}

impl Client<'_> {
    /// Calls a tool once; nothing when no answer came, or one that says to come again.
    pub(super) fn uses_once(&mut self, tool: &str, arguments: &Value) -> Option<(u16, Value)> {
        let (token, door) = (self.token.clone(), self.door);
        let answer = self.exchanges(tool, |port| match door {
            Door::Http => plain_http::send(port, "POST", &format!("/api/v1/tools/{tool}"), &token, arguments),
            Door::Mcp => plain_http::call_by_mcp(port, &token, tool, arguments),
        });
        let (status, fields) = answer?;
        for notice in fields["notices"].as_array().into_iter().flatten() {
            let id = notice["id"].as_str().unwrap_or_default().to_owned();
            if self.heard.insert(id.clone()) {
                self.tells(Promise::Heard { agent: self.name.clone(), notice: id });
            }
        }
        match (self.door, fields["code"].as_str()) {
            (Door::Mcp, Some("UNAVAILABLE" | "BUSY" | "STORAGE_FULL")) => None,
            (Door::Mcp, Some(_)) => Some((409, fields)),
            (Door::Mcp | Door::Http, _) => Some((status, fields)),
        }
    }

    /// Calls a tool until there is an answer; nothing when everybody goes home.
    pub(super) fn uses(&mut self, tool: &str, arguments: &Value) -> Option<(u16, Value)> {
        while !self.stage.over.load(Ordering::SeqCst) {
            if let Some(answer) = self.uses_once(tool, arguments) {
                return Some(answer);
            }
        }
        None
    }

    /// Orders something under a key until there is an answer; nothing when everybody goes home.
    pub(super) fn orders(&self, path: &str, key: &str, body: &Value) -> Option<(u16, Value)> {
        self.asks_plainly("POST", path, &format!("Idempotency-Key: {key}\r\n"), body)
    }

    /// Reads something until there is an answer; nothing when everybody goes home.
    pub(super) fn reads(&self, path: &str) -> Option<(u16, Value)> {
        self.asks_plainly("GET", path, "", &Value::Null)
    }

    fn asks_plainly(&self, method: &str, path: &str, headers: &str, body: &Value) -> Option<(u16, Value)> {
        while !self.stage.over.load(Ordering::SeqCst) {
            let send = |port| plain_http::send_with(port, method, path, &self.token, headers, body);
            let answer = self.exchanges(path, send);
            if answer.is_some() {
                return answer;
            }
        }
        None
    }

    pub(super) fn tells(&self, promise: Promise) {
        self.told.send(promise).unwrap();
    }

    pub(super) fn was_refused(&self, what: &str, (status, body): &(u16, Value)) {
        self.tells(Promise::Refused { what: format!("{what} of `{}`: {status} {body}", self.name) });
    }

    fn exchanges(&self, what: &str, send: impl FnOnce(u16) -> std::io::Result<(u16, Value)>) -> Option<(u16, Value)> {
        let port = self.stage.port.load(Ordering::SeqCst);
        if port == 0 {
            pause(10);
            return None;
        }
        match send(port) {
            Ok((429 | 503, _)) => {
                pause(50);
                None
            }
            Ok((status, body)) if status != 0 && !body.is_null() => Some((status, body)),
            // A hub that is dead says so at once, and one that is alive answers.
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                self.was_refused(&format!("silence to `{what}` on {port}"), &(0, Value::Null));
                None
            }
            // Dead before or after it was done: only the hub could know.
            Ok(_) | Err(_) => {
                self.stage.unseen.fetch_add(1, Ordering::SeqCst);
                pause(10);
                None
            }
        }
    }
}
