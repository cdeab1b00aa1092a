//! What one statement writes, and the statement.

use std::collections::BTreeMap;

use tokio_postgres::types::ToSql;

use super::row::{RowKind, StateRow, number, storable};
use crate::entry::Seq;
use crate::raw::RawRecord;

/// Everything that is written together. Each row is there once, as it is after all of it: one statement cannot write
/// a row twice.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) records: Vec<RawRecord>,
    /// Records by stream: to be indexed; where records are cut off, to be taken from the index.
    pub(super) streams: Vec<(String, Seq)>,
    /// Rows by kind and id; none: to be deleted.
    pub(super) rows: BTreeMap<(RowKind, String), Option<StateRow>>,
    /// Long texts; where records are cut off, those to be deleted.
    pub(super) blobs: BTreeMap<String, String>,
    /// Words by record and owner; where records are cut off, the owners whose words go.
    pub(super) words: Vec<(Seq, String, String)>,
    /// The number of the last record whose rows are written.
    pub(super) rows_up_to: Option<Seq>,
    /// Up to this number records are cut off.
    pub(super) cut: Option<Seq>,
    /// Instead of all that: some thousand of the rows go that an import writes.
    pub(super) clear: bool,
}

/// Moves the team on. Everything else depends on its one row. What goes is looked up row by row, which `OFFSET` keeps
/// together: a plan that was made while the tables were small would else read all rows of the team for it.
const HEAD: &str = "
WITH head AS (
    UPDATE team SET seq = $4, version = version + 1, rows_up_to = greatest(rows_up_to, $5),
        horizon = greatest(horizon, $6)
    WHERE id = $1 AND epoch = $2 AND version = $3 RETURNING id),
gone AS (
    DELETE FROM rows WHERE ctid = ANY (ARRAY(
        SELECT found.ctid FROM head, unnest($32::text[], $33::text[]) AS g (kind, id),
        LATERAL (SELECT ctid FROM rows WHERE team = head.id AND kind = g.kind AND id = g.id OFFSET 0) AS found))),
