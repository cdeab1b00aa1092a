//! Who owns which MCP session, what runs in it, and when it was last used.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::SessionId;
use tokio::time::Instant;

use crate::domain::ids::PrincipalId;

/// How many sessions one principal may have.
pub(super) const PER_PRINCIPAL: usize = 16;

/// The book. Cheap to clone; every clone is the same book.
#[derive(Debug, Clone, Default)]
#[expect(clippy::disallowed_types, reason = "the library asks by shared reference, and no await lies inside")]
pub(super) struct Book(Arc<std::sync::Mutex<BTreeMap<SessionId, Page>>>);

#[derive(Debug)]
struct Page {
    /// None until `initialize` has said who it is.
    owner: Option<PrincipalId>,
    used: Instant,
    streams: usize,
    running: Vec<RequestId>,
    /// Its client can read an empty event.
    reads_priming: bool,
}

impl Book {
    /// A session exists, and nobody knows its id yet.
    pub(super) fn open(&self, id: SessionId) {
        self.with(|pages| {
            let (used, running) = (Instant::now(), Vec::new());
            pages.insert(id, Page { owner: None, used, streams: 0, running, reads_priming: false });
        });
    }

    /// It belongs to `owner`, who is asked to give up what is too much: those without a stream first, then the oldest.
    pub(super) fn own(&self, id: &SessionId, owner: &PrincipalId) -> Vec<SessionId> {
        self.with(|pages| {
            if let Some(page) = pages.get_mut(id) {
                page.owner = Some(owner.clone());
            }
            let mut theirs: Vec<(bool, Instant, SessionId)> = pages
                .iter()
                .filter(|(other, page)| *other != id && page.owner.as_ref() == Some(owner))
                .map(|(other, page)| (page.streams > 0, page.used, SessionId::clone(other)))
                .collect();
            theirs.sort();
            let surplus = (theirs.len() + 1).saturating_sub(PER_PRINCIPAL);
            theirs.into_iter().take(surplus).map(|(_, _, id)| id).collect()
        })
    }

    /// Whether `caller` may speak in it: it is theirs, or unknown, which the library answers.
    pub(super) fn may_use(&self, id: &str, caller: Option<&PrincipalId>) -> bool {
        self.with(|pages| pages.get(id).is_none_or(|page| page.owner.as_ref() == caller))
    }

    /// Its client has shaken hands; whether it can read an empty event.
    pub(super) fn greeted(&self, id: &SessionId, reads_priming: bool) {
        self.page(id, |page| page.reads_priming = reads_priming);
    }

    /// Whether its client can read an empty event.
    pub(super) fn reads_priming(&self, id: &str) -> bool {
        self.with(|pages| pages.get(id).is_some_and(|page| page.reads_priming))
    }

    pub(super) fn touch(&self, id: &SessionId) {
        self.page(id, |page| page.used = Instant::now());
    }

    /// A stream begins, for a request or standing alone.
    pub(super) fn begin(&self, id: &SessionId, request: Option<&RequestId>) {
        self.page(id, |page| {
            page.used = Instant::now();
            page.streams += 1;
            page.running.extend(request.cloned());
        });
    }

    pub(super) fn end(&self, id: &SessionId, request: Option<&RequestId>) {
        self.page(id, |page| {
            page.used = Instant::now();
            page.streams = page.streams.saturating_sub(1);
            page.running.retain(|running| Some(running) != request);
        });
    }

    pub(super) fn running(&self, id: &SessionId) -> Vec<RequestId> {
        self.with(|pages| pages.get(id).map(|page| page.running.clone()).unwrap_or_default())
    }

    pub(super) fn close(&self, id: &SessionId) {
        self.with(|pages| pages.remove(id));
    }

    /// Those without a stream of which nothing was heard for `span`.
    pub(super) fn idle(&self, span: Duration) -> Vec<SessionId> {
        self.with(|pages| {
            let idle = pages.iter().filter(|(_, page)| page.streams == 0 && page.used.elapsed() >= span);
            idle.map(|(id, _)| SessionId::clone(id)).collect()
        })
    }

    fn page(&self, id: &SessionId, change: impl FnOnce(&mut Page)) {
        self.with(|pages| pages.get_mut(id).map(change));
    }

    fn with<T>(&self, look: impl FnOnce(&mut BTreeMap<SessionId, Page>) -> T) -> T {
        // A panic inside leaves the map whole: each change is one step.
        look(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests;
