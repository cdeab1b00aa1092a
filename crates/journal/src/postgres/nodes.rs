//! The rows of the nodes, and which of them has the team: the statements behind the steps of `domain::node`.

use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::OpenError;
use super::lock::{self, ALONE, NODE, held};
use super::open::{For, in_time, prepare};
use super::place::DatabasePlace;
use super::problem::LEVEL;
use super::row::{number, unsigned};
use super::schema::{self, Prepared};
use crate::domain::node::{
    Beat, Elapsed, Epoch, Incarnation, Level, NodeId, NodeSeen, NodeState, NodeView, TAKE_AFTER, TeamSeen,
};
use crate::domain::time::Timestamp;
use crate::entry::Seq;

/// After so long a statement counts as unanswered: well before an owner stops.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

/// So long an owner's port may take to say that nobody listens there.
const REFUSED_WITHIN: Duration = Duration::from_millis(300);

/// This moment in milliseconds, for people: nothing is decided by it.
const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/// What a look finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub team: TeamSeen,
    pub nodes: Vec<NodeSeen>,
    /// The same for people, by name.
    pub views: Vec<NodeView>,
}

/// The statements behind the steps of `domain::node`. Each fails when no answer came: it may have been done.
pub trait NodeStatements: Send + 'static {
    fn id(&self) -> NodeId;
    /// Step JOIN: another life. Whatever ran under this name before is refused its next beat.
    fn join(&mut self) -> impl Future<Output = Result<Incarnation, OpenError>> + Send;
    /// Step BEAT. Says whether it was counted, and when it was sent: from then on the lease counts.
    fn beat(
        &mut self,
        incarnation: Incarnation,
        now: &(impl Fn() -> Elapsed + Sync),
    ) -> impl Future<Output = Result<(bool, Elapsed), OpenError>> + Send;
    /// Step LOOK. Remembers who has the team, for [`Self::take`].
    fn look(&mut self) -> impl Future<Output = Result<Look, OpenError>> + Send;
    /// Step TAKE: the owner of the last look is declared dead at this very beat, where one is named, and the team is
    /// this node's. None when either was not as it was seen.
    fn take(
        &mut self,
        from: Option<(NodeId, Incarnation, Beat)>,
        incarnation: Incarnation,
    ) -> impl Future<Output = Result<Option<Epoch>, OpenError>> + Send;
    /// Gives the team to whoever takes it, and says that this life is over.
    fn leave(&mut self, incarnation: Incarnation) -> impl Future<Output = Result<(), OpenError>> + Send;
}

/// The control connection of one node. A statement without an answer closes it; the next one makes a new one.
#[derive(Debug)]
pub struct Nodes {
    place: DatabasePlace,
    name: String,
    public_url: Option<String>,
    version: &'static str,
    config: Option<String>,
    client: Option<Client>,
    /// Whether this process holds the node's lock, by that connection.
    locked: bool,
    id: NodeId,
    /// Who had the team at the last look.
    seen: Option<(NodeId, Incarnation)>,
    /// The number of the last record when it was opened.
    pub(super) position: Seq,
}

impl Nodes {
    /// Makes the tables where they are not there, and the node's row. Fails as opening the journal does, also where
    /// another process runs under this name, or a hub without one has the journal.
    pub async fn open(
        place: DatabasePlace,
        name: &str,
        public_url: Option<String>,
        version: &'static str,
    ) -> Result<Self, OpenError> {
        let (id, locked, client, position) = in_time(&place, begins(&place, name)).await?;
        let (name, client) = (name.to_owned(), Some(client));
        Ok(Self { place, name, public_url, version, config: None, client, locked, id, seen: None, position })
    }

    /// With what its settings come to, by which others see whether theirs are the same.
    #[must_use]
    pub fn configured(self, digest: String) -> Self {
        Self { config: Some(digest), ..self }
    }
}

impl NodeStatements for Nodes {
    fn id(&self) -> NodeId {
        self.id
    }

    async fn join(&mut self) -> Result<Incarnation, OpenError> {
        let (name, url, version) = (self.name.clone(), self.public_url.clone(), self.version);
        let (config, level) = (self.config.clone(), i32::from(LEVEL.0));
        let sql = "UPDATE node SET life = life + 1, beat = 0, alive = true, url = $2, version = $3, config = $4,
                   level = $5 WHERE name = $1 RETURNING life";
        let row = self.ask(sql, &[&name, &url, &version, &config, &level]).await?;
        let gone = || OpenError::Changed { place: self.place.shown(), detail: "the node's row is gone".to_owned() };
        row.first().map(|row| Incarnation(unsigned(row.get(0)))).ok_or_else(gone)
    }

