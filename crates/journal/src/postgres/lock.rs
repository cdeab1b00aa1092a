//! Locks of sessions: whoever holds one is connected, whatever its beat says. The server lets go of it when the
//! session ends. No write depends on them; the fence of the team's row does that.
//!
//! Behind a pooler that gives each transaction another session they say nothing of who holds them. So no lock is
//! believed alone: a node counts as dead when its port refuses, too, and as there when its beat moves.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_postgres::Client;

use super::OpenError;
use super::place::DatabasePlace;
use crate::domain::node::TAKE_AFTER;

/// What a node holds, by its number, from the start of its process: `node` in ASCII.
pub(super) const NODE: i32 = 0x6e6f_6465;

/// What a hub without a name holds, by the number of its team: `lone`.
pub(super) const ALONE: i32 = 0x6c6f_6e65;

/// A session that is just ending is waited for so long, and looked at so often.
const ENDS_WITHIN: Duration = Duration::from_secs(2);
const APART: Duration = Duration::from_millis(50);

/// The condition that a session of this database holds the lock of a number.
pub(super) fn held(kind: i32, number: &str) -> String {
    format!(
        "EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND classid = {kind}
             AND objid = {number} AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
    )
}

/// Whether the lock is this session's own from now on.
pub(super) async fn lock(client: &Client, kind: i32, number: i32) -> Result<bool, tokio_postgres::Error> {
    Ok(client.query_one("SELECT pg_try_advisory_lock($1, $2)", &[&kind, &number]).await?.get(0))
}

/// Takes the lock of a hub without a name; `look`: only looks whether it is free. Fails while another hub holds it.
pub(super) async fn alone(client: &Client, place: &DatabasePlace, team: i32, look: bool) -> Result<(), OpenError> {
    let began = Instant::now();
    let is_held = format!("SELECT NOT {}", held(ALONE, "$1::int4::oid"));
    loop {
        let free = match look {
            true => client.query_one(&is_held, &[&team]).await.map(|row| row.get(0)),
            false => lock(client, ALONE, team).await,
        };
        if free.map_err(|error| place.problem(&error))? {
            return Ok(());
        }
        if began.elapsed() > ENDS_WITHIN {
            return Err(OpenError::Alone { place: place.shown() });
        }
        sleep(APART).await;
    }
}

/// Takes the lock of a node for this process. False where somebody holds it who does not count any more. Fails while
/// another process runs under the name.
pub(super) async fn named(client: &Client, place: &DatabasePlace, name: &str, id: i32) -> Result<bool, OpenError> {
    let (began, failed) = (Instant::now(), |error: tokio_postgres::Error| place.problem(&error));
    let mut first = None;
    while !lock(client, NODE, id).await.map_err(failed)? {
        let row = client.query_one("SELECT life, beat FROM node WHERE id = $1", &[&id]).await.map_err(failed)?;
        let counts: (i64, i64) = (row.get(0), row.get(1));
        if *first.get_or_insert(counts) != counts {
            return Err(OpenError::NameTaken { place: place.shown(), name: name.to_owned() });
        }
        if began.elapsed() > TAKE_AFTER {
            return Ok(false);
        }
        sleep(APART).await;
    }
    Ok(true)
}

/// The life of a node that holds the team.
type Held = (Option<i32>, Option<i64>);

/// From whom a hub without a name takes the team: from nobody, or from a node that is over. One that has stood still
/// for as long as another node would wait is declared dead. Fails when the owner counts.
pub(super) async fn left_by(client: &Client, place: &DatabasePlace, team: i32) -> Result<Held, OpenError> {
    let (began, failed) = (Instant::now(), |error: tokio_postgres::Error| place.problem(&error));
    let owner = "SELECT team.node, team.life, node.beat, coalesce(node.alive AND node.life = team.life, false)
                 FROM team LEFT JOIN node ON node.id = team.node WHERE team.id = $1";
    let dead = "UPDATE node SET alive = false WHERE id = $1 AND life = $2 AND beat = $3";
    let mut first = None;
    loop {
        let row = client.query_one(owner, &[&team]).await.map_err(failed)?;
        let (holder, beat): (Held, Option<i64>) = ((row.get(0), row.get(1)), row.get(2));
        if !row.get::<_, bool>(3) {
            return Ok(holder);
        }
        if *first.get_or_insert((holder, beat)) != (holder, beat) {
            return Err(OpenError::Held { place: place.shown() });
        }
        if began.elapsed() > TAKE_AFTER {
            client.execute(dead, &[&holder.0, &holder.1, &beat]).await.map_err(failed)?;
        }
        sleep(APART).await;
    }
}
