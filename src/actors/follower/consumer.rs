//! The interface of a follower's work: what it does with each event.

use futures_util::future::BoxFuture;

use crate::actors::noticeboard::Event;
use crate::journal::{EventFilter, Seq};

/// What came of it; an error says why it is to be tried again.
pub type Outcome<T = ()> = Result<T, String>;

pub trait Consumer: Send + 'static {
    fn wants(&self) -> EventFilter;

    /// Its place: the number of the last event whose effect is durable. Where it fails, the actor is built anew later.
    fn place(&mut self) -> BoxFuture<'_, Outcome<Seq>>;

    /// Takes an event, and returns once its effect and its number are durable. It may come a second time after a crash.
    ///
    /// The error says why it could not: the same event comes again after a pause, and none before it.
    fn take<'a>(&'a mut self, event: &'a Event) -> BoxFuture<'a, Outcome>;

    /// So many events behind `place` are gone for good: `journal.retention` removed them. Fails as [`Consumer::take`].
    fn missed(&mut self, count: u64, place: Seq) -> BoxFuture<'_, Outcome>;
}
