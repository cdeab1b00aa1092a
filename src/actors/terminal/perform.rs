//! The effects of a terminal's turn: records to the journal, lines to the transcripts, reads of a followed file.

use std::time::Duration;

use super::look::WRITTEN_WITHIN;
use super::shelf::history_of;
use super::state::State;
use super::view::TerminalView;
use crate::actors::common::{Fault, Result};
use crate::domain::principal::By;
use crate::domain::prompt::Reader;
use crate::domain::terminal::{Sighting, TerminalRecord};
use crate::domain::time::Timestamp;
use crate::journal::{Append, Entry, ReadError, Record, Stream};
use crate::terminal::{LineEnds, LogFile, LogFileRefusal, Terminal, TerminalSize, Watch};
use crate::transcripts::{Batch, KeptLine, KeptTerminal};

/// How long after what failed it is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// How often a file is looked into that grew lately.
const OFTEN: Duration = Duration::from_millis(50);
/// How often one is looked into that did not: what is new there is seen within this time.
const SELDOM: Duration = Duration::from_millis(200);
/// For how long a file counts as one that grew lately.
const LATELY: Duration = Duration::from_secs(10);
/// The most pieces of a file that are drawn before others have their turn.
const PIECES: usize = 8;
/// How many of its last records are looked through for the prompt that was shown.
const RECORDS: usize = 50;

impl State {
    /// What was kept of it: the transcript, and the prompt that was shown.
    pub(super) async fn restore(&mut self, lines: usize) -> Result<()> {
        if let Some((kept, known)) = self.shelf.read(&self.spec.id).await? {
            let history = history_of(lines, &kept, &known);
            let size = TerminalSize::new(kept.rows, kept.cols);
            let terminal = Terminal::restored(size, history, kept.drawing.as_bytes(), kept.position);
            self.unwritten = terminal.history().next();
            self.watch = Watch::of(terminal);
            self.recent = self.shelf.recent(&self.spec.id, kept.position).await?;
            self.updated_at = kept.updated_at;
            self.ends = LineEnds::default();
            if self.spec.kind.follows_a_file() {
                self.open_file(kept.read_to).await;
            }
        }
        let stream = Stream::Terminal(self.spec.id.clone());
        let read = self.journal.read(move |reader| reader.history(&stream, RECORDS)).await;
        for kept in read.map_err(|error: ReadError| Fault::Unavailable(error.to_string()))? {
            if let Record::Terminal(record) = &kept.record {
                self.prompting.apply(kept.at, record, None);
            }
        }
        self.waits_for_its_host();
        if self.prompting.shown().is_some() {
            self.look_by(self.clock.now());
        }
        Ok(())
    }

    /// Writes down what a look comes to, and shows it once it is on disk.
    pub(super) async fn judge(&mut self, now: Timestamp, seen: Option<&Sighting>) {
        let agent = self.spec.agent.as_ref();
        // Where the program has ended nothing comes back.
        let records = match self.prompting.gone(now, agent).filter(|_| self.host.reader == Reader::Gone) {
            Some(gone) => vec![gone],
            None => self.prompting.decide(now, agent, seen, self.is_erased()),
        };
        if records.is_empty() {
            if let Some(at) = self.prompting.look_again(now, seen) {
                self.look_by(at);
            }
            return;
        }
        if let Err(fault) = self.append(self.hub.clone(), None, records.clone()).await {
            tracing::warn!("what terminal `{}` shows could not be written down: {fault}", self.spec.id);
            self.look_by(now + RETRY_AFTER);
            return;
        }
        for record in &records {
            self.prompting.apply(now, record, seen.and_then(|seen| seen.line));
        }
        self.write_at = Some(now);
    }

    pub(super) async fn append(&self, by: By, request: Option<String>, records: Vec<TerminalRecord>) -> Result<()> {
        let entry = |record| Entry::of_terminal(&self.spec.id, record);
        let entries = records.into_iter().map(entry).collect();
        let append = Append { request, ..Append::new(self.clock.now(), by, entries) };
        self.journal.append(append).await?;
        Ok(())
    }

    pub(super) async fn begin(&mut self, by: By, request: Option<String>) -> Result<TerminalView> {
        let record = TerminalRecord::MonitorStarted { agent: self.spec.agent.clone(), kind: self.spec.kind };
        self.append(by, request, vec![record]).await?;
        if self.file.is_none() {
            self.open_file(None).await;
        }
        // A look may have been taken before this order came.
        let begun = TerminalView { file_position: self.began_at, ..self.view() };
        self.poll_now().await?;
        self.flush().await;
        Ok(begun)
    }