    async fn beat(
        &mut self,
        incarnation: Incarnation,
        now: &(impl Fn() -> Elapsed + Sync),
    ) -> Result<(bool, Elapsed), OpenError> {
        let (id, life, sent) = (self.number(), number(incarnation.0), now());
        let sql = format!(
            "UPDATE node SET beat = beat + 1, beaten = {NOW} WHERE id = $1 AND life = $2 AND alive RETURNING id"
        );
        Ok((!self.ask(&sql, &[&id, &life]).await?.is_empty(), sent))
    }

    async fn look(&mut self) -> Result<Look, OpenError> {
        let team = self.place.team.clone();
        let rows = self.ask(&looks(), &[&team]).await?;
        let mut look = Look::of(&rows);
        self.seen = look.team.owner;
        // The sign of death, which saves the wait: its session is gone, and nobody listens where it did.
        for (seen, row) in look.nodes.iter_mut().zip(rows.iter().filter(|row| is_node(row))) {
            let owns = look.team.owner == Some((seen.id, seen.incarnation)) && seen.id != self.id && seen.alive;
            let url: Option<&str> = row.get(9);
            if owns && !row.get::<_, bool>(13) {
                seen.died = match url {
                    Some(url) => refuses(url).await,
                    None => false,
                };
            }
        }
        Ok(look)
    }

    async fn take(
        &mut self,
        from: Option<(NodeId, Incarnation, Beat)>,
        incarnation: Incarnation,
    ) -> Result<Option<Epoch>, OpenError> {
        let (id, life, team) = (self.number(), number(incarnation.0), self.place.team.clone());
        let had = self.seen.map(|(node, life)| (node.0.cast_signed(), number(life.0))).unzip();
        let (node, had_life): (Option<i32>, Option<i64>) = had;
        let beat = from.map(|(_, _, beat)| number(beat.0));
        let owner = getrandom::u64().map_err(|error| self.broken(error.to_string()))?.cast_signed();
        // One statement: whoever is declared dead loses the team, and nobody else does. The row of this node is locked,
        // so that nobody declares it dead meanwhile. A former life of its own is over, and this one may have taken the
        // team already and not have heard so.
        let sql = format!(
            "WITH me AS (SELECT id FROM node WHERE id = $1 AND life = $2 AND alive FOR UPDATE),
                   dead AS (UPDATE node SET alive = false
                            WHERE id = $4 AND life = $5 AND beat = $6 AND alive AND EXISTS (SELECT 1 FROM me)
                            RETURNING id)
                   UPDATE team SET node = $1, life = $2, owner = $7, epoch = epoch + 1, since = {NOW}
                   WHERE name = $3 AND node IS NOT DISTINCT FROM $4 AND life IS NOT DISTINCT FROM $5
                     AND coalesce(level, 0) <= {} AND NOT {}
                     AND EXISTS (SELECT 1 FROM me) AND (EXISTS (SELECT 1 FROM dead) OR $6 IS NULL
                     AND ($4 = $1 OR NOT EXISTS (SELECT 1 FROM node WHERE id = $4 AND life = $5 AND alive)))
                   RETURNING epoch",
            LEVEL.0,
            held(ALONE, "team.id::oid")
        );
        let taken = self.ask(&sql, &[&id, &life, &team, &node, &had_life, &beat, &owner]).await?;
        Ok(taken.first().map(|row| Epoch(unsigned(row.get(0)))))
    }

    async fn leave(&mut self, incarnation: Incarnation) -> Result<(), OpenError> {
        let (id, life) = (self.number(), number(incarnation.0));
        let sql = "WITH gone AS (UPDATE node SET alive = false WHERE id = $1 AND life = $2)
                   UPDATE team SET node = NULL, life = NULL WHERE node = $1 AND life = $2";
        self.ask(sql, &[&id, &life]).await.map(drop)
    }
}

