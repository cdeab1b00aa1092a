//! The buffer of one subscriber: bounded, with an exact count of the events that did not fit.

use std::collections::VecDeque;
use std::sync::Arc;

use super::event::{Event, Posted};

/// A subscriber's events, oldest first.
#[derive(Debug)]
pub(super) struct Buffer {
    posted: VecDeque<Posted>,
    limit: usize,
    /// Events that did not fit since the last one that did.
    missed: u64,
    missed_in_all: u64,
}

impl Buffer {
    pub(super) fn new(limit: usize) -> Self {
        Self { posted: VecDeque::new(), limit: limit.max(1), missed: 0, missed_in_all: 0 }
    }

    /// Puts an event in, or counts it as missed. After a miss it is joined again when the gap and an event both fit.
    pub(super) fn push(&mut self, event: Arc<Event>) -> bool {
        let wanted = if self.missed > 0 { 2 } else { 1 };
        if self.posted.len() + wanted > self.limit.max(wanted) {
            self.missed += 1;
            self.missed_in_all += 1;
            return false;
        }
        self.close_gap();
        self.posted.push_back(Posted::Event(event));
        true
    }

    /// The oldest, at most `most` of them; with the gap, if there is one behind the last.
    pub(super) fn take(&mut self, most: usize) -> Vec<Posted> {
        let size = self.posted.len().min(most);
        let mut taken: Vec<Posted> = self.posted.drain(..size).collect();
        if self.posted.is_empty() && self.missed > 0 {
            self.close_gap();
            taken.extend(self.posted.pop_front());
        }
        taken
    }

    pub(super) fn depth(&self) -> usize {
        self.posted.len()
    }

    pub(super) fn missed_in_all(&self) -> u64 {
        self.missed_in_all
    }

    fn close_gap(&mut self) {
        if self.missed > 0 {
            self.posted.push_back(Posted::Gap { missed: std::mem::take(&mut self.missed), after: None });
        }
    }
}