    /// Follows no more: what is there is read, drawn and kept.
    pub(super) async fn stop(&mut self, by: By, request: Option<String>) -> Result<(TerminalView, u64)> {
        self.poll_now().await?;
        let now = self.clock.now();
        let mut records = Vec::from_iter(self.prompting.gone(now, self.spec.agent.as_ref()));
        records.push(TerminalRecord::MonitorStopped { agent: self.spec.agent.clone() });
        self.append(by, request, records.clone()).await?;
        records.iter().for_each(|record| self.prompting.apply(now, record, None));
        self.stopped_at = Some(now);
        self.flush().await;
        Ok((self.view(), self.began_at))
    }

    pub(super) async fn flush(&mut self) {
        if self.rest.is_resting() {
            return;
        }
        let batch = self.batch();
        let next = batch.lines.last().map_or(self.unwritten, |line| line.number + 1);
        self.write_at = match self.shelf.write(batch).await {
            Ok(()) => {
                self.unwritten = next;
                None
            }
            Err(fault) => {
                tracing::warn!("what terminal `{}` printed could not be kept: {fault}", self.spec.id);
                Some(self.clock.now() + WRITTEN_WITHIN)
            }
        };
    }

    fn batch(&self) -> Batch {
        let terminal = self.watch.terminal();
        let history = terminal.history();
        let rows = history.rows_from(self.unwritten);
        let lines =
            rows.map(|(number, text, wrapped)| KeptLine { number, at: self.updated_at, wrapped, text }).collect();
        let kept = KeptTerminal {
            spec: self.spec.clone(),
            position: self.recent.end(),
            read_to: self.file.as_ref().map(LogFile::position),
            rows: terminal.size().rows(),
            cols: terminal.size().cols(),
            drawing: terminal.drawing(),
            screen: terminal.screen_rows(),
            screen_line: history.next(),
            waits: self.prompting.shown().is_some(),
            stopped_at: self.stopped_at,
            updated_at: self.updated_at,
        };
        Batch { terminal: kept, lines, drop_before: history.dropped() }
    }

    /// Whoever asks sees what is in the file now, and not what was there at the last look.
    pub(super) async fn poll_now(&mut self) -> Result<()> {
        if self.poll_at.is_some() { self.poll().await } else { Ok(()) }
    }

    pub(super) async fn poll(&mut self) -> Result<()> {
        if self.file.is_none() {
            self.open_file(None).await;
        }
        let mut pieces = 0;
        while let Some(mut file) = self.file.take() {
            let looked = tokio::task::spawn_blocking(move || (file.look(), file)).await;
            let Ok((growth, file)) = looked else { break };
            self.file = Some(file);
            let more = match growth {
                Ok(growth) => {
                    if !growth.bytes.is_empty() {
                        self.wakes().await?;
                    }
                    self.take_in(growth)
                }
                Err(error) => {
                    self.lose(error.to_string());
                    false
                }
            };
            pieces += 1;
            if !more || pieces == PIECES {
                break;
            }
        }
        let now = self.clock.now();
        self.polled_at = now;
        let pause = match (self.file.is_some(), now.since(self.updated_at) < LATELY) {
            (true, true) => OFTEN,
            (true, false) => SELDOM,
            (false, _) => RETRY_AFTER,
        };
        self.poll_at = Some(now + pause);
        Ok(())
    }

    fn take_in(&mut self, growth: crate::terminal::Growth) -> bool {
        self.lost = None;
        if growth.anew {
            (self.echo, self.ends) = Default::default();
        }
        if growth.bytes.is_empty() {
            return false;
        }
        let now = self.clock.now();
        // When it was written and not when it was seen: pauses are counted from there.
        let age = growth.written.map_or(Duration::ZERO, |written| self.clock.ago(written));
        let printed = now - age.min(now.since(self.polled_at));
        self.draw(printed, &growth.bytes);
        let pause = Duration::from_millis(30);
        self.look_by((printed + pause).max(now));
        growth.more
    }

    async fn open_file(&mut self, resume: Option<u64>) {
        let Some(path) = self.spec.log_file.clone() else { return };
        let roots = self.settings.borrow().hub.monitor.roots.clone();
        let opened = tokio::task::spawn_blocking(move || LogFile::open(&roots, &path, resume)).await;
        match opened {
            Ok(Ok(file)) => {
                if self.recent.end() == 0 {
                    self.recent = crate::terminal::Recent::at(file.position());
                    self.began_at = file.position();
                }
                self.file = Some(file);
            }
            Ok(Err(refusal @ (LogFileRefusal::NotFound(_) | LogFileRefusal::NotReadable { .. }))) => {
                self.lose(refusal.to_string());
            }
            Err(panicked) => self.lose(panicked.to_string()),
        }
    }

    fn lose(&mut self, why: String) {
        if self.lost.as_ref() != Some(&why) {
            tracing::info!("terminal `{}` waits for its file: {why}", self.spec.id);
            self.lost = Some(why);
        }
        self.file = None;
    }
}
