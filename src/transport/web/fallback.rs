//! What is answered where nothing is: never a page, always the error shape.

use http::{Method, Uri};

use super::error::ApiError;
use crate::domain::text::shown;

pub async fn no_such_route(uri: Uri) -> ApiError {
    let path = shown(uri.path());
    ApiError::new("NOT_FOUND", format!("there is no route `{path}`: see /api/v1/openapi.json"))
}

pub async fn no_such_method(method: Method, uri: Uri) -> ApiError {
    let path = shown(uri.path());
    ApiError::new("METHOD_NOT_ALLOWED", format!("`{path}` does not take {method}: see /api/v1/openapi.json"))
}
