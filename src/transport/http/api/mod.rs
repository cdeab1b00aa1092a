//! `/api/v1`: tasks, agents, sessions and events for people's programs, and every verb as plain HTTP.
//!
//! One file per thing; what a row says (scope, query, body, answer) is both enforced and described.

mod agents;
mod connect;
mod events;
mod ids;
mod inbox;
mod limits;
mod login;
mod me;
mod noted;
mod orders;
mod outbox;
mod overview;
mod patterns;
mod prelude;
mod questions;
mod reviews;
mod runs;
mod schedules;
mod sessions;
mod snapshot;
mod task;
mod tasks;
mod terminals;
#[cfg(test)]
mod tests;
mod tokens;
mod tools;
mod tree;
mod usage;
mod warnings;
mod webhooks;
mod workflows;

use crate::transport::web::Routes;
pub use connect::CLIENTS;

pub fn routes() -> Routes {
    tools::routes()
        .and(tasks::routes())
        .and(task::routes())
        .and(tree::routes())
        .and(orders::routes())
        .and(reviews::routes())
        .and(inbox::routes())
        .and(outbox::routes())
        .and(usage::routes())
        .and(webhooks::routes())
        .and(runs::routes())
        .and(schedules::routes())
        .and(workflows::routes())
        .and(agents::routes())
        .and(sessions::routes())
        .and(terminals::routes())
        .and(patterns::routes())
        .and(questions::routes())
        .and(overview::routes())
        .and(snapshot::routes())
        .and(events::routes())
        .and(ids::routes())
        .and(limits::routes())
        .and(connect::routes())
        .and(me::routes())
        .and(login::routes())
        .and(tokens::routes())
}
