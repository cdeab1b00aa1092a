//! What tests of forges share: the stand-in behind the carrier, without sockets.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::actors::forge::{Carrier, ForgeAnswer, ForgeError, ForgeRequest};
use callboard_standin::forge::ForgeStandIn;

/// Requests as calls.
#[derive(Debug)]
pub(super) struct InProcess(pub(super) ForgeStandIn);

impl Carrier for InProcess {
    fn carry(&self, request: ForgeRequest) -> BoxFuture<'_, Result<ForgeAnswer, ForgeError>> {
        let answer = self.0.answers(&request);
        async move { answer.ok_or_else(|| ForgeError::Unreachable("connection reset".to_owned())) }.boxed()
    }
}
