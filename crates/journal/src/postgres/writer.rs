//! The one connection that writes, and what it does when no answer comes.

use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::batch::{Batch, Fence};
use super::lock::{self, ALONE};
use super::place::DatabasePlace;
use super::problem::said;
use super::row::unsigned;
use crate::entry::Seq;
use crate::sqlite::{FileId, Mark};
use crate::store::WriteError;

/// So long an answer to a statement is waited for; what became of it is asked then.
pub(super) const ANSWERED_WITHIN: Duration = Duration::from_secs(35);

/// Between two tries to reach the database.
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) struct Writer {
    pub(super) place: DatabasePlace,
    pub(super) team: i32,
    /// Drawn when the team was taken: who takes it next writes another one. So a step forward of one's own epoch that
    /// was done and not heard of is not taken for somebody else's.
    pub(super) owner: i64,
    pub(super) epoch: i64,
    pub(super) version: i64,
    pub(super) position: Seq,
    pub(super) horizon: Seq,
    pub(super) house: FileId,
    /// What this machine acknowledged, once it belongs to the house.
    pub(super) mark: Mark,
    /// None after it was lost.
    pub(super) client: Option<Client>,
    /// Whether it holds the lock of a hub without a name, which a node does not need.
    pub(super) locked: bool,
    /// The statements of an append and of pruning, as this connection has them.
    pub(super) prepared: Option<(String, Statement)>,
    /// Why nothing is written any more, until the hub starts anew.
    pub(super) ended: Option<String>,
}

/// What became of a statement whose answer did not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resolved {
    Kept,
    NotKept,
}

impl Writer {
    /// A connection that can be trusted.
    pub(super) async fn client(&mut self) -> Result<&Client, WriteError> {
        if let Some(why) = &self.ended {
            return Err(WriteError::Fault(why.clone()));
        }
        if self.client.as_ref().is_none_or(Client::is_closed) {
            let before = self.version;
            self.reconnect().await?;
            if self.version != before {
                return Err(self.end("another program writes into its tables"));
            }
        }
        // After a connection was lost its session may hold the lock for a moment.
        if let (false, None, Some(client)) = (self.locked, self.place.holder, &self.client) {
            let locked = timeout(ANSWERED_WITHIN, lock::lock(client, ALONE, self.team)).await;
            self.locked = matches!(locked, Ok(Ok(true)));
        }
        self.client.as_ref().ok_or_else(|| WriteError::Fault("there is no connection".to_owned()))
    }

