//! `/admin`: the actors and their deadlines, for whoever wants to know why nothing happens.

mod actors;
mod audit;
mod journal;
mod nodes;
mod settings;
#[cfg(test)]
mod tests;
mod timers;

use crate::transport::web::Routes;

/// All of `/admin`.
pub fn routes() -> Routes {
    actors::routes()
        .and(timers::routes())
        .and(journal::routes())
        .and(audit::routes())
        .and(settings::routes())
        .and(nodes::routes())
}
