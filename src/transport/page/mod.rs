//! The page's door: its files, as they lie in the binary, for whoever asks.
//!
//! Nothing of the hub's is in these files, so they need no credential; what the page shows it reads over the API, with
//! the token that a one-time code was traded for (`tokens/session.rs`). No cookie is ever set: a browser sends those of
//! one local port to every other.
//!
//! The page may load scripts and styles of its own alone, and build no markup out of strings: its
//! `Content-Security-Policy` names nothing that is unsafe, and asks for trusted types, of which there is one: the
//! address of the page's own service worker.
//!
//! A file is packed when it is first asked for, and sent whole to who has not the same yet.
//! A build with debug assertions reads them from the folder that `CALLBOARD_PAGE_ASSETS` names, so that whoever works
//! on the page reloads it and sees the change.

mod asset;
mod files;
#[cfg(test)]
mod tests;

use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use http::Method;

use crate::domain::text::shown;
use crate::transport::web::{ApiError, RequestInfo};
use asset::Asset;

/// The environment variable that names the folder to read the files from, in builds with debug assertions.
#[cfg(debug_assertions)]
pub(crate) const FROM_DISK: &str = "CALLBOARD_PAGE_ASSETS";

pub fn answer(request: &Request) -> Response {
    let path = request.uri().path();
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let message = format!("`{}` does not take {}: it is a file of the page", shown(path), request.method());
        return refusal(request, "METHOD_NOT_ALLOWED", message);
    }
    // A service worker is there for what lies below its own path.
    let name = match path {
        "/" => Some("index.html"),
        "/sw.js" => Some("sw.js"),
        path => path.strip_prefix("/assets/"),
    };
    let found = name.filter(|name| *name != "index.html" || path == "/").and_then(find);
    match found {
        Some(asset) => asset.sent_to(request.headers()),
        None => {
            let message =
                format!("the page has no file `{}`: reload it, for the hub may be another version", shown(path));
            refusal(request, "NOT_FOUND", message)
        }
    }
}

fn refusal(request: &Request, code: &'static str, message: String) -> Response {
    let id = request.extensions().get::<RequestInfo>().map(|info| info.id.clone());
    ApiError::new(code, message).of_request(id.unwrap_or_default()).into_response()
}

/// A file by its path below the folder.
fn find(name: &str) -> Option<Asset> {
    #[cfg(debug_assertions)]
    if let Some(folder) = std::env::var_os(FROM_DISK) {
        return from_disk(std::path::Path::new(&folder), name);
    }
    files::find(name).cloned()
}

#[cfg(debug_assertions)]
fn from_disk(folder: &std::path::Path, name: &str) -> Option<Asset> {
    let content_type = asset::content_type(name)?;
    let below = std::path::Path::new(name);
    let plain_path = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let bytes = plain_path.then(|| std::fs::read(folder.join(below)).ok())??;
    Some(Asset::of(content_type, bytes.into()))
}
