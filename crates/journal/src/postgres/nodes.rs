//! The rows of the nodes, and which of them has the team: the statements behind the steps of `domain::node`.

use std::time::Duration;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row};

use super::OpenError;
use super::place::DatabasePlace;
use super::row::{number, unsigned};
use super::schema::{self, ServerFacts};
use crate::domain::node::{
    Beat, Epoch, Incarnation, Level, NodeId, NodeSeen, NodeState, NodeView, TAKE_AFTER, TeamSeen,
};
use crate::domain::time::Timestamp;

/// What a node of this version writes.
pub(super) const LEVEL: Level = Level(1);

/// After so long a statement counts as unanswered: well before an owner stops.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);

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

/// The control connection of one node. A statement without an answer closes it; the next one makes a new one.
#[derive(Debug)]
pub struct Nodes {
    place: DatabasePlace,
    name: String,
    public_url: Option<String>,
    version: &'static str,
    client: Option<Client>,
    id: NodeId,
    /// Who had the team at the last look.
    seen: Option<(NodeId, Incarnation)>,
}

impl Nodes {
    /// Makes the tables where they are not there, and the node's row. Fails as opening the journal does.
    pub async fn open(
        place: DatabasePlace,
        name: &str,
        public_url: Option<String>,
        version: &'static str,
    ) -> Result<Self, OpenError> {
        let shown = place.shown();
        let failed = |error: tokio_postgres::Error| OpenError::of(&shown, &error);
        let mut client = place.connect().await.map_err(failed)?;
        ServerFacts::ask(&client).await.map_err(failed)?.check(&shown)?;
        schema::prepare(&mut client, &place).await?;
        let row = "INSERT INTO node (name, life, beat, alive) VALUES ($1, 0, 0, false) ON CONFLICT (name) DO NOTHING";
        client.execute(row, &[&name]).await.map_err(failed)?;
        let team = "INSERT INTO team (name, owner, epoch, version, seq, rows_up_to, horizon)
                    VALUES ($1, 0, 0, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING";
        client.execute(team, &[&place.team]).await.map_err(failed)?;
        let id = client.query_one("SELECT id FROM node WHERE name = $1", &[&name]).await.map_err(failed)?;
        let (id, client) = (node_id(&id, 0), Some(client));
        Ok(Self { place, name: name.to_owned(), public_url, version, client, id, seen: None })
    }

    pub const fn id(&self) -> NodeId {
        self.id
    }

    /// Step JOIN: another life. Whatever ran under this name before is refused its next beat.
    pub async fn join(&mut self) -> Result<Incarnation, OpenError> {
        let (name, url, version) = (self.name.clone(), self.public_url.clone(), self.version);
        let sql = "UPDATE node SET life = life + 1, beat = 0, alive = true, url = $2, version = $3
                   WHERE name = $1 RETURNING life";
        let row = self.ask(sql, &[&name, &url, &version]).await?;
        let gone = || OpenError::Changed { place: self.place.shown(), detail: "the node's row is gone".to_owned() };
        row.first().map(|row| Incarnation(unsigned(row.get(0)))).ok_or_else(gone)
    }

    /// Step BEAT. Says whether it was counted.
    pub async fn beat(&mut self, incarnation: Incarnation) -> Result<bool, OpenError> {
        let (id, life) = (self.number(), number(incarnation.0));
        let sql = format!(
            "UPDATE node SET beat = beat + 1, beaten = {NOW} WHERE id = $1 AND life = $2 AND alive RETURNING id"
        );
        Ok(!self.ask(&sql, &[&id, &life]).await?.is_empty())
    }

    /// Step LOOK. Remembers who has the team, for [`Self::take`].
    pub async fn look(&mut self) -> Result<Look, OpenError> {
        let team = self.place.team.clone();
        let rows = self.ask(&looks(), &[&team]).await?;
        let look = Look::of(&rows);
        self.seen = look.team.owner;
        Ok(look)
    }

    /// Step TAKE: the owner of the last look is declared dead at this very beat, where one is named, and the team is
    /// this node's. None when either was not as it was seen.
    pub async fn take(
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
                     AND EXISTS (SELECT 1 FROM me) AND (EXISTS (SELECT 1 FROM dead) OR $6 IS NULL
                     AND ($4 = $1 OR NOT EXISTS (SELECT 1 FROM node WHERE id = $4 AND life = $5 AND alive)))
                   RETURNING epoch"
        );
        let taken = self.ask(&sql, &[&id, &life, &team, &node, &had_life, &beat, &owner]).await?;
        Ok(taken.first().map(|row| Epoch(unsigned(row.get(0)))))
    }

