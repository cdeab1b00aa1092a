//! What the tables are, and whether a database is fit for them.

use tokio_postgres::{Client, Transaction};

use super::place::DatabasePlace;
use super::problem::{OLDEST_SERVER, OpenError, SCHEMA};
use crate::sqlite::FileId;

/// Taken while the tables are made, so that two hubs that start together make them once: `call` in ASCII.
const MAKING: i64 = 0x6361_6c6c;

/// Ids compare by their bytes, as they do everywhere else. `fillfactor` leaves room for the team's row to be written
/// anew in its own page. Blobs are bytes, for text cannot hold every character.
const CREATE: &str = "
CREATE TABLE house (layout int NOT NULL, id text NOT NULL);
CREATE TABLE team (
    id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE, owner bigint NOT NULL,
    epoch bigint NOT NULL, version bigint NOT NULL, seq bigint NOT NULL, rows_up_to bigint NOT NULL,
    horizon bigint NOT NULL
) WITH (fillfactor = 25);
CREATE TABLE records (
    team int NOT NULL, seq bigint NOT NULL, stream text COLLATE \"C\" NOT NULL, kind text COLLATE \"C\" NOT NULL,
    version int2 NOT NULL, at bigint NOT NULL, principal text NOT NULL, surface text NOT NULL, request text,
    cause bigint, subject text, body text NOT NULL, PRIMARY KEY (team, seq)
);
CREATE TABLE stream_index (
    team int NOT NULL, stream text COLLATE \"C\" NOT NULL, seq bigint NOT NULL, PRIMARY KEY (team, stream, seq)
);
CREATE TABLE rows (
    team int NOT NULL, kind text COLLATE \"C\" NOT NULL, id text COLLATE \"C\" NOT NULL, state text COLLATE \"C\",
    open bool NOT NULL, holder text COLLATE \"C\", scope text COLLATE \"C\", parent text COLLATE \"C\",
    rank bigint NOT NULL, begun bigint NOT NULL, moved bigint NOT NULL, ended bigint, body text NOT NULL,
    PRIMARY KEY (team, kind, id)
);
CREATE INDEX rows_newest ON rows (team, kind, begun, id) WHERE kind IN ('task', 'review', 'workflow');
CREATE INDEX rows_of_state ON rows (team, kind, state, begun, id) WHERE kind IN ('task', 'review');
CREATE INDEX rows_of_holder ON rows (team, kind, holder, begun, id) WHERE holder IS NOT NULL;
CREATE INDEX rows_of_scope ON rows (team, kind, scope, begun, id) WHERE scope IS NOT NULL;
CREATE INDEX rows_of_parent ON rows (team, kind, parent, begun, id) WHERE parent IS NOT NULL;
CREATE INDEX rows_open ON rows (team, kind, id) WHERE open;
CREATE INDEX rows_ended ON rows (team, kind, ended) WHERE ended IS NOT NULL;
CREATE INDEX keys_by_age ON rows (team, begun) WHERE kind = 'key';
CREATE TABLE blobs (team int NOT NULL, id text COLLATE \"C\" NOT NULL, body bytea NOT NULL, PRIMARY KEY (team, id));
CREATE TABLE search (
    team int NOT NULL, seq bigint NOT NULL, whose text COLLATE \"C\" NOT NULL, words tsvector NOT NULL,
    PRIMARY KEY (team, seq)
);
CREATE INDEX search_words ON search USING gin (words);
CREATE INDEX search_whose ON search (team, whose);
";

/// The columns of the tables, as a database that nobody else changed says them.
const COLUMNS: &str = "
blobs body bytea, blobs id text, blobs team integer,
house id text, house layout integer,
node alive boolean, node beat bigint, node beaten bigint, node config text, node id integer, node level integer,
node life bigint, node name text, node url text, node version text,
records at bigint, records body text, records cause bigint, records kind text, records principal text,
records request text, records seq bigint, records stream text, records subject text, records surface text,
records team integer, records version smallint,
rows begun bigint, rows body text, rows ended bigint, rows holder text, rows id text, rows kind text, rows moved bigint,
rows open boolean, rows parent text, rows rank bigint, rows scope text, rows state text, rows team integer,
search seq bigint, search team integer, search whose text, search words tsvector,
stream_index seq bigint, stream_index stream text, stream_index team integer,
team epoch bigint, team horizon bigint, team id integer, team level integer, team life bigint, team name text,
team node integer, team owner bigint, team rows_up_to bigint, team seq bigint, team since bigint, team version bigint";

/// What keeps a number, a name or a row from being there twice, as such a database says it.
const UNIQUE: &str = "
blobs PRIMARY KEY (team, id); node PRIMARY KEY (id); node UNIQUE (name); records PRIMARY KEY (team, seq);
rows PRIMARY KEY (team, kind, id); search PRIMARY KEY (team, seq); stream_index PRIMARY KEY (team, stream, seq);
team PRIMARY KEY (id); team UNIQUE (name)";

/// What the nodes need, also beside tables that were made before there were any.
const EXPAND: &str = "
ALTER TABLE team ADD COLUMN IF NOT EXISTS node int, ADD COLUMN IF NOT EXISTS life bigint,
    ADD COLUMN IF NOT EXISTS since bigint, ADD COLUMN IF NOT EXISTS level int;
CREATE TABLE IF NOT EXISTS node (
    id int PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text NOT NULL UNIQUE, life bigint NOT NULL,
    beat bigint NOT NULL, alive bool NOT NULL, url text, beaten bigint, version text
) WITH (fillfactor = 25);
ALTER TABLE node ADD COLUMN IF NOT EXISTS level int, ADD COLUMN IF NOT EXISTS config text;
";

/// What a server says of itself.
#[derive(Debug, Clone)]
pub(super) struct ServerFacts {
    /// As 150004 for 15.4.
    pub(super) version: i64,
    pub(super) fsync: String,
    pub(super) synchronous_commit: String,
    pub(super) read_only: String,
    pub(super) encoding: String,
}

impl ServerFacts {
    async fn ask(client: &Client) -> Result<Self, tokio_postgres::Error> {
        let asked = "SELECT current_setting('server_version_num')::bigint, current_setting('fsync'), \
                     current_setting('synchronous_commit'), current_setting('transaction_read_only'), \
                     current_setting('server_encoding')";
        let row = client.query_one(asked, &[]).await?;
        Ok(Self {
            version: row.try_get(0)?,
            fsync: row.try_get(1)?,
            synchronous_commit: row.try_get(2)?,
            read_only: row.try_get(3)?,
            encoding: row.try_get(4)?,
        })
    }

    /// Whether a journal is safe there.
    pub(super) fn check(&self, place: &str) -> Result<(), OpenError> {
        let place = place.to_owned();
        let found = self.version / 10_000;
        if found < OLDEST_SERVER {
            return Err(OpenError::OldServer { place, found });
        }
        if self.read_only == "on" {
            return Err(OpenError::ReadOnly { place });
        }
        if self.fsync == "off" {
            return Err(OpenError::NotDurable { place, setting: "fsync" });
        }
        if self.synchronous_commit == "off" {
            return Err(OpenError::NotDurable { place, setting: "synchronous_commit" });
        }
        if self.encoding == "UTF8" { Ok(()) } else { Err(OpenError::Encoding { place, found: self.encoding.clone() }) }
    }
}

/// A connection to a server on which a journal is safe.
pub(super) async fn connect(place: &DatabasePlace) -> Result<(Client, ServerFacts), OpenError> {
    let client = place.connect().await.map_err(|error| place.problem(&error))?;
    let facts = ServerFacts::ask(&client).await.map_err(|error| place.problem(&error))?;
    facts.check(&place.shown())?;
    Ok((client, facts))
}

/// What a database is, once its tables are there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prepared {
    pub(super) house: FileId,
    /// The number of the team, whose row is there.
    pub(super) team: i32,
    /// Whether it was empty before.
    pub(super) is_new: bool,
}

