//! What stands in no journal and changes something is in the audit before it is done.

use crate::actors::HubRef;
use crate::audit::Note;
use crate::transport::web::{ApiError, ApiResult};

/// Writes a line of the audit. Fails with `UNAVAILABLE`, and then the deed must not be done.
pub(super) async fn noted(hub: &HubRef, note: Note) -> ApiResult<()> {
    hub.audit.before(note).await.map_err(|why| {
        tracing::warn!("nothing is changed, for the audit cannot be written: {why}");
        let message = "the audit could not be written, and nothing changed: see the hub's log, make room on its disk, \
                       and repeat the call";
        ApiError::new("UNAVAILABLE", message)
    })
}
