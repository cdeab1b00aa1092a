//! Errors say of which request they are.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::error::ApiError;
use super::who::RequestInfo;

/// Writes the id of the request into every error that comes out of the routes within.
pub async fn told(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestInfo>().map(|info| info.id.clone());
    let mut response = next.run(request).await;
    match (response.extensions_mut().remove::<ApiError>(), id) {
        (Some(error), Some(id)) if !error.names_its_request() => error.of_request(id).into_response(),
        (Some(_) | None, Some(_) | None) => response,
    }
}