    /// Gives the team to whoever takes it, and says that this life is over.
    pub async fn leave(&mut self, incarnation: Incarnation) -> Result<(), OpenError> {
        let (id, life) = (self.number(), number(incarnation.0));
        let sql = "WITH gone AS (UPDATE node SET alive = false WHERE id = $1 AND life = $2)
                   UPDATE team SET node = NULL, life = NULL WHERE node = $1 AND life = $2";
        self.ask(sql, &[&id, &life]).await.map(drop)
    }

    async fn ask(&mut self, sql: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, OpenError> {
        let shown = self.place.shown();
        let asked = async {
            let client = match self.client.take().filter(|client| !client.is_closed()) {
                Some(client) => client,
                None => self.place.connect().await?,
            };
            let rows = client.query(sql, params).await?;
            Ok((client, rows))
        };
        let silent = || OpenError::Unreachable { place: shown.clone(), detail: "no answer in time".to_owned() };
        let asked = tokio::time::timeout(ANSWERED_WITHIN, asked).await.map_err(|_| silent())?;
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

/// What all nodes and the team are, in one statement.
fn looks() -> String {
    let alive = format!("node.alive AND node.beaten > {NOW} - {}", TAKE_AFTER.as_millis());
    format!(
        "SELECT node.id, node.life, node.beat, node.alive, team.node, team.life,
                node.name, team.since, node.beaten, node.url, node.version, {alive}
         FROM team LEFT JOIN node ON true WHERE team.name = $1 ORDER BY node.name"
    )
}

/// The nodes of a team, for people. Fails when the database cannot be asked.
pub(super) async fn views(client: &Client, team: &str) -> Result<Vec<NodeView>, tokio_postgres::Error> {
    let there = "SELECT to_regclass('node') IS NOT NULL";
    if !client.query_one(there, &[]).await?.get::<_, bool>(0) {
        return Ok(Vec::new());
    }
    Ok(Look::of(&client.query(&looks(), &[&team]).await?).views)
}

impl Look {
    fn of(rows: &[Row]) -> Self {
        let owner = rows.first().and_then(|row| {
            let node: Option<i32> = row.get(4);
            let life: Option<i64> = row.get(5);
            Some((NodeId(node?.unsigned_abs()), Incarnation(unsigned(life?))))
        });
        let (mut nodes, mut views) = (Vec::new(), Vec::new());
        for row in rows.iter().filter(|row| row.get::<_, Option<i32>>(0).is_some()) {
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
            views.push(NodeView {
                name: row.get(6),
                state: match (there, owns) {
                    (_, true) => NodeState::Owner,
                    (true, false) => NodeState::Standby,
                    (false, false) => NodeState::Gone,
                },
                since: at(7).filter(|_| owns),
                last_beat: at(8),
                public_url: row.get(9),
                version: row.get::<_, Option<String>>(10).unwrap_or_default(),
            });
            nodes.push(seen);
        }
        Self { team: TeamSeen { owner, level: LEVEL }, nodes, views }
    }
}

fn node_id(row: &Row, column: usize) -> NodeId {
    NodeId(row.get::<_, i32>(column).unsigned_abs())
}
