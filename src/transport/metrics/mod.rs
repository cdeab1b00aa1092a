//! For machines that watch: `/metrics` in OpenMetrics, its history, `/healthz`, `/readyz`.

mod health;
mod history;
mod scrape;
#[cfg(test)]
mod tests;

use crate::transport::web::Routes;
pub use scrape::text;

/// All of them.
pub fn routes() -> Routes {
    scrape::routes().and(history::routes()).and(health::routes())
}
