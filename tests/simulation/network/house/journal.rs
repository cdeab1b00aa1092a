//! The journal's writer on the stand-in: step by step what `journal::postgres` does on a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use callboard::journal::{Append, Seq, Store, Wait, WriteError, Written};
use tokio::time::sleep;

use super::database::{Answer, Database, Fence, Holding, Opened, Order};
use super::line::DatabaseConnection;

/// Shorter than there, so that a silence is often over before the node has to stop.
const ANSWERED_WITHIN: Duration = Duration::from_millis(1_500);
const TRY_AGAIN_AFTER: Duration = Duration::from_millis(200);

struct Writer {
    line: DatabaseConnection,
    owner: u64,
    epoch: u64,
    version: u64,
    position: Seq,
    ended: Option<String>,
    /// What the last batch came to.
    answers: Vec<Result<Written, WriteError>>,
}

#[expect(clippy::disallowed_types, reason = "its one user waits for it before it asks again")]
type Shared = Arc<tokio::sync::Mutex<Writer>>;

pub(super) struct Journal(Shared);

impl Journal {
    /// Opens it for a life that holds the team; none where that is another one's by now.
    pub(super) async fn open(database: &Database, which: usize, by: Holding) -> Option<Self> {
        let mut line = DatabaseConnection::new(database.clone(), which);
        let owner = database.state().draws();
        loop {
            let order = Order::Open { by, owner };
            if let Some(Answer::Opened(opened)) = line.asks(order, ANSWERED_WITHIN).await {
                let Opened { epoch, version, seq: position } = opened?;
                let writer = Writer { line, owner, epoch, version, position, ended: None, answers: Vec::new() };
                return Some(Self(Shared::new(writer.into())));
            }
            sleep(TRY_AGAIN_AFTER).await;
        }
    }
}

impl Writer {
    async fn sends(&mut self, batch: Vec<Append>) {
        let many = batch.len();
        self.answers = match self.writes(batch).await {
            Ok(answers) => answers,
            Err(why) => vec![Err(WriteError::Fault(why)); many],
        };
    }

    async fn writes(&mut self, batch: Vec<Append>) -> Result<Vec<Result<Written, WriteError>>, String> {
        if let Some(why) = &self.ended {
            return Err(why.clone());
        }
        if self.line.is_closed() {
            let before = self.version;
            self.forward().await?;
            if self.version != before {
                return Err(self.end("another program writes"));
            }
        }
        let fence = Fence { epoch: self.epoch, version: self.version, on: self.position };
        let number = self.line.database.says(Order::Write { fence, batch });
        match self.line.sends(number, ANSWERED_WITHIN).await {
            Some(Answer::Kept(true)) => self.version += 1,
            Some(_) => return Err(self.end("another hub has taken it")),
            None if self.resolves().await? => {}
            None => {
                self.line.database.state().denies(number);
                return Err("no answer in time".to_owned());
            }
        }
        let answers = self.line.database.state().acknowledges(number);
        self.position = answers.iter().flatten().map(|written| written.last).max().unwrap_or_default().max(fence.on);
        Ok(answers)
    }

    /// Step RESOLVE: whether the statement without an answer was carried out.
    async fn resolves(&mut self) -> Result<bool, String> {
        let had = self.version;
        while self.forward().await.is_err() && self.ended.is_none() {
            sleep(TRY_AGAIN_AFTER).await;
        }
        *self.line.database.state().counts.entry("resolved").or_default() += 1;
        match (&self.ended, self.version - had) {
            (Some(why), _) => Err(why.clone()),
            (None, 0) => Ok(false),
            (None, 1) => Ok(true),
            (None, _) => Err(self.end("another program writes")),
        }
    }

    async fn forward(&mut self) -> Result<(), String> {
        self.line = DatabaseConnection::new(self.line.database.clone(), self.line.which);
        let order = Order::Forward { owner: self.owner };
        let Some(Answer::Opened(found)) = self.line.asks(order, ANSWERED_WITHIN).await else {
            return Err("no answer in time".to_owned());
        };
        let Some(found) = found else { return Err(self.end("another hub has taken it")) };
        if found.seq < self.position {
            return Err(self.end("records are missing"));
        }
        (self.epoch, self.version) = (found.epoch, found.version);
        Ok(())
    }

    fn end(&mut self, why: &str) -> String {
        self.ended.get_or_insert(why.to_owned()).clone()
    }
}

impl Store for Journal {
    fn write(&mut self, _: &[Append]) -> Vec<Result<Written, WriteError>> {
        std::mem::take(&mut self.0.try_lock().unwrap().answers)
    }

    fn waits(&mut self, batch: &[Append]) -> Option<[Wait; 2]> {
        let (writer, batch) = (Arc::clone(&self.0), batch.to_vec());
        let sends = async move { writer.lock().await.sends(batch).await };
        Some([Box::pin(sends), Box::pin(std::future::ready(()))])
    }

    fn position(&self) -> Seq {
        self.0.try_lock().unwrap().position
    }

    fn over(&self) -> Option<String> {
        self.0.try_lock().unwrap().ended.clone()
    }

    fn blocks(&self) -> bool {
        false
    }
}
