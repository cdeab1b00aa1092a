//! Every route that there is, from elsewhere, from a foreign page, and without a credential.

use super::raw::{RawResponse, Stage, request};

/// Every route: those of the description, the doors that it does not describe, and where nothing is.
fn every_route(stage: &Stage) -> Vec<(String, String)> {
    let (_, document) = stage.hub.get("/api/v1/openapi.json");
    let described = document["paths"].as_object().unwrap();
    let mut routes: Vec<_> = described
        .iter()
        .flat_map(|(path, item)| item.as_object().unwrap().keys().map(move |method| (method.to_uppercase(), path)))
        .map(|(method, path)| (method, path.replace("{id}", "abcdefgh").replace("{source}", "abcdefgh")))
        .collect();
    let more = [("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("POST", "/mcp/x"), ("GET", "/ws")];
    let nowhere = [("GET", "/ws/terminal"), ("GET", "/ws/x"), ("GET", "/"), ("GET", "/nowhere"), ("PUT", "/api/v1")];
    routes.extend(more.into_iter().chain(nowhere).map(|(method, path)| (method.to_owned(), path.to_owned())));
    assert!(routes.len() > 60, "{routes:?}");
    routes
}

fn is_open(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/" | "/api/v1/login" | "/api/v1/push/answers")
}

/// An answer that gives nothing away.
fn tells_nothing(said: &RawResponse, what: &str) {
    let body = said.json();
    let fields: Vec<_> = body.as_object().map(|body| body.keys().cloned().collect()).unwrap_or_default();
    let known = fields.iter().filter(|field| *field != "error_description");
    let known: Vec<&str> = known.map(String::as_str).collect();
    assert!(said.body.is_empty() || known == ["code", "details", "error", "requestId"], "{what}: {}", said.body);
}

/// SEC-01: a name that was made to lead here is no name of this hub, on any route, whatever the token.
#[test]
fn no_route_answers_for_another_host() {
    let stage = Stage::open();
    let (port, admin) = (stage.port(), format!("Bearer {}", stage.hub.operator_token()));
    let own = format!("127.0.0.1:{port}");
    let names = ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io"];
    // Who rebinds a name has the right port.
    let ported = names.map(|name| format!("{name}:{port}"));
    let hosts = names.into_iter().chain(ported.iter().map(String::as_str)).chain(["127.0.0.2", "0.0.0.0"]);
    let hosts: Vec<&str> = hosts.collect();
    for (method, path) in every_route(&stage) {
        for host in hosts.iter().copied() {
            let said = stage.sends(&request(&method, &path, &[("Host", host), ("Authorization", &admin)], ""));
            assert_eq!((said.status, said.code().as_str()), (403, "FORBIDDEN"), "{method} {path} as {host}");
            tells_nothing(&said, &path);
        }
        let none = stage.sends(&request(&method, &path, &[("Authorization", &admin)], ""));
        let two = [("Host", own.as_str()), ("Host", "evil.example"), ("Authorization", &admin)];
        let two = stage.sends(&request(&method, &path, &two, ""));
        for said in [none, two] {
            assert_eq!(said.status, 400, "{method} {path}: {}", said.body);
            tells_nothing(&said, &path);
        }
    }
    // A forwarded port is another one than the hub's own.
    for host in ["localhost:9000", "127.0.0.1:1", "[::1]:65535", "localhost"] {
        assert_eq!(stage.sends(&request("GET", "/healthz", &[("Host", host)], "")).status, 200, "{host}");
    }
}

/// SEC-02: the best token does not help a foreign page.
/// SEC-03: nor a page of another local port, one without a name, or one of another scheme.
#[test]
fn no_route_answers_a_page_of_elsewhere() {
    let stage = Stage::open();
    let admin = format!("Bearer {}", stage.hub.operator_token());
    let tls = format!("https://127.0.0.1:{}", stage.port());
    let pages = [
        ("Origin", "http://evil.example"),
        ("Origin", "http://127.0.0.1:5173"),
        ("Origin", "null"),
        ("Origin", &tls),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ];
    for (method, path) in every_route(&stage) {
        for page in pages {
            let said = stage.asks(&method, &path, &[("Authorization", &admin), page], "");
            assert_eq!((said.status, said.code().as_str()), (403, "FORBIDDEN"), "{method} {path} from {page:?}");
            assert_eq!(said.header("access-control-allow-origin"), "", "{method} {path}");
        }
    }
}

/// SEC-04: a socket is opened to no foreign page, whatever its token, and to nobody without one.
#[test]
fn a_socket_is_opened_by_the_rules_of_every_route() {
    let stage = Stage::open();
    let agent = format!("Bearer {}", stage.agent("a1", "full-stack-engineer"));
    let own = format!("http://127.0.0.1:{}", stage.port());
    for (path, protocol) in [("/ws", "mcp"), ("/ws/terminal", "callboard-terminal")] {
        let opens = |more: &[(&str, &str)]| {
            let mut headers = vec![
                ("Connection", "Upgrade"),
                ("Upgrade", "websocket"),
                ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
                ("Sec-WebSocket-Protocol", protocol),
            ];
            headers.extend(more);
            stage.asks("GET", path, &headers, "").status
        };
        assert_eq!(opens(&[("Origin", "http://evil.example"), ("Authorization", &agent)]), 403, "{path}");
        assert_eq!(opens(&[("Origin", &own)]), 401, "{path}");
        assert_eq!(opens(&[]), 401, "{path}");
    }
}

/// SEC-05: nobody comes in without a credential, except to ask for the hub's health, for the page, to log in,
/// by a ticket, and by a signature.
#[test]
fn no_route_but_those_of_health_answers_nobody() {
    let stage = Stage::open();
    for (method, path) in every_route(&stage) {
        let said = stage.asks(&method, &path, &[], "");
        if matches!(&*path, "/api/v1/login" | "/api/v1/push/answers") {
            assert_eq!((said.status, said.code().as_str()), (400, "INVALID_ARGUMENTS"), "{}", said.body);
            tells_nothing(&said, &path);
            continue;
        }
        if path.starts_with("/hooks/in/") {
            // A signature is the credential there, and without a source there is none to compare it with.
            assert_eq!((said.status, said.code().as_str()), (404, "HOOK_NOT_FOUND"), "{}", said.body);
            tells_nothing(&said, &path);
            continue;
        }
        if is_open(&path) {
            assert_eq!(said.status, 200, "{path}: {}", said.body);
            continue;
        }
        assert_eq!((said.status, said.code().as_str()), (401, "UNAUTHENTICATED"), "{method} {path}");
        let challenge = said.header("www-authenticate");
        let how = "bearer realm=\"callboard\", error=\"invalid_token\", error_description=\"send the header";
        assert!(challenge.starts_with(how), "{path}: {challenge}");
        tells_nothing(&said, &path);
    }
}
