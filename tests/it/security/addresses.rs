//! Where a hub listens: on the loopback alone, unless it was said how what leaves it is kept.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::raw::Stage;
use crate::support::hub_process::{HubProcess, callboard};

/// A second is promised; a busy machine may take some more.
const SOON: Duration = Duration::from_secs(10);

/// What a hub of which nothing is said listens on.
const DEFAULT: &str = "127.0.0.1:7420";

/// SEC-10: off the loopback nothing is served without TLS or a declared proxy, and both are named.
#[test]
#[expect(clippy::disallowed_methods, reason = "another process cannot be on stopped time")]
fn an_open_address_is_refused_with_what_to_add() {
    // Taken: whoever tries it before thinking hears of that instead.
    let taken = TcpListener::bind("0.0.0.0:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for address in ["0.0.0.0", "[::]", "192.0.2.1", "[2001:db8::1]", "0.0.0.0:0 by a file"] {
        let data_dir = tempfile::TempDir::new().unwrap();
        let began = Instant::now();
        let refused = if let Some((address, _)) = address.split_once(" by") {
            let settings = data_dir.path().join("hub.yaml");
            fs::write(&settings, format!("listen: \"{address}\"\n")).unwrap();
            HubProcess::never_serves(data_dir.path(), &["--config", data_dir.path().to_str().unwrap()])
        } else {
            HubProcess::never_serves(data_dir.path(), &["--listen", &format!("{address}:{port}")])
        };
        assert!(began.elapsed() < SOON, "{address}: after {:?}", began.elapsed());
        let words = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{address}: {words}");
        assert!(words.contains("tls") && words.contains("behindProxy"), "{address}: {words}");
        assert!(!data_dir.path().join("operator.token").exists(), "{address}: it was refused before it began");
    }
}

/// The sockets on which a process hears strangers, as `/proc` writes them: address in hexadecimal and port.
fn ears(pid: u32) -> Vec<String> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    let sockets: Vec<String> = open.map(|to| to.to_string_lossy().into_owned()).collect();
    let hears = |table: &str, state: &str| -> Vec<String> {
        let lines = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        let lines = lines.lines().filter_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let socket = format!("socket:[{}]", fields.get(9)?);
            (fields[3] == state && sockets.contains(&socket)).then(|| format!("{table} {}", fields[1]))
        });
        lines.collect()
    };
    // Listening, and for what knows no listening: open.
    ["tcp", "tcp6"]
        .iter()
        .flat_map(|table| hears(table, "0A"))
        .chain(hears("udp", "07"))
        .chain(hears("udp6", "07"))
        .collect()
}

/// SEC-11: a hub of which nothing was said listens on the loopback alone.
#[test]
fn the_hub_listens_on_the_loopback_alone() {
    let stage = Stage::open();
    assert_eq!(ears(stage.hub.pid()), [format!("tcp 0100007F:{:04X}", stage.port())], "nowhere else either");
    let (data_dir, port) = (tempfile::TempDir::new().unwrap(), 7420);
    let mut serve = callboard(data_dir.path());
    let mut hub = serve.arg("serve").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(hub.stdout.take().unwrap()).lines().map_while(Result::ok);
    let served = lines.filter(|line| line.contains("://")).map(|line| line.contains(DEFAULT)).next();
    let heard = if served.is_some() { ears(hub.id()) } else { Vec::new() };
    drop(hub.kill());
    let ended = hub.wait().unwrap();
    let mut words = String::new();
    drop(hub.stderr.take().unwrap().read_to_string(&mut words));
    match served {
        Some(there) => {
            assert!(there, "{words}");
            assert_eq!(heard, [format!("tcp 0100007F:{port:04X}")]);
        }
        // Another hub of this machine is there already; this one says where it wanted to be.
        None => assert!(words.contains(DEFAULT), "{ended}: {words}"),
    }
}
