//! What every plain HTTP route needs: who asks, body and query, and one shape for every error.
//!
//! ```text
//! guard ─► RequestInfo, Principal ─► Who ─► handler ─► answer, or ApiError ─► told (adds the request's id)
//! ```

mod delivered;
mod denials;
mod error;
mod extract;
mod fallback;
mod key;
mod lists;
mod openapi;
mod pass;
mod routes;
mod table;
#[cfg(test)]
pub(crate) mod tests;
mod told;
mod who;

pub use delivered::{LastAnswer, Slot, Watched, delivered, watched};
pub use denials::Denials;
pub use error::{ApiError, ApiResult, ErrorBody};
pub use extract::{BodyParts, JsonBody, Params, Segment, parse, read_body};
pub use fallback::{no_such_method, no_such_route};
pub use key::idempotency_key;
pub use lists::{List, names, page_request};
pub use pass::{CredentialWatch, Pass};
pub use routes::{Answer, Body, MakeSchema, Method, Route};
pub use table::Routes;
pub use told::told;
pub use who::{RequestInfo, Who};
