//! A file of the page as it is sent: packed where the browser unpacks it, and not at all where it has the same already.

use std::io::Write as _;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest as _, Sha256};

/// What the page may load, and what it may not do.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; \
    frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types callboard-worker";

/// A file as it is sent.
#[derive(Debug, Clone)]
pub(super) struct Asset {
    content_type: &'static str,
    plain: Bytes,
    packed: Bytes,
    /// Names exactly these bytes.
    tag: HeaderValue,
}

/// What a file of this name is; none for what the page does not consist of.
pub(super) fn content_type(name: &str) -> Option<&'static str> {
    let (_, ending) = name.rsplit_once('.')?;
    Some(match ending {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        _ => return None,
    })
}

impl Asset {
    /// A file of these bytes.
    pub(super) fn of(content_type: &'static str, plain: Bytes) -> Self {
        let digest: String = Sha256::digest(&plain).iter().map(|byte| format!("{byte:02x}")).collect();
        // Digits and quotes always make a header; without a tag a file is sent anew each time, no worse.
        let tag = HeaderValue::from_str(&format!("\"{digest}\"")).unwrap_or_else(|_| HeaderValue::from_static("\"\""));
        let packed = packed(&plain).unwrap_or_else(|_| plain.clone());
        Self { content_type, plain, packed, tag }
    }

    /// The answer to a request with these headers.
    pub(super) fn sent_to(&self, headers: &HeaderMap) -> Response {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let tag = self.tag.to_str().unwrap_or_default();
        let known = text(IF_NONE_MATCH).split(',').any(|known| known.trim().trim_start_matches("W/") == tag);
        let unpacks = text(ACCEPT_ENCODING).split(',').any(|coding| coding.trim().split(';').next() == Some("gzip"));
        let unpacks = unpacks && self.packed.len() < self.plain.len();
        let mut response = match (known, unpacks) {
            (true, _) => StatusCode::NOT_MODIFIED.into_response(),
            (false, true) => Response::new(Body::from(self.packed.clone())),
            (false, false) => Response::new(Body::from(self.plain.clone())),
        };
        let headers = response.headers_mut();
        if unpacks && !known {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(ETAG, self.tag.clone());
        // Kept, and asked for anew each time: the next version of the hub has other files under the same names.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
        response
    }
}

fn packed(plain: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish().map(Bytes::from)
}
