//! Looking for lines: every line of every terminal that is meant, in linear time, and counted to the end.

use std::collections::VecDeque;

use regex::Regex;
use rusqlite::{Connection, params};

use super::fault::TranscriptFault;
use super::kept::{KeptTerminal, Whose};
use super::schema::count;
use crate::domain::ids::TerminalId;
use crate::domain::time::Timestamp;

/// What is looked for, and where.
#[derive(Debug, Clone)]
pub struct Search {
    /// What a line must have in it.
    pub pattern: Regex,
    pub only: Option<TerminalId>,
    pub whose: Whose,
    /// How many lines before and after a match come with it.
    pub context: usize,
    /// How many matches are passed over first.
    pub skip: usize,
    /// The most matches that are given; all are counted.
    pub most: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// The first of them: of the terminal that printed last first, and within one from its beginning on.
    pub matches: Vec<Match>,
    pub total: u64,
    pub searched: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub terminal: TerminalId,
    /// The line's number, from 1.
    pub line_number: u64,
    pub text: String,
    /// What stands above it, oldest first.
    pub before: Vec<String>,
    /// What stands below it.
    pub after: Vec<String>,
    pub at: Timestamp,
}

impl Search {
    pub(super) fn run(&self, db: &Connection) -> Result<Found, TranscriptFault> {
        let mut found = Found::default();
        let mut select = db.prepare_cached("SELECT body FROM terminals ORDER BY updated_at DESC, id")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
            let kept: KeptTerminal =
                serde_json::from_str(body).map_err(|error| TranscriptFault(format!("a row is damaged: {error}")))?;
            let meant = self.only.as_ref().is_none_or(|only| *only == kept.spec.id) && self.whose.admits(&kept.spec);
            if meant {
                found.searched += 1;
                self.look_through(db, &kept, &mut found)?;
            }
        }
        Ok(found)
    }

    fn look_through(&self, db: &Connection, kept: &KeptTerminal, found: &mut Found) -> Result<(), TranscriptFault> {
        let mut reader = LineReader { search: self, found, kept, above: VecDeque::new(), open: Vec::new() };
        let mut select = db.prepare_cached("SELECT number, at, text FROM lines WHERE terminal = ?1 ORDER BY number")?;
        let mut rows = select.query(params![kept.spec.id.as_str()])?;
        while let Some(row) = rows.next()? {
            let number = count(row.get(0)?);
            // What has come back to the screen, as when it was made larger, is there.
            if number >= kept.screen_line {
                break;
            }
            let text = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
            reader.read(number, Timestamp(count(row.get(1)?)), text);
        }
        for (number, text) in (kept.screen_line..).zip(&kept.screen) {
            reader.read(number, kept.updated_at, text);
        }
        Ok(())
    }
}

/// Reads lines in their order, and gives each match what stands around it.
struct LineReader<'a> {
    search: &'a Search,
    found: &'a mut Found,
    kept: &'a KeptTerminal,
    above: VecDeque<String>,
    /// Matches that still wait for lines below them.
    open: Vec<usize>,
}

impl LineReader<'_> {
    fn read(&mut self, number: u64, at: Timestamp, text: &str) {
        let context = self.search.context;
        for index in &self.open {
            self.found.matches[*index].after.push(text.to_owned());
        }
        let matches = &self.found.matches;
        self.open.retain(|index| matches[*index].after.len() < context);
        if self.search.pattern.is_match(text) {
            self.found.total += 1;
            if self.found.total > self.search.skip as u64 && self.found.matches.len() < self.search.most {
                self.found.matches.push(Match {
                    terminal: self.kept.spec.id.clone(),
                    line_number: number + 1,
                    text: text.to_owned(),
                    before: self.above.iter().cloned().collect(),
                    after: Vec::new(),
                    at,
                });
                if context > 0 {
                    self.open.push(self.found.matches.len() - 1);
                }
            }
        }
        if context > 0 {
            if self.above.len() == context {
                self.above.pop_front();
            }
            self.above.push_back(text.to_owned());
        }
    }
}