put AS (
    INSERT INTO rows (team, kind, id, state, open, holder, scope, parent, rank, begun, moved, ended, body)
    SELECT head.id, p.* FROM head, unnest($20::text[], $21::text[], $22::text[], $23::bool[], $24::text[], $25::text[],
        $26::text[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[], $31::text[]) AS p
    ON CONFLICT (team, kind, id) DO UPDATE SET state = excluded.state, open = excluded.open, holder = excluded.holder,
        scope = excluded.scope, parent = excluded.parent, rank = excluded.rank, begun = excluded.begun,
        moved = excluded.moved, ended = excluded.ended, body = excluded.body),
rec AS (
    INSERT INTO records (team, seq, stream, kind, version, at, principal, surface, request, cause, subject, body)
    SELECT head.id, r.* FROM head, unnest($7::bigint[], $8::text[], $9::text[], $10::int2[], $11::bigint[],
        $12::text[], $13::text[], $14::text[], $15::bigint[], $16::text[], $17::text[]) AS r)";

/// What an append adds.
const ADD: &str = ",
streams AS (
    INSERT INTO stream_index (team, stream, seq)
    SELECT head.id, s.* FROM head, unnest($18::text[], $19::bigint[]) AS s ON CONFLICT DO NOTHING),
texts AS (
    INSERT INTO blobs (team, id, body) SELECT head.id, b.* FROM head, unnest($34::text[], $35::bytea[]) AS b
    ON CONFLICT (team, id) DO UPDATE SET body = excluded.body),
said AS (
    INSERT INTO search (team, seq, whose, words)
    SELECT head.id, w.seq, w.whose, w.words::tsvector
    FROM head, unnest($36::bigint[], $37::text[], $38::text[]) AS w (seq, whose, words) ON CONFLICT DO NOTHING)
SELECT id FROM head";

/// What pruning takes away.
const CUT: &str = ",
streams AS (
    DELETE FROM stream_index WHERE ctid = ANY (ARRAY(SELECT found.ctid
        FROM head, unnest($18::text[], $19::bigint[]) AS s (stream, seq), LATERAL (SELECT ctid FROM stream_index i
            WHERE i.team = head.id AND i.stream = s.stream AND i.seq = s.seq OFFSET 0) AS found))),
cut AS (DELETE FROM records USING head WHERE team = head.id AND seq <= $6),
texts AS (
    DELETE FROM blobs WHERE ctid = ANY (ARRAY(
        SELECT found.ctid FROM head, unnest($34::text[], $35::bytea[]) AS b (id, body),
        LATERAL (SELECT ctid FROM blobs WHERE team = head.id AND id = b.id OFFSET 0) AS found))),
said AS (
    DELETE FROM search WHERE ctid = ANY (ARRAY(SELECT found.ctid
        FROM head, unnest($36::bigint[], $37::text[], $38::text[]) AS w (seq, whose, words),
            LATERAL (SELECT ctid FROM search s WHERE s.team = head.id AND s.whose = w.whose OFFSET 0) AS found)))
SELECT id FROM head";

/// The rows that an import writes anew: all but texts that are kept beside the journal, and the marks of imports.
pub(super) const CARRIED: &str = "kind <> 'file' AND NOT (kind = 'base' AND id IN ('import', 'home'))";

/// What an import takes away before.
const CLEAR: &str = "
WITH head AS (
    UPDATE team SET seq = $4, version = version + 1, rows_up_to = 0
    WHERE id = $1 AND epoch = $2 AND version = $3 RETURNING id),
gone AS (
    DELETE FROM rows USING head
    WHERE team = head.id AND rows.ctid = ANY (ARRAY(SELECT ctid FROM rows WHERE team = $1 AND ";
const CLEAR_END: &str = " LIMIT 20000)))
SELECT id FROM head";

/// Where the team's row is to stand, and where it is to go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fence {
    pub(super) team: i32,
    pub(super) epoch: i64,
    pub(super) version: i64,
    /// The last number after this batch.
    pub(super) seq: Seq,
}

type Params = Vec<Box<dyn ToSql + Sync + Send>>;

impl Batch {
    pub(super) fn put(&mut self, kind: RowKind, id: &str, row: StateRow) {
        self.rows.insert((kind, storable(id)), Some(row));
    }

    pub(super) fn forget(&mut self, kind: RowKind, id: &str) {
        self.rows.insert((kind, storable(id)), None);
    }

    pub(super) fn sql(&self) -> String {
        match (self.clear, self.cut.is_some()) {
            (true, _) => format!("{CLEAR}{CARRIED}{CLEAR_END}"),
            (false, cut) => format!("{HEAD}{}", if cut { CUT } else { ADD }),
        }
    }

    /// The values of the statement, in the order of its parameters.
    pub(super) fn into_params(self, fence: Fence) -> Params {
        let Fence { team, epoch, version, seq } = fence;
        let mut params: Params = vec![Box::new(team), Box::new(epoch), Box::new(version), Box::new(number(seq.0))];
        if self.clear {
            return params;
        }
        params.push(Box::new(number(self.rows_up_to.unwrap_or_default().0)));
        params.push(Box::new(number(self.cut.unwrap_or_default().0)));
        let records = &self.records;
        column(&mut params, records, |one| number(one.seq.0));
        column(&mut params, records, |one| one.stream.clone());
        column(&mut params, records, |one| one.kind.clone());
        column(&mut params, records, |one| i16::try_from(one.version).unwrap_or(i16::MAX));
        column(&mut params, records, |one| number(one.at.0));
        column(&mut params, records, |one| storable(&one.principal));
        column(&mut params, records, |one| one.surface.clone());
        column(&mut params, records, |one| one.request.as_deref().map(storable));
        column(&mut params, records, |one| one.cause.map(|seq| number(seq.0)));
        column(&mut params, records, |one| one.subject.clone());
        column(&mut params, records, |one| one.body.clone());
        column(&mut params, &self.streams, |(stream, _)| stream.clone());
        column(&mut params, &self.streams, |(_, seq)| number(seq.0));
        let (put, gone): (Vec<_>, Vec<_>) = self.rows.into_iter().partition(|(_, row)| row.is_some());
        let put: Vec<_> = put.into_iter().filter_map(|((kind, id), row)| Some((kind, id, row?))).collect();
        column(&mut params, &put, |(kind, ..)| kind.as_str());
        column(&mut params, &put, |(_, id, _)| id.clone());
        column(&mut params, &put, |(.., row)| row.state.as_deref().map(storable));
        column(&mut params, &put, |(.., row)| row.open);
        column(&mut params, &put, |(.., row)| row.holder.as_deref().map(storable));
        column(&mut params, &put, |(.., row)| row.scope.as_deref().map(storable));
        column(&mut params, &put, |(.., row)| row.parent.as_deref().map(storable));
        column(&mut params, &put, |(.., row)| row.rank);
        column(&mut params, &put, |(.., row)| row.begun);
        column(&mut params, &put, |(.., row)| row.moved);
        column(&mut params, &put, |(.., row)| row.ended);
        params.push(Box::new(put.into_iter().map(|(.., row)| storable(&row.body)).collect::<Vec<_>>()));
        column(&mut params, &gone, |((kind, _), _)| kind.as_str());
        column(&mut params, &gone, |((_, id), _)| id.clone());
        params.push(Box::new(self.blobs.keys().cloned().collect::<Vec<_>>()));
        params.push(Box::new(self.blobs.into_values().map(String::into_bytes).collect::<Vec<_>>()));
        column(&mut params, &self.words, |(seq, ..)| number(seq.0));
        column(&mut params, &self.words, |(_, whose, _)| whose.clone());
        column(&mut params, &self.words, |(.., words)| words.clone());
        params
    }
}

/// One array, of one value of each item.
fn column<I, T>(params: &mut Params, items: &[I], of: impl Fn(&I) -> T)
where
    T: ToSql + Sync + Send + 'static,
{
    params.push(Box::new(items.iter().map(of).collect::<Vec<T>>()));
}
