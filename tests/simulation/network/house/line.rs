//! A connection to the database, and what a node says over one.

use std::pin::pin;
use std::time::Duration;

use callboard::domain::node::{Beat, Elapsed, Epoch, Incarnation, NodeId};
use callboard::journal::postgres::{Look, NodeStatements, OpenError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;
use turmoil::net::TcpStream;

use super::DATABASE;
use super::clocks::is_suspended;
use super::database::{Answer, Database, Holding, Order, PORT};
use super::flaws::Flaw;

/// As `journal::postgres::Nodes` waits.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);
const SLICE: Duration = Duration::from_millis(50);

/// One of a hub's connections. Without an answer it is given up, and the next statement makes a new one.
pub(super) struct DatabaseConnection {
    pub(super) database: Database,
    pub(super) which: usize,
    stream: Option<TcpStream>,
}

impl DatabaseConnection {
    pub(super) fn new(database: Database, which: usize) -> Self {
        Self { database, which, stream: None }
    }

    /// Whether a new connection has to be made.
    pub(super) fn is_closed(&self) -> bool {
        self.stream.is_none()
    }

    /// None when no answer came: the statement may have been carried out, or be later.
    pub(super) async fn asks(&mut self, order: Order, within: Duration) -> Option<Answer> {
        self.sends(self.database.says(order), within).await
    }

    pub(super) async fn sends(&mut self, number: usize, within: Duration) -> Option<Answer> {
        let stream = self.stream.take();
        let asked = async move {
            let mut stream = match stream {
                Some(stream) => stream,
                None => TcpStream::connect((DATABASE, PORT)).await.ok()?,
            };
            let number = u64::try_from(number).unwrap();
            stream.write_u64(number).await.ok()?;
            // Anything else is the end of a statement that was given up.
            (stream.read_u64().await.ok()? == number).then_some(stream)
        };
        self.stream = Some(awake(self.which, within, asked).await??);
        self.database.answer(number)
    }
}

/// Waits at most so long, not counted while the machine is suspended.
async fn awake<T>(which: usize, within: Duration, what: impl Future<Output = T>) -> Option<T> {
    let (mut what, mut left) = (pin!(what), within);
    while !left.is_zero() {
        if let Ok(done) = timeout(SLICE, &mut what).await {
            return Some(done);
        }
        if !is_suspended(which) {
            left = left.saturating_sub(SLICE);
        }
    }
    None
}

/// What `journal::postgres::Nodes` is to PostgreSQL.
pub(super) struct Nodes {
    line: DatabaseConnection,
    id: NodeId,
    seen: Option<Holding>,
}

impl Nodes {
    pub(super) fn new(database: Database, which: usize) -> Self {
        let id = NodeId(u32::try_from(which).unwrap());
        Self { line: DatabaseConnection::new(database, which), id, seen: None }
    }

    async fn asks(&mut self, order: Order) -> Result<Answer, OpenError> {
        let answer = self.line.asks(order, ANSWERED_WITHIN).await;
        answer.ok_or_else(|| OpenError::Unreachable { place: DATABASE.to_owned(), detail: "no answer".to_owned() })
    }
}

impl NodeStatements for Nodes {
    fn id(&self) -> NodeId {
        self.id
    }

    async fn join(&mut self) -> Result<Incarnation, OpenError> {
        let Answer::Life(life) = self.asks(Order::Join { node: self.id }).await? else { unreachable!() };
        Ok(life)
    }

    async fn beat(
        &mut self,
        incarnation: Incarnation,
        now: &(impl Fn() -> Elapsed + Sync),
    ) -> Result<(bool, Elapsed), OpenError> {
        let sent = now();
        let Answer::Counted(counted) = self.asks(Order::Beat { of: (self.id, incarnation) }).await? else {
            unreachable!()
        };
        let late = self.line.database.flaw == Some(Flaw::FromTheAnswer);
        Ok((counted, if late { now() } else { sent }))
    }

    async fn look(&mut self) -> Result<Look, OpenError> {
        let Answer::Looked(look) = self.asks(Order::Look { by: self.id }).await? else { unreachable!() };
        self.seen = look.team.owner;
        Ok(look)
    }

    async fn take(
        &mut self,
        from: Option<(NodeId, Incarnation, Beat)>,
        incarnation: Incarnation,
    ) -> Result<Option<Epoch>, OpenError> {
        let at = from.map(|(.., beat)| beat);
        let order = Order::Take { by: (self.id, incarnation), had: self.seen, at };
        let Answer::Taken(epoch) = self.asks(order).await? else { unreachable!() };
        Ok(epoch)
    }

    async fn leave(&mut self, incarnation: Incarnation) -> Result<(), OpenError> {
        self.asks(Order::Leave { of: (self.id, incarnation) }).await.map(drop)
    }
}