    /// Asks about rows that checks need.
    pub(super) async fn ask(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, WriteError> {
        let Ok(answer) = timeout(ANSWERED_WITHIN, self.client().await?.query(sql, params)).await else {
            return Err(self.unanswered());
        };
        answer.map_err(|error| fault(&error))
    }

    /// A connection that gave no answer in time is not asked again.
    fn unanswered(&mut self) -> WriteError {
        (self.client, self.prepared) = (None, None);
        WriteError::Fault("the database gave no answer in time".to_owned())
    }

    /// Writes a batch: all of it, or nothing. Step APPEND of the model.
    pub(super) async fn send(&mut self, batch: Batch, seq: Seq) -> Result<(), WriteError> {
        let (sql, cut) = (batch.sql(), batch.cut);
        let statement = self.prepare(sql).await?;
        let fence = Fence { team: self.team, epoch: self.epoch, version: self.version, seq };
        let params = batch.into_params(fence);
        let params: Vec<&(dyn ToSql + Sync)> = params.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
        // No other connection from here on: the statement and the fence are of this one.
        let Some(client) = &self.client else { return Err(WriteError::Fault("there is no connection".to_owned())) };
        let answer = timeout(ANSWERED_WITHIN, client.query(&statement, &params)).await;
        self.settle(answer.ok().map(|answer| answer.map(|rows| !rows.is_empty())), seq, cut).await
    }

    /// What a write came to, up to this number: whether the team was as it should be; none where no answer came.
    pub(super) async fn settle(
        &mut self,
        answer: Option<Result<bool, tokio_postgres::Error>>,
        seq: Seq,
        cut: Option<Seq>,
    ) -> Result<(), WriteError> {
        let unanswered = match answer {
            Some(Ok(false)) => return Err(self.end("another hub has taken it")),
            Some(Ok(true)) => None,
            Some(Err(error)) if is_an_answer(&error) => return Err(fault(&error)),
            Some(Err(error)) => Some(said(&error)),
            None => Some("no answer in time".to_owned()),
        };
        match unanswered {
            None => self.version += 1,
            Some(why) => {
                tracing::warn!("the database gave no answer to a write ({why}): asking what became of it");
                if self.resolve().await? == Resolved::NotKept {
                    return Err(WriteError::Fault(why));
                }
            }
        }
        self.position = seq;
        self.horizon = self.horizon.max(cut.unwrap_or_default());
        if self.mark.files().is_some() {
            self.mark.set(seq);
        }
        Ok(())
    }

    /// From here on this data directory belongs to the house: whoever opened it has accepted what it holds.
    pub(super) fn bind(&mut self) -> Result<(), WriteError> {
        if self.mark.files().is_none() {
            let bound = self.mark.belongs_to([self.house, self.house]);
            bound.map_err(|error| WriteError::Fault(format!("`{}`: {error}", self.place.folder.display())))?;
            self.mark.set(self.position);
        }
        Ok(())
    }

    /// Step RESOLVE of the model, for as long as it takes: what waits for its answer is answered as what became of it.
    /// A node that is cut off from the database for longer than it may be ends its hub meanwhile.
    async fn resolve(&mut self) -> Result<Resolved, WriteError> {
        let had = self.version;
        while self.reconnect().await.is_err() && self.ended.is_none() {
            tokio::time::sleep(TRY_AGAIN_AFTER).await;
        }
        match (&self.ended, self.version - had) {
            (Some(why), _) => Err(WriteError::Fault(why.clone())),
            (None, 0) => Ok(Resolved::NotKept),
            (None, 1) => Ok(Resolved::Kept),
            (None, _) => Err(self.end("another program writes into its tables")),
        }
    }

    /// A new connection, and the own epoch moved forward on it: only then what the row says is believed. A statement
    /// that runs still is waited for by the lock of the row; one that is yet to come finds another epoch.
    async fn reconnect(&mut self) -> Result<(), WriteError> {
        (self.client, self.prepared, self.locked) = (None, None, false);
        let client = self.place.connect().await.map_err(|error| fault(&error))?;
        let forward = "UPDATE team SET epoch = epoch + 1 WHERE id = $1 AND owner = $2 RETURNING epoch, version, seq";
        let asked = timeout(ANSWERED_WITHIN, client.query_opt(forward, &[&self.team, &self.owner])).await;
        let Ok(found) = asked else { return Err(self.unanswered()) };
        let found = found.map_err(|error| fault(&error))?;
        let Some(found) = found else { return Err(self.end("another hub has taken it")) };
        let seq = Seq(unsigned(found.get(2)));
        if seq < self.position {
            let (missing, had) = (self.position.0 - seq.0, self.position);
            let behind = format!("it ends at record {seq}, and {had} were acknowledged: {missing} are missing");
            return Err(self.end(&behind));
        }
        (self.epoch, self.version) = (found.get(0), found.get(1));
        self.client = Some(client);
        Ok(())
    }

    async fn prepare(&mut self, sql: String) -> Result<Statement, WriteError> {
        self.client().await?;
        if let Some((known, statement)) = &self.prepared
            && *known == sql
        {
            return Ok(statement.clone());
        }
        let Ok(made) = timeout(ANSWERED_WITHIN, self.client().await?.prepare(&sql)).await else {
            return Err(self.unanswered());
        };
        let statement = made.map_err(|error| fault(&error))?;
        self.prepared = Some((sql, statement.clone()));
        Ok(statement)
    }

    /// From now on nothing is written.
    pub(super) fn end(&mut self, why: &str) -> WriteError {
        let sentence =
            format!("the team `{}` in `{}`: {why}; start this hub again", self.place.team, self.place.shown());
        tracing::warn!("nothing is written any more: {sentence}");
        WriteError::Fault(self.ended.get_or_insert(sentence).clone())
    }
}

/// Whether the server says that it did not do it. When it ends a connection it may have done it.
fn is_an_answer(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|error| error.parsed_severity() == Some(Severity::Error))
}

pub(super) fn fault(error: &tokio_postgres::Error) -> WriteError {
    match error.code() {
        Some(&SqlState::DISK_FULL) => WriteError::Full,
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => {
            WriteError::Fault("the database is read-only, as a standby is: name the primary".to_owned())
        }
        Some(_) | None => WriteError::Fault(said(error)),
    }
}
