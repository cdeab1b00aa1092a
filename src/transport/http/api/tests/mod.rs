//! The API over a hub on the journal in memory, past the guard.

mod description;
mod errors;
mod events;
mod hands;
mod ids;
mod inbox;
mod outbox;
mod overview;
mod parked;
mod people;
mod questions;
mod reviews;
mod standings;
mod subjects;
mod tasks;
mod terminals;
mod tree;
mod waits;
mod workflows;

use crate::transport::web::tests::RouteFixture;

async fn desk() -> RouteFixture {
    RouteFixture::with(super::routes()).await
}
