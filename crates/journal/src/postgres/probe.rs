//! A look at a database that changes nothing: whether it can be reached and is fit, and how far away it is.

use std::convert::Infallible;
use std::future::poll_fn;
use std::task::{Poll, ready};
use std::time::Duration;

use callboard_platform::clock::Clock;
use tokio::time::{Instant, timeout};
use tokio_postgres::{AsyncMessage, Client};

use super::OpenError;
use super::nodes;
use super::open::{in_time, would_serve};
use super::place::DatabasePlace;
use super::row::{number, unsigned};
use super::schema;
use super::store::Driver;
use super::tls::Tls;
use crate::domain::node::NodeView;
use crate::entry::Seq;

/// How often a question is sent to measure the way there and back.
const TRIES: u32 = 5;

/// How often a database in use is asked whether it is free, and how long apart: two seconds in all.
const ASKED: u32 = 20;
const APART: Duration = Duration::from_millis(100);

/// How long one connection may take to hear another.
const HEARS_WITHIN: Duration = Duration::from_secs(2);

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The release of the server, as 15.
    pub server: i64,
    /// The number of the journal's last record; 0 where there is none.
    pub position: Seq,
    /// The shortest time for a question and its answer.
    pub round_trip: Duration,
    /// How many other connections are open to the team's journal.
    pub connections: u64,
    /// How far the server's clock is ahead of this machine's, in milliseconds; less than zero: behind.
    pub ahead: i64,
    /// Whether one connection hears what another one tells: not where a pooler gives each transaction another session.
    pub hears: bool,
    /// Replicas of the server, and whether a change waits for any of them.
    pub replicas: u64,
    pub synchronous: bool,
    /// The hubs that are there by name; none where one is alone.
    pub nodes: Vec<NodeView>,
}

/// Asks the server. Fails as opening the journal for a hub would, by the same check in a transaction that is given up.
/// A hub that has it now is no fault.
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
            connections = in_time(place, others(place)).await?;
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

/// How many other connections there are to the team's journal.
async fn connected(client: &Client) -> Result<u64, tokio_postgres::Error> {
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                  AND application_name = current_setting('application_name') AND pid <> pg_backend_pid()";
    Ok(unsigned(client.query_one(others, &[]).await?.get(0)))
}

async fn others(place: &DatabasePlace) -> Result<u64, OpenError> {
    let (client, _) = schema::connect(place).await?;
    connected(&client).await.map_err(|error| place.problem(&error))
}

pub(super) async fn ask(place: &DatabasePlace) -> Result<Probed, OpenError> {
    let failed = |error: tokio_postgres::Error| place.problem(&error);
    let (mut client, facts) = schema::connect(place).await?;
    let position = would_serve(&mut client, place).await?;
    let mut round_trip = Duration::MAX;
    for _ in 0..TRIES {
        let asked = Instant::now();
        client.query_one("SELECT 1", &[]).await.map_err(failed)?;
        round_trip = round_trip.min(asked.elapsed());
    }
    let connections = connected(&client).await.map_err(failed)?;
    let nodes = nodes::views(&client, &place.team).await.map_err(failed)?;
    let about = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, count(*),
                 current_setting('synchronous_standby_names') <> '' FROM pg_stat_replication";
    let about = client.query_one(about, &[]).await.map_err(failed)?;
    let now = Clock::system().machine_now();
    Ok(Probed {
        server: facts.version / 10_000,
        position,
        round_trip,
        connections,
        ahead: about.get::<_, i64>(0) - number(now.0),
        hears: hears(place, &client).await.map_err(failed)?,
        replicas: unsigned(about.get(1)),
        synchronous: about.get(2),
        nodes,
    })
}

/// Whether a second connection hears what the first one tells.
async fn hears(place: &DatabasePlace, client: &Client) -> Result<bool, tokio_postgres::Error> {
    let (listener, mut listening) = place.config.connect(Tls::new()).await?;
    // What it hears comes by the same future that carries its questions.
    let heard = poll_fn(|context| {
        loop {
            match ready!(listening.poll_message(context)) {
                Some(Ok(AsyncMessage::Notification(_))) => return Poll::Ready(true),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Poll::Ready(false),
            }
        }
    });
    let told = async {
        listener.batch_execute("LISTEN callboard_doctor").await?;
        client.batch_execute("NOTIFY callboard_doctor").await?;
        std::future::pending::<Result<Infallible, tokio_postgres::Error>>().await
    };
    tokio::select! {
        heard = timeout(HEARS_WITHIN, heard) => Ok(heard.unwrap_or_default()),
        Err(error) = told => Err(error),
    }
}
