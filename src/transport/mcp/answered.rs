//! What may take long, answered in one of two ways: outside of the library, or inside.

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ServerResult};
use rmcp::service::RequestContext;

use super::reply_path::ReplyPath;
use super::result::message_to;
use super::wait::{Notes, listened};
use super::workarounds::parked::{Exit, Parked};

/// Answers with what may take long: outside of the library where the call may leave it, else inside, while somebody
/// listens. Of a call that left, the library gets `unseen`, which reaches nobody.
pub(super) async fn answered<T, W>(
    context: &mut RequestContext<RoleServer>,
    notes: Option<Notes>,
    unseen: fn() -> T,
    work: impl FnOnce(ReplyPath) -> W,
) -> Result<T, ErrorData>
where
    T: Into<ServerResult>,
    W: Future<Output = Result<T, ErrorData>> + Send + 'static,
{
    let path = ReplyPath::of(context);
    if let Some(exit) = Exit::of(context) {
        let (legacy, id, work) = (path.is_legacy(), context.id.clone(), work(path.outside()));
        let call = async move { message_to(legacy, id, work.await.map(Into::into)) };
        exit.leave(Parked::new(call, notes));
        return Ok(unseen());
    }
    let work = Box::pin(work(path));
    // The request's headers lie in the buffer that it was read into: who waits keeps neither.
    context.extensions.clear();
    listened(context, notes, work).await.unwrap_or_else(|| {
        Err(ErrorData::internal_error("the client stopped listening before there was an answer", None))
    })
}
