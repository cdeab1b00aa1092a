//! How many bytes the hub appends for a task: what the floor's rows are as long as.
//!
//! Counted are the texts that an append brings: the bodies of its records, and the row that they led to. The columns
//! beside them, the indexes and the second table are the hub's own affair: the floor pays for none of them.

use super::error::BenchError;
use super::hub::Hub;
use callboard::domain::task::Task;
use callboard::journal::codec;
use callboard::journal::sqlite::open_read_only;
use callboard::journal::{Kept, ReadError, Reader as _, Record, Seq, Stream};

/// The bytes of each append of a task, oldest first.
pub(super) fn of_task(hub: &Hub, task: &str) -> Result<Vec<usize>, BenchError> {
    Ok(appends(&history(hub, task)?))
}

/// The bytes of all records of a task, without its row: what alone cannot be made again.
pub(super) fn records_of_task(hub: &Hub, task: &str) -> Result<usize, BenchError> {
    let body = |kept: &Kept| codec::encode(&kept.record).map_or(0, |encoded| encoded.body.len());
    Ok(history(hub, task)?.iter().map(body).sum())
}

fn history(hub: &Hub, task: &str) -> Result<Vec<Kept>, BenchError> {
    let reader = open_read_only(&hub.data().join("callboard.db"));
    let reader = reader.map_err(|error| BenchError::Database(error.to_string()))?;
    let Some(stream) = Stream::parse(&format!("task:{task}")) else { return Ok(Vec::new()) };
    let unread = |error: ReadError| BenchError::Database(error.to_string());
    reader.history(&stream, usize::MAX >> 1).map_err(unread)
}

fn appends(history: &[Kept]) -> Vec<usize> {
    let mut sizes: Vec<(Seq, (usize, usize))> = Vec::new();
    let mut task: Option<Task> = None;
    for kept in history {
        let Record::Task(record) = &kept.record else { continue };
        task = match task.take() {
            None => Task::from_created(kept.at, record),
            Some(mut task) => {
                task.apply(kept.at, record);
                Some(task)
            }
        };
        let first = kept.cause.unwrap_or(kept.seq);
        let row = task.as_ref().and_then(|task| serde_json::to_string(task).ok()).map_or(0, |row| row.len());
        let body = codec::encode(&kept.record).map_or(0, |encoded| encoded.body.len());
        match sizes.last_mut() {
            // Each append writes the row once, as it is after its last record.
            Some((seq, (records, last))) if *seq == first => (*records, *last) = (*records + body, row),
            Some(_) | None => sizes.push((first, (body, row))),
        }
    }
    sizes.into_iter().map(|(_, (records, row))| records + row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::story::{Cast, End};
    use callboard::domain::time::Timestamp;
    use callboard::ids::Ids;
    use callboard::journal::{Append, Entry};

    #[test]
    fn records_of_one_append_are_counted_together_and_their_row_once() {
        let cast = Cast::gather().unwrap();
        let id = Ids::seeded(1).task();
        let (records, task) = cast.lives(id.clone(), Timestamp(1000), End::InProgress).unwrap();
        let entry = |record| Entry::of_task(&id, None, record);
        let append = |records: Vec<_>, first| {
            let entries = records.into_iter().map(entry).collect();
            Append::new(Timestamp(1000), cast.by(), entries).into_kept(Seq(first))
        };
        let apart: Vec<Kept> =
            records.iter().zip(1..).flat_map(|(record, seq)| append(vec![record.clone()], seq)).collect();
        let together = append(records, 1);
        let (apart, together) = (appends(&apart), appends(&together));
        let row = serde_json::to_string(&task).unwrap().len();
        assert_eq!((apart.len(), together.len()), (3, 1));
        assert!(apart[2] > row && together[0] > row, "{apart:?} {together:?} {row}");
        assert!(together[0] < apart.iter().sum());
    }
}