impl Nodes {
    async fn ask(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, OpenError> {
        let shown = self.place.shown();
        let (client, id) = (self.client.take().filter(|client| !client.is_closed()), self.number());
        let locked = &mut self.locked;
        let asked = async {
            let client = match client {
                Some(client) => client,
                None => {
                    *locked = false;
                    self.place.connect().await?
                }
            };
            // The session of before may not have ended there yet.
            *locked = *locked || lock::lock(&client, NODE, id).await?;
            let rows = client.query(sql, params).await?;
            Ok((client, rows))
        };
        let silent = || OpenError::Unreachable { place: shown.clone(), detail: "no answer in time".to_owned() };
        let asked = timeout(ANSWERED_WITHIN, asked).await.map_err(|_| silent())?;
        let (client, rows) = asked.map_err(|error: tokio_postgres::Error| OpenError::of(&shown, &error))?;
        self.client = Some(client);
        Ok(rows)
    }

    const fn number(&self) -> i32 {
        self.id.0.cast_signed()
    }

    fn broken(&self, detail: String) -> OpenError {
        OpenError::Fault { place: self.place.shown(), detail }
    }
}

/// The number of a node, whether this process holds its lock, the connection that it was asked by, and the journal's
/// last record. Refused now, and not first when it is to take over, is a machine that must not have this journal.
async fn begins(place: &DatabasePlace, name: &str) -> Result<(NodeId, bool, Client, Seq), OpenError> {
    let failed = |error: tokio_postgres::Error| place.problem(&error);
    let (mut client, _) = schema::connect(place).await?;
    let (Prepared { team, .. }, _) = prepare(&mut client, place, For::Serving).await?;
    let position = client.query_one("SELECT seq FROM team WHERE id = $1", &[&team]).await.map_err(failed)?;
    let position = Seq(unsigned(position.get(0)));
    lock::alone(&client, place, team, true).await?;
    let row = "INSERT INTO node (name, life, beat, alive) VALUES ($1, 0, 0, false) ON CONFLICT (name) DO NOTHING";
    client.execute(row, &[&name]).await.map_err(failed)?;
    let id = client.query_one("SELECT id FROM node WHERE name = $1", &[&name]).await.map_err(failed)?;
    let locked = lock::named(&client, place, name, id.get(0)).await?;
    Ok((node_id(&id, 0), locked, client, position))
}

/// Whether nobody listens at this address: not where nothing answers at all.
async fn refuses(url: &str) -> bool {
    let (scheme, rest) = url.split_once("://").unwrap_or(("https", url));
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    let port = if scheme == "http" { 80 } else { 443 };
    let host = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    let refused = |error: &std::io::Error| error.kind() == std::io::ErrorKind::ConnectionRefused;
    timeout(REFUSED_WITHIN, TcpStream::connect(host)).await.is_ok_and(|tried| tried.is_err_and(|no| refused(&no)))
}

/// What all nodes and the team are, in one statement.
fn looks() -> String {
    let alive = format!("node.alive AND node.beaten > {NOW} - {}", TAKE_AFTER.as_millis());
    let locked = held(NODE, "node.id::oid");
    format!(
        "SELECT node.id, node.life, node.beat, node.alive, team.node, team.life, node.name, team.since, node.beaten,
                node.url, node.version, {alive}, coalesce(team.level, 0), {locked}, node.config
         FROM team LEFT JOIN node ON true WHERE team.name = $1 ORDER BY node.name"
    )
}

/// The nodes of a team, for people. Fails when the database cannot be asked.
pub(super) async fn views(client: &Client, team: &str) -> Result<Vec<NodeView>, tokio_postgres::Error> {
    // Not where no hub of this version has begun yet.
    let there = "SELECT EXISTS (SELECT 1 FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = 'node' AND column_name = 'config')";
    if !client.query_one(there, &[]).await?.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    Ok(Look::of(&client.query(&looks(), &[&team]).await?).views)
}

/// How long people see a node that is gone, in milliseconds: a week.
const LISTED: i64 = 7 * 24 * 60 * 60 * 1000;

impl Look {
    fn of(rows: &[Row]) -> Self {
        let owner = rows.first().and_then(|row| {
            let node: Option<i32> = row.get(4);
            let life: Option<i64> = row.get(5);
            Some((NodeId(node?.unsigned_abs()), Incarnation(unsigned(life?))))
        });
        let (mut nodes, mut views) = (Vec::new(), Vec::new());
        let newest = rows.iter().filter_map(|row| row.get::<_, Option<i64>>(8)).max();
        let level = rows.first().map_or(0, |row| row.get::<_, i32>(12));
        let level = Level(u16::try_from(level).unwrap_or(u16::MAX));
        for row in rows.iter().filter(|row| is_node(row)) {
            let seen = NodeSeen {
                id: node_id(row, 0),
                incarnation: Incarnation(unsigned(row.get(1))),
                beat: Beat(unsigned(row.get(2))),
                alive: row.get(3),
                died: false,
            };
            let owns = owner == Some((seen.id, seen.incarnation)) && seen.alive;
            let at = |column: usize| row.get::<_, Option<i64>>(column).map(|at| Timestamp(unsigned(at)));
            let there = row.get::<_, Option<bool>>(11) == Some(true);
            let state = match (there, owns) {
                (_, true) => NodeState::Owner,
                (true, false) => NodeState::Standby,
                (false, false) => NodeState::Gone,
            };
            nodes.push(seen);
            let seen_last = row.get::<_, Option<i64>>(8).zip(newest);
            if state == NodeState::Gone && seen_last.is_some_and(|(at, newest)| at < newest - LISTED) {
                continue;
            }
            views.push(NodeView {
                name: row.get(6),
                state,
                since: at(7).filter(|_| owns),
                last_beat: at(8),
                public_url: row.get(9),
                version: row.get::<_, Option<String>>(10).unwrap_or_default(),
                config: row.get(14),
            });
        }
        Self { team: TeamSeen { owner, level }, nodes, views }
    }
}

fn is_node(row: &Row) -> bool {
    row.get::<_, Option<i32>>(0).is_some()
}

fn node_id(row: &Row, column: usize) -> NodeId {
    NodeId(row.get::<_, i32>(column).unsigned_abs())
}
