//! The addresses under which a hub is looked for: one, or those of its nodes, of which one owns the journal. Who finds
//! that one out tells all others of this program that share the list. Nothing is ever sent to an address that the user
//! did not name, whatever a node says of the owner.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::Url;
use serde_json::Value;

use crate::problem::Problem;

/// What a node answers that does not own the journal.
const NOT_OWNER: &str = "NOT_OWNER";

#[derive(Debug, Clone)]
pub(super) struct Nodes {
    all: Arc<[Url]>,
    at: Arc<AtomicUsize>,
}

impl Nodes {
    /// Reads addresses with commas between them, each by `read`. Fails when one is wrong, missing, or there twice.
    pub(super) fn parse(text: &str, from: &str, read: impl Fn(&str) -> Result<Url, Problem>) -> Result<Self, Problem> {
        let wrong = |why: &str| {
            Problem::configuration(format!("`{text}` of {from} is not a list of addresses"))
                .because(why)
                .next("write it as `https://hub-a.example,https://hub-b.example`")
        };
        let mut all = Vec::new();
        for part in text.split(',') {
            if part.trim().is_empty() && text.contains(',') {
                return Err(wrong("an address is missing before or behind a comma"));
            }
            let url = read(part)?;
            if all.contains(&url) {
                return Err(wrong(&format!("`{url}` is there twice")));
            }
            all.push(url);
        }
        Ok(Self { all: all.into(), at: Arc::default() })
    }

    pub(super) fn all(&self) -> &[Url] {
        &self.all
    }

    /// The one that is asked now.
    pub(super) fn now(&self) -> &Url {
        &self.all[self.at.load(Ordering::Relaxed) % self.all.len()]
    }

    /// Another one is asked from now on, unless somebody has found that out meanwhile.
    pub(super) fn moves_on(&self, from: &Url) {
        if let Some(at) = self.all.iter().position(|url| url == from) {
            let next = (at + 1) % self.all.len();
            self.at.compare_exchange(at, next, Ordering::Relaxed, Ordering::Relaxed).ok();
        }
    }

    /// Tries one after the other until one opens, or fails in a way that is not to be tried `again`.
    pub(super) async fn each<T, E>(
        &self,
        open: impl AsyncFn() -> Result<T, E>,
        again: impl Fn(&E) -> bool,
    ) -> Result<T, E> {
        let mut tried = 0;
        loop {
            let from = self.now().clone();
            let opened = open().await;
            match opened {
                Err(no) if again(&no) => {
                    self.moves_on(&from);
                    tried += 1;
                    if tried >= self.all.len() {
                        return Err(no);
                    }
                }
                opened => return opened,
            }
        }
    }
}

/// Whether a node refuses because another one owns the journal.
pub fn is_not_owner(status: u16, text: &str) -> bool {
    let code = || serde_json::from_str::<Value>(text).ok()?.get("code")?.as_str().map(|code| code == NOT_OWNER);
    status == 503 && code().unwrap_or_default()
}
