//! What is on its way to the hub: the last output, whether it was sent or not, and words between it.
//!
//! The hub may go down and come back with less than it was sent, so the last output is kept: what it lacks is sent
//! again. Where too much is lost, a clean screen and the drawing of the present one take its place.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::domain::wire::{HostWord, LARGEST};

/// How much output is kept.
const MOST: usize = 2 * 1024 * 1024;
/// How many words wait at most for a hub that is away.
const WORDS: usize = 256;
/// The most output in one message.
const MESSAGE: usize = LARGEST / 4;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum OutboundItem {
    Output(Bytes),
    Word(HostWord),
}

/// What is on its way. Places count the bytes that were put in here, as the program printed them.
#[derive(Debug, Default)]
pub(super) struct Outbound {
    pieces: VecDeque<Bytes>,
    /// The place of the first byte that is kept, and behind the last.
    kept: std::ops::Range<u64>,
    /// What comes next was not sent to the present hub.
    sent: u64,
    words: VecDeque<(u64, HostWord)>,
    /// What the hub's places are ahead of ours; known from the first welcome on.
    ahead: Option<i128>,
    /// How many bytes the hub will have when it has taken what was sent.
    hub: i128,
}

/// How a hub that came back is to be brought up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resume {
    /// What it lacks is kept.
    Seamless,
    /// So many bytes are lost to it.
    Lost(u64),
}

impl Outbound {
    pub(super) fn printed(&mut self, bytes: Bytes) {
        self.kept.end += length(&bytes);
        self.pieces.push_back(bytes);
        while self.kept.end - self.kept.start > MOST as u64 {
            let Some(oldest) = self.pieces.pop_front() else { break };
            self.kept.start += length(&oldest);
        }
    }

    /// A word, at this place. Of more than can be kept the oldest go.
    pub(super) fn say(&mut self, word: HostWord) {
        if self.words.len() == WORDS {
            self.words.pop_front();
        }
        self.words.push_back((self.kept.end, word));
    }

    /// A word before everything else.
    pub(super) fn say_first(&mut self, word: HostWord) {
        self.words.push_front((0, word));
    }

    /// The connection is gone: what was true of that moment alone need not be told any more.
    pub(super) fn disconnected(&mut self) {
        self.words.retain(|(_, word)| matches!(word, HostWord::Answered { .. } | HostWord::Ended { .. }));
    }

    /// A hub that has so many bytes of this terminal takes what comes.
    pub(super) fn resume(&mut self, position: u64) -> Resume {
        self.hub = i128::from(position);
        let start = i128::from(self.kept.start);
        let ahead = *self.ahead.get_or_insert(self.hub);
        let wants = self.hub - ahead;
        match u64::try_from(wants) {
            Ok(wants) if self.kept.contains(&wants) || wants == self.kept.end => {
                self.sent = wants;
                Resume::Seamless
            }
            Ok(_) | Err(_) => Resume::Lost(u64::try_from(start - wants).unwrap_or_default()),
        }
    }

    /// The hub is sent a drawing in place of what is kept.
    pub(super) fn redraw(&mut self, missed: u64, drawing: Bytes) {
        self.pieces.clear();
        self.kept.start = self.kept.end;
        self.sent = self.kept.end;
        self.ahead = Some(self.hub - i128::from(self.kept.end));
        self.say_first(HostWord::Reset { missed });
        self.printed(drawing);
    }

    /// Some of what was not sent is kept no more, because the hub takes it too slowly: it needs a drawing.
    pub(super) fn has_gap(&self) -> bool {
        self.sent < self.kept.start
    }

    /// How much that is.
    pub(super) fn gap(&self) -> u64 {
        self.kept.start.saturating_sub(self.sent)
    }

    pub(super) fn next(&mut self) -> Option<OutboundItem> {
        if self.has_gap() {
            return None;
        }
        let due = self.words.front().map(|(at, _)| *at);
        if due.is_some_and(|at| at <= self.sent) {
            return self.words.pop_front().map(|(_, word)| OutboundItem::Word(word));
        }
        let until = due.unwrap_or(self.kept.end);
        let bytes = self.from(self.sent, until)?;
        self.sent += length(&bytes);
        self.hub += i128::from(length(&bytes));
        Some(OutboundItem::Output(bytes))
    }

    /// Output from a place on, not beyond another, as much as fits one message.
    fn from(&self, from: u64, until: u64) -> Option<Bytes> {
        let mut at = self.kept.start;
        let mut found: Vec<Bytes> = Vec::new();
        let mut room = MESSAGE.min(usize::try_from(until.saturating_sub(from)).unwrap_or(MESSAGE));
        for piece in &self.pieces {
            let end = at + length(piece);
            if end > from && room > 0 {
                let skipped = usize::try_from(from.saturating_sub(at)).unwrap_or_default();
                let taken = piece.slice(skipped..piece.len().min(skipped + room));
                room -= taken.len();
                found.push(taken);
            }
            at = end;
        }
        match found.len() {
            0 => None,
            1 => found.pop(),
            _ => Some(Bytes::from(found.concat())),
        }
    }
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
