//! Many records at one go, as an import brings them: by `COPY`, in one transaction whose first statement moves the
//! team's row on and so locks it until the commit. With the records go their places in their streams, their words, and
//! how far the import is. A file is read on a thread of its own meanwhile.

use std::pin::pin;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use tokio::time::timeout;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Transaction};

use super::batch::Fence;
use super::draft::words_of;
use super::row::{UNFINISHED, number, storable};
use super::writer::{ANSWERED_WITHIN, Writer};
use crate::carry::{LastOf, STRIDE, Source, note};
use crate::entry::Seq;
use crate::raw::RawRecord;
use crate::search::SILENT;
use crate::store::{ReadError, WriteError};

/// So many records are written at one go, or fewer where they are so long.
const MOST: usize = if cfg!(test) { 3 } else { 20_000 };
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Chunks that are read while another one is written.
const AHEAD: usize = 1;

/// New words wait in a list until it is so long, and get into the index together: with the usual 4 MB that takes
/// several times as long.
const WORDS_TOGETHER: &str = "SET LOCAL gin_pending_list_limit = '64MB'; SET LOCAL work_mem = '64MB'";

const HEAD: &str = "UPDATE team SET seq = $4, version = version + 1 WHERE id = $1 AND epoch = $2 AND version = $3";
const SO_FAR: &str = "UPDATE rows SET body = $3 WHERE team = $1 AND kind = 'base' AND id = $2";
const RECORDS: &str = "COPY records (team, seq, stream, kind, version, at, principal, surface, request, cause, subject,
                       body) FROM STDIN (FORMAT BINARY)";
const STREAMS: &str = "COPY stream_index (team, stream, seq) FROM STDIN (FORMAT BINARY)";
const WORDS: &str = "INSERT INTO search (team, seq, whose, words) SELECT $1, w.seq, w.whose, w.words::tsvector
                     FROM unnest($2::bigint[], $3::text[], $4::text[]) AS w (seq, whose, words)";

/// Records that follow one another, and the words of those that say something.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) records: Vec<RawRecord>,
    pub(super) words: Vec<(Seq, String, String)>,
}

impl Chunk {
    /// The records of a file behind `from`, none behind `up_to`.
    fn read(file: &dyn Source, from: Seq, up_to: Seq, last_of: &mut LastOf) -> Result<Self, ReadError> {
        let (mut chunk, mut bytes) = (Self::default(), 0);
        while chunk.records.len() < MOST && bytes < MOST_BYTES {
            let at = chunk.last().unwrap_or(from);
            let left = usize::try_from(up_to.0.saturating_sub(at.0)).unwrap_or(usize::MAX);
            let records = file.raw_records(at, STRIDE.min(left).min(MOST - chunk.records.len()))?;
            if records.is_empty() {
                break;
            }
            for record in records {
                note(last_of, &record)?;
                if !SILENT.contains(&record.kind.as_str()) {
                    let kept = record.clone().read().map_err(ReadError::Fault)?;
                    chunk.words.extend(words_of(&kept, |id| file.blob(id).ok().flatten()));
                }
                bytes += record.body.len();
                chunk.records.push(record);
            }
        }
        Ok(chunk)
    }

    /// The number of the last of them.
    pub(super) fn last(&self) -> Option<Seq> {
        self.records.last().map(|record| record.seq)
    }
}

/// Hands the records of a file to `write` chunk by chunk, from behind the first of these numbers to the last, each
/// chunk between two of them; and notes the last record of each question.
pub(super) fn read_ahead<E: From<ReadError>>(
    file: &dyn Source,
    between: [Seq; 4],
    last_of: &mut LastOf,
    mut write: impl FnMut(Chunk) -> Result<(), E>,
) -> Result<(), E> {
    let (reads, chunks) = sync_channel(AHEAD);
    thread::scope(|scope| {
        let read = move || read_all(file, between, last_of, &reads);
        let reading = thread::Builder::new().name("import".to_owned()).spawn_scoped(scope, read);
        let reading = reading.map_err(|error| ReadError::Fault(error.to_string()))?;
        chunks.into_iter().try_for_each(&mut write)?;
        Ok(reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?)
    })
}

