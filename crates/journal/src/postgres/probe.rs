//! A look at a database that changes nothing: whether it can be reached and is fit, and how far away it is.

use std::time::Duration;

use tokio::time::Instant;

use super::OpenError;
use super::nodes;
use super::open::in_time;
use super::place::DatabasePlace;
use super::row::unsigned;
use super::schema::ServerFacts;
use super::store::Driver;
use crate::domain::node::NodeView;

/// How often a question is sent to measure the way there and back.
const TRIES: u32 = 5;

/// How often a database in use is asked whether it is free, and how long apart: two seconds in all.
const ASKED: u32 = 20;
const APART: Duration = Duration::from_millis(100);

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The release of the server, as 15.
    pub server: i64,
    /// The shortest time for a question and its answer.
    pub round_trip: Duration,
    /// How many other connections are open to the team's journal.
    pub connections: u64,
    /// The hubs that are there by name; none where one is alone.
    pub nodes: Vec<NodeView>,
}

/// Asks the server. Fails as opening the journal would, as far as that shows without taking or making anything.
///
/// Must not be called on a thread of another runtime.
pub fn probe(place: &DatabasePlace) -> Result<Probed, OpenError> {
    waited(place, in_time(place, ask(place)))
}

/// Fails when another program has the team's journal open. One that is just ending is waited for.
pub(super) fn check_unused(place: &DatabasePlace) -> Result<(), OpenError> {
    waited(place, async {
        let mut connections = u64::MAX;
        for _ in 0..ASKED {
            connections = in_time(place, ask(place)).await?.connections;
            if connections == 0 {
                return Ok(());
            }
            tokio::time::sleep(APART).await;
        }
        Err(OpenError::InUse { place: place.shown(), connections })
    })
}

fn waited<T>(place: &DatabasePlace, what: impl Future<Output = Result<T, OpenError>>) -> Result<T, OpenError> {
    let failed = |detail: String| OpenError::Fault { place: place.shown(), detail };
    let driver = Driver::start().map_err(|error| failed(error.to_string()))?;
    driver.wait_for(what).map_err(failed)?
}

pub(super) async fn ask(place: &DatabasePlace) -> Result<Probed, OpenError> {
    let shown = place.shown();
    let failed = |error: tokio_postgres::Error| OpenError::of(&shown, &error);
    let client = place.connect().await.map_err(failed)?;
    let facts = ServerFacts::ask(&client).await.map_err(failed)?;
    facts.check(&shown)?;
    let mut round_trip = Duration::MAX;
    for _ in 0..TRIES {
        let asked = Instant::now();
        client.query_one("SELECT 1", &[]).await.map_err(failed)?;
        round_trip = round_trip.min(asked.elapsed());
    }
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                  AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
    let others = client.query_one(others, &[]).await.map_err(failed)?;
    let nodes = nodes::views(&client, &place.team).await.map_err(failed)?;
    Ok(Probed { server: facts.version / 10_000, round_trip, connections: unsigned(others.get(0)), nodes })
}
