//! For tests: requests to the stand-in of GitHub in this process, as calls.

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{Request, Response};

use super::carrier::Carrier;
use super::error::ForgeError;
use crate::standin::github::GitHub;

/// The way to a stand-in.
#[derive(Debug)]
pub struct InProcess(pub GitHub);

impl Carrier for InProcess {
    fn carry(&self, request: Request<Bytes>) -> BoxFuture<'_, Result<Response<Bytes>, ForgeError>> {
        let answer = self.0.answers(&request);
        async move { answer.ok_or_else(|| ForgeError::Unreachable("connection reset".to_owned())) }.boxed()
    }
}