/// Makes the tables in an empty database, and holds those that are there to what they should be. It is all of the
/// transaction: nothing of it is there where that is given up.
pub(super) async fn prepare(transaction: &Transaction<'_>, place: &DatabasePlace) -> Result<Prepared, OpenError> {
    let (shown, failed) = (place.shown(), |error: tokio_postgres::Error| place.problem(&error));
    let changed = |detail: String| OpenError::Changed { place: place.shown(), detail };
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&MAKING]).await.map_err(failed)?;
    // Also those on which this user has no right.
    let tables = "SELECT relname::text FROM pg_class
                  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'f') ORDER BY relname";
    let tables = transaction.query(tables, &[]).await.map_err(failed)?;
    let tables: Vec<String> = tables.iter().map(|row| row.get(0)).collect();
    let is_new = tables.is_empty();
    if is_new {
        transaction.batch_execute(CREATE).await.map_err(failed)?;
        let id =
            FileId::draw().map_err(|error| OpenError::Fault { place: shown.clone(), detail: error.to_string() })?;
        let insert = "INSERT INTO house (layout, id) VALUES ($1, $2)";
        transaction.execute(insert, &[&SCHEMA, &id.to_string()]).await.map_err(failed)?;
    } else if !tables.iter().any(|table| table == "house") {
        return Err(OpenError::Foreign { place: shown, table: tables.into_iter().next().unwrap_or_default() });
    }
    let house = transaction.query("SELECT layout, id FROM house", &[]).await.map_err(failed)?;
    let [house] = house.as_slice() else { return Err(changed("`house` has not one row".to_owned())) };
    let found: i32 = house.get(0);
    if found > SCHEMA {
        return Err(OpenError::Newer { place: shown, found });
    }
    if missing(transaction).await.map_err(failed)?.is_some() {
        transaction.batch_execute(EXPAND).await.map_err(failed)?;
    }
    if let Some(missing) = missing(transaction).await.map_err(failed)? {
        return Err(changed(format!("`{missing}` is not there")));
    }
    let id: String = house.get(1);
    let house = FileId::parse(&id).ok_or_else(|| changed(format!("`{id}` is not the id of a house")))?;
    let team = "INSERT INTO team (name, owner, epoch, version, seq, rows_up_to, horizon)
                VALUES ($1, 0, 0, 0, 0, 0, 0) ON CONFLICT (name) DO NOTHING";
    transaction.execute(team, &[&place.team]).await.map_err(failed)?;
    let team = transaction.query_one("SELECT id FROM team WHERE name = $1", &[&place.team]).await.map_err(failed)?;
    Ok(Prepared { house, team: team.get(0), is_new })
}

/// The first of the columns and keys that should be there and is not.
async fn missing(transaction: &Transaction<'_>) -> Result<Option<&'static str>, tokio_postgres::Error> {
    let there = "SELECT table_name::text || ' ' || column_name::text || ' ' || data_type::text
                 FROM information_schema.columns WHERE table_schema = current_schema()
                 UNION ALL SELECT relname || ' ' || pg_get_constraintdef(pg_constraint.oid)
                 FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
                 WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u')";
    let there = transaction.query(there, &[]).await?;
    let there: Vec<String> = there.iter().map(|row| row.get(0)).collect();
    let wanted = COLUMNS.split(',').chain(UNIQUE.split(';')).map(str::trim);
    Ok(wanted.into_iter().find(|wanted| !there.iter().any(|known| known == wanted)))
}
