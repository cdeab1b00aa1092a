//! Numbers of ours as SQLite keeps them: signed, so that the upper half of their range is refused and not wrapped.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::time::Timestamp;

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        signed(self.0)
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        unsigned(value).map(Self)
    }
}

/// The number as a column's value. Fails when it is larger than a signed number can be.
pub fn signed(number: u64) -> rusqlite::Result<ToSqlOutput<'static>> {
    i64::try_from(number)
        .map(ToSqlOutput::from)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

/// The number that a column holds. Fails when the column holds no number, or a negative one.
pub fn unsigned(value: ValueRef<'_>) -> FromSqlResult<u64> {
    let number = value.as_i64()?;
    u64::try_from(number).map_err(|_| FromSqlError::OutOfRange(number))
}
