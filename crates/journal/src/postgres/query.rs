//! One question about the rows of a kind: its conditions, and a page of bodies, or their number.

use serde::de::DeserializeOwned;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::row::{RowKind, number, storable, stored, unsigned};
use crate::domain::time::Timestamp;
use crate::entry::{Kept, Seq};
use crate::page::TaskCursor;
use crate::raw::RawRecord;
use crate::store::ReadError;

/// A value of a statement.
pub(super) type Param = Box<dyn ToSql + Sync + Send>;

/// Whoever finds the rows of a statement.
pub(super) trait Asks {
    fn ask(&self, sql: &str, params: &[Param]) -> Result<Vec<Row>, ReadError>;
}

/// What stands behind `FROM rows`. Its first parameter is the team.
pub(super) struct Query {
    sql: String,
    params: Vec<Param>,
}

impl Query {
    /// About every row of a kind. The kind is in the text, so that the indexes of some kinds are known to fit.
    pub(super) fn of(team: i32, kind: RowKind) -> Self {
        let sql = format!(" FROM rows WHERE team = $1 AND kind = '{}'", kind.as_str());
        Self { sql, params: vec![Box::new(team)] }
    }

    /// With one more condition; `?` in it is this value.
    pub(super) fn and(mut self, condition: &str, value: impl ToSql + Sync + Send + 'static) -> Self {
        self.params.push(Box::new(value));
        let place = format!("${}", self.params.len());
        self.sql.push_str(" AND ");
        self.sql.push_str(&condition.replace('?', &place));
        self
    }

    pub(super) fn and_text(self, column: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.and(&format!("{column} = ?"), storable(value)),
            None => self,
        }
    }

    /// In one of these states; in any, when none is named.
    pub(super) fn and_one_of(self, states: impl ExactSizeIterator<Item = &'static str>) -> Self {
        if states.len() == 0 { self } else { self.and("state = ANY(?)", states.collect::<Vec<_>>()) }
    }

    /// Behind this place of a list that begins with the newest.
    pub(super) fn behind(mut self, cursor: Option<&TaskCursor>) -> Self {
        let Some(cursor) = cursor else { return self };
        self.params.push(Box::new(number(cursor.created_at.0)));
        let condition = format!("(begun, id) < (${}, ?)", self.params.len());
        self.and(&condition, cursor.id.as_str().to_owned())
    }

    /// At most `limit` bodies, by these columns.
    pub(super) fn bodies<T: DeserializeOwned>(
        mut self,
        reader: &impl Asks,
        order: &str,
        limit: usize,
    ) -> Result<Vec<T>, ReadError> {
        self.params.push(Box::new(i64::try_from(limit).unwrap_or(i64::MAX)));
        let sql = format!("SELECT body{} ORDER BY {order} LIMIT ${}", self.sql, self.params.len());
        reader.ask(&sql, &self.params)?.iter().map(|row| parse(row.get(0))).collect()
    }

    pub(super) fn count(self, reader: &impl Asks) -> Result<u64, ReadError> {
        let rows = reader.ask(&format!("SELECT count(*){}", self.sql), &self.params)?;
        Ok(rows.first().map(|row| unsigned(row.get(0))).unwrap_or_default())
    }
}

pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    serde_json::from_str(text).map_err(|error| ReadError::Fault(format!("a row is damaged: {error}")))
}

/// The columns of a record, as [`raw`] reads them.
pub(super) const RECORD: &str =
    "r.seq, r.at, r.principal, r.surface, r.request, r.cause, r.stream, r.kind, r.version, r.body, r.subject";

pub(super) fn raw(row: &Row) -> RawRecord {
    let version: i16 = row.get(8);
    RawRecord {
        seq: Seq(unsigned(row.get(0))),
        at: Timestamp(unsigned(row.get(1))),
        principal: stored(row.get(2)),
        surface: row.get(3),
        request: row.get::<_, Option<&str>>(4).map(stored),
        cause: row.get::<_, Option<i64>>(5).map(|seq| Seq(unsigned(seq))),
        stream: row.get(6),
        kind: row.get(7),
        version: u16::try_from(version).unwrap_or_default(),
        body: row.get(9),
        subject: row.get(10),
    }
}

pub(super) fn kept(rows: &[Row]) -> Result<Vec<Kept>, ReadError> {
    rows.iter().map(|row| raw(row).read().map_err(ReadError::Fault)).collect()
}
