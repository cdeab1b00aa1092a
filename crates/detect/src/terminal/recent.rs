//! What was printed lately, as it came: for who reads on from a place. Bounded; nobody's reading takes anything away.

use std::collections::VecDeque;

/// Bytes by their place in the stream, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Recent {
    pieces: VecDeque<Piece>,
    kept: usize,
    end: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    pub start: u64,
    /// How many bytes of the stream it stands for: more or fewer than it has, where a secret was taken out.
    pub length: u64,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Extract {
    /// It, cut at a character's end.
    pub bytes: Vec<u8>,
    pub position: u64,
    pub more: bool,
    /// How many bytes before it are kept no longer.
    pub missed: u64,
}

impl Recent {
    /// The most bytes that are kept.
    pub const MOST: usize = 256 * 1024;
    /// The most bytes of one piece: what goes at once when there is no more room.
    const PIECE: usize = 16 * 1024;

    /// Nothing yet; the first byte will stand at `position`.
    pub fn at(position: u64) -> Self {
        Self { end: position, ..Self::default() }
    }

    /// What was kept of it, when it goes on at `end`; nothing, when it does not.
    pub fn restored(end: u64, pieces: Vec<Piece>) -> Self {
        let fits = pieces.last().is_some_and(|piece| piece.start + piece.length == end);
        let kept = pieces.iter().map(|piece| piece.bytes.len()).sum();
        if fits { Self { pieces: pieces.into(), kept, end } } else { Self::at(end) }
    }

    /// Gives it away to be kept: neighbours in one piece, where no secret was taken out.
    ///
    /// What comes next stands where it would have stood.
    pub fn take(&mut self) -> Vec<Piece> {
        let mut taken: Vec<Piece> = Vec::new();
        for piece in std::mem::replace(self, Self::at(self.end)).pieces {
            match taken.last_mut().filter(|last| last.is_whole() && piece.is_whole()) {
                Some(last) if last.bytes.len() < Self::PIECE => {
                    last.bytes.extend_from_slice(&piece.bytes);
                    last.length += piece.length;
                }
                Some(_) | None => taken.push(piece),
            }
        }
        taken
    }

    pub const fn end(&self) -> u64 {
        self.end
    }

    /// Adds what came: `length` bytes, of which `bytes` are kept.
    pub fn push(&mut self, bytes: &[u8], length: u64) {
        let as_it_was = u64::try_from(bytes.len()).is_ok_and(|kept| kept == length);
        if as_it_was {
            for piece in bytes.chunks(Self::PIECE) {
                self.add(piece, u64::try_from(piece.len()).unwrap_or_default());
            }
        } else {
            self.add(bytes, length);
        }
    }

    fn add(&mut self, bytes: &[u8], length: u64) {
        self.kept += bytes.len();
        self.pieces.push_back(Piece { start: self.end, length, bytes: bytes.to_vec() });
        self.end += length;
        while self.kept > Self::MOST && self.pieces.len() > 1 {
            if let Some(first) = self.pieces.pop_front() {
                self.kept -= first.bytes.len();
            }
        }
    }

    /// What stands from `since` on, at most `most` bytes; from the oldest that is kept, when that is later.
    pub fn since(&self, since: u64, most: usize) -> Extract {
        let oldest = self.pieces.front().map_or(self.end, |piece| piece.start);
        let mut extract = Extract { position: since.clamp(oldest, self.end), ..Extract::default() };
        extract.missed = oldest.saturating_sub(since);
        for piece in &self.pieces {
            let end = piece.start + piece.length;
            if end <= extract.position {
                continue;
            }
            let whole = piece.is_whole();
            let skip = if whole { usize::try_from(extract.position - piece.start).unwrap_or(usize::MAX) } else { 0 };
            let bytes = piece.bytes.get(skip..).unwrap_or_default();
            let room = most.saturating_sub(extract.bytes.len());
            if bytes.len() > room && (whole || !extract.bytes.is_empty()) {
                let part = if whole { &bytes[..room] } else { &[] };
                extract.bytes.extend_from_slice(part);
                extract.position += u64::try_from(part.len()).unwrap_or_default();
                break;
            }
            extract.bytes.extend_from_slice(bytes);
            extract.position = end;
        }
        let open = open_character(&extract.bytes);
        // The rest of the character will come.
        if open > 0 {
            extract.bytes.truncate(extract.bytes.len() - open);
            extract.position -= u64::try_from(open).unwrap_or_default();
        }
        extract.more = extract.position + u64::try_from(open).unwrap_or_default() < self.end;
        extract
    }
}

impl Piece {
    /// Whether every byte that came is there.
    fn is_whole(&self) -> bool {
        u64::try_from(self.bytes.len()).is_ok_and(|kept| kept == self.length)
    }
}

/// How many bytes at the end are the beginning of a character that is not whole.
fn open_character(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(4)..];
    match std::str::from_utf8(tail) {
        Ok(_) => 0,
        Err(_) => (1..=tail.len().min(3))
            .find(|length| {
                let first = tail[tail.len() - length];
                let needs = match first {
                    0xc2..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf4 => 4,
                    _ => 0,
                };
                needs > *length
            })
            .unwrap_or(0),
    }
}

#[cfg(test)]
mod tests;