fn read_all(
    file: &dyn Source,
    [mut at, stops @ ..]: [Seq; 4],
    last_of: &mut LastOf,
    reads: &SyncSender<Chunk>,
) -> Result<(), ReadError> {
    for stop in stops {
        while at < stop {
            let chunk = Chunk::read(file, at, stop, last_of)?;
            let Some(last) = chunk.last() else { break };
            at = last;
            // Nobody hears where writing failed.
            if reads.send(chunk).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

impl Writer {
    /// Writes a chunk: all of it, or nothing. Step APPEND of the model, in a transaction of several statements.
    pub(super) async fn load(&mut self, chunk: &Chunk) -> Result<(), WriteError> {
        let Some(seq) = chunk.last() else { return Ok(()) };
        self.client().await?;
        let fence = Fence { team: self.team, epoch: self.epoch, version: self.version, seq };
        let Some(client) = &mut self.client else { return Err(WriteError::Fault("there is no connection".to_owned())) };
        let answer = timeout(ANSWERED_WITHIN, copy(client, chunk, fence)).await;
        self.settle(answer.ok(), seq, None).await
    }
}

/// Whether the team was as it should be; nothing is written where it was not.
async fn copy(client: &mut Client, chunk: &Chunk, fence: Fence) -> Result<bool, tokio_postgres::Error> {
    let Fence { team, epoch, version, seq } = fence;
    let transaction = client.transaction().await?;
    transaction.batch_execute(WORDS_TOGETHER).await?;
    if transaction.execute(HEAD, &[&team, &epoch, &version, &number(seq.0)]).await? == 0 {
        return Ok(false);
    }
    transaction.execute(SO_FAR, &[&team, &UNFINISHED, &seq.to_string()]).await?;
    copy_records(&transaction, team, &chunk.records).await?;
    copy_streams(&transaction, team, &chunk.records).await?;
    let numbers: Vec<i64> = chunk.words.iter().map(|(seq, ..)| number(seq.0)).collect();
    let whose: Vec<&str> = chunk.words.iter().map(|(_, whose, _)| whose.as_str()).collect();
    let words: Vec<&str> = chunk.words.iter().map(|(.., words)| words.as_str()).collect();
    transaction.execute(WORDS, &[&team, &numbers, &whose, &words]).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn copy_records(
    transaction: &Transaction<'_>,
    team: i32,
    records: &[RawRecord],
) -> Result<(), tokio_postgres::Error> {
    const T: Type = Type::TEXT;
    const N: Type = Type::INT8;
    let types = [Type::INT4, N, T, T, Type::INT2, N, T, T, T, N, T, T];
    let mut out = pin!(BinaryCopyInWriter::new(transaction.copy_in(RECORDS).await?, &types));
    for one in records {
        let version = i16::try_from(one.version).unwrap_or(i16::MAX);
        let (principal, request) = (storable(&one.principal), one.request.as_deref().map(storable));
        let (seq, at, cause) = (number(one.seq.0), number(one.at.0), one.cause.map(|seq| number(seq.0)));
        let row: [&(dyn ToSql + Sync); 12] = [
            &team, &seq, &one.stream, &one.kind, &version, &at, &principal, &one.surface, &request, &cause,
            &one.subject, &one.body,
        ];
        out.as_mut().write(&row).await?;
    }
    out.finish().await.map(drop)
}

/// The places in the order of their index.
async fn copy_streams(
    transaction: &Transaction<'_>,
    team: i32,
    records: &[RawRecord],
) -> Result<(), tokio_postgres::Error> {
    let mut places: Vec<(&str, Seq)> = records.iter().map(|record| (record.stream.as_str(), record.seq)).collect();
    places.sort_unstable();
    let types = [Type::INT4, Type::TEXT, Type::INT8];
    let mut out = pin!(BinaryCopyInWriter::new(transaction.copy_in(STREAMS).await?, &types));
    for (stream, seq) in places {
        out.as_mut().write(&[&team, &stream, &number(seq.0)]).await?;
    }
    out.finish().await.map(drop)
}
