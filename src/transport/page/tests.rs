//! The files as they are sent.

use std::collections::BTreeSet;
use std::path::Path;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http_body_util::BodyExt as _;
use sha2::{Digest as _, Sha256};

use super::asset::content_type;
use super::{answer, files};

/// What lies in the folder and is not served: it is about the files, for who builds and checks them.
const NOT_SERVED: [&str; 3] = ["toml", "mts", "md"];

fn asked(method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answer(&request.body(Body::empty()).unwrap())
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

fn below(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, root, found);
        } else if !NOT_SERVED.contains(&path.extension().unwrap().to_str().unwrap()) {
            found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn every_file_of_the_folder_is_served_as_what_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transport/page/assets");
    let mut found = BTreeSet::new();
    below(&root, &root, &mut found);
    let rows: Vec<_> = files::FILES.iter().map(|file| file.name.to_owned()).collect();
    assert_eq!(rows, found.into_iter().collect::<Vec<_>>(), "files.rs has a row for each file, in order");
    for name in &rows {
        let path = if name == "index.html" { "/".to_owned() } else { format!("/assets/{name}") };
        let response = asked("GET", &path, &[]);
        assert_eq!((response.status().as_u16(), header(&response, "content-type")), (200, content_type(name).unwrap()));
    }
}

#[tokio::test]
async fn a_file_is_packed_for_the_way_and_sent_once() {
    let plain = asked("GET", "/", &[]).into_body().collect().await.unwrap().to_bytes();
    let packed = asked("GET", "/", &[("accept-encoding", "br, gzip;q=0.8")]);
    assert_eq!((header(&packed, "content-encoding"), header(&packed, "vary")), ("gzip", "accept-encoding"));
    let tag = header(&packed, "etag").to_owned();
    let packed = packed.into_body().collect().await.unwrap().to_bytes();
    assert!(packed.len() < plain.len(), "{} of {}", packed.len(), plain.len());
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let known = asked("GET", "/", &[("if-none-match", &format!("\"x\", W/{tag}"))]);
    assert_eq!((known.status().as_u16(), header(&known, "etag")), (304, tag.as_str()));
    assert_eq!(asked("GET", "/", &[("if-none-match", "\"x\"")]).status(), 200);
}

#[test]
fn the_page_may_run_nothing_but_its_own_files() {
    let response = asked("GET", "/", &[]);
    let policy = header(&response, "content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("require-trusted-types-for 'script'"), "{policy}");
    assert!(policy.ends_with("trusted-types callboard-worker"), "one policy, which gives one address: {policy}");
    assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"), "{policy}");
    assert_eq!(header(&response, "cross-origin-opener-policy"), "same-origin");
    assert_eq!(header(&response, "cache-control"), "no-cache");
    assert_eq!(header(&response, "set-cookie"), "");
}

#[test]
fn what_is_no_file_of_the_page_is_refused() {
    for path in ["/assets/", "/assets/index.html", "/assets/../Cargo.toml", "/assets/app", "/assets/nothing.js"] {
        assert_eq!(asked("GET", path, &[]).status(), 404, "{path}");
    }
    assert_eq!(asked("POST", "/", &[]).status(), 405);
}

/// What `VENDOR.toml` says of a library: the file that it stands in, and which one it is.
#[derive(serde::Deserialize)]
struct Vendored {
    file: String,
    source: String,
    licence: String,
    changed: String,
    /// Of the whole file, which several libraries may share.
    sha256: String,
}

#[test]
fn every_library_is_the_one_that_its_row_names() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/transport/page/assets/vendor");
    let text = std::fs::read_to_string(folder.join("VENDOR.toml")).unwrap();
    let rows: std::collections::BTreeMap<String, Vendored> = toml_edit::de::from_str(&text).unwrap();
    let mut named = BTreeSet::new();
    for (name, row) in &rows {
        let digest = Sha256::digest(std::fs::read(folder.join(&row.file)).unwrap());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, row.sha256, "`{name}` was changed, or its row was not");
        assert!([&row.source, &row.licence, &row.changed].iter().all(|words| !words.is_empty()), "{name}");
        named.insert(format!("vendor/{}", row.file));
    }
    let served = files::FILES.iter().map(|file| file.name.to_owned()).filter(|name| name.starts_with("vendor/"));
    assert_eq!(named, served.collect(), "each library has a row");
}

/// The files that a browser fetches before it shows the overview. What it asks of the API comes on top: with that,
/// 60 kB and 12 requests are the most (`tests/page`, UI-12).
#[tokio::test]
async fn the_first_load_is_small() {
    let app = ["app/live.js", "app/main.js", "app/ui.js"];
    let first = app.into_iter().chain(["index.html", "style/page.css", "vendor/preact.mjs"]);
    let mut bytes = 0;
    for name in first {
        let path = if name == "index.html" { "/".to_owned() } else { format!("/assets/{name}") };
        let packed = asked("GET", &path, &[("accept-encoding", "gzip")]);
        assert_eq!(packed.status(), 200, "{name}");
        bytes += packed.into_body().collect().await.unwrap().to_bytes().len();
    }
    assert!(bytes <= 41_000, "{bytes} bytes");
}
