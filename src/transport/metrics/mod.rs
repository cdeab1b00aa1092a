//! For machines that watch: `/metrics` in OpenMetrics, `/healthz`, `/readyz`.

mod health;
mod scrape;
#[cfg(test)]
mod tests;

use crate::transport::web::Routes;

/// The three of them.
pub fn routes() -> Routes {
    scrape::routes().and(health::routes())
}
