//! The hub calls nobody but Discord, the forge, the tracker and the subscribers of its webhooks: its rooms answer, and
//! whoever asks comes to them.
//!
//! What came in with a request, its token before all, can leave with none that is never made. The command line is
//! another program: a client of the hub. Webhooks go out from one room, which knows where they may go and sends what
//! the journal says, never what came in with a request.

use super::tree::{self, Source};
use super::{Complaint, none_of};

/// The rooms of the command line, which is a client.
const CLIENTS: [&str; 2] = ["src/cli/", "src/cli.rs"];
/// The room from which webhooks go out, and its ways.
const WEBHOOKS: (&str, [&str; 2]) = ("src/webhooks/", ["reqwest", "lookup_host"]);
/// The room from which comments go to the tracker, by the same rules for addresses.
const TRACKER: (&str, [&str; 1]) = ("src/tracker/", ["reqwest"]);

/// The files from which forges are called, each in its way, and the one that makes every HTTP client.
const FORGES: [(&str, &str); 6] = [
    // A look whether anybody listens where another hub did: nothing is sent there.
    ("crates/journal/src/postgres/nodes.rs", "TcpStream::connect"),
    // The server that its tests start.
    ("crates/journal/src/postgres/fixture.rs", "Command::new"),
    (MAKER, "reqwest"),
    ("src/actors/forge/carrier.rs", "reqwest"),
    ("src/actors/forge/git/program.rs", "process::Command"),
    ("src/actors/forge/git/program.rs", "Command::new"),
];

/// The one room from which somebody is called: Discord, by its own library.
const TO_DISCORD: &str = "src/actors/discord/";
const DISCORDS: [&str; 2] = ["twilight_http", "twilight_gateway"];

/// The one file that makes HTTP clients, so that all of them believe the same certificates.
const MAKER: &str = "crates/platform/src/web_client.rs";

/// What runs in a hub: its package, and the crates below it that could call somebody.
const OF_THE_HUB: [&str; 4] = ["src", "crates/journal/src", "crates/platform/src", "crates/settings/src"];

/// Ways out: connections, names that are looked up, programs that could do either.
const WAYS: [&str; 14] = [
    "reqwest", "TcpStream::connect", "TcpSocket", "UdpSocket", "UnixStream::connect", "UnixDatagram", "hyper::client",
    "hyper_util::client", "connect_async", "client_async", "lookup_host", "ToSocketAddrs", "process::Command",
    "Command::new",
];

#[test]
fn the_hub_calls_nobody() {
    let sources = OF_THE_HUB.map(|folder| tree::read(folder, &[".rs"])).into_iter().flatten().collect::<Vec<_>>();
    none_of(
        "what calls out of the hub stands in `cli`, `webhooks` or `tracker`",
        &sources.iter().flat_map(calls).collect::<Vec<_>>(),
    );
}

#[test]
fn every_http_client_believes_the_same_certificates() {
    let makes = |source: &Source| {
        let elsewhere = !source.path.contains("/tests");
        let lines = source.code_lines().filter(|(_, line)| {
            elsewhere
                && source.path != MAKER
                && !source.path.starts_with(TO_DISCORD)
                && ["Client::builder()", "Client::new()"].iter().any(|way| line.contains(way))
        });
        lines.map(|(number, line)| format!("{}: {line}", source.at(number))).collect::<Vec<_>>()
    };
    let at = |path: &str| makes(&Source::made_up(path, "let client = reqwest::Client::builder().build()?;")).len();
    assert_eq!((at("crates/client/src/client/find.rs"), at(MAKER)), (1, 0));
    let rooms = OF_THE_HUB.into_iter().chain(["crates/client/src"]);
    let sources: Vec<_> = rooms.flat_map(|folder| tree::read(folder, &[".rs"])).collect();
    none_of(
        "HTTP clients are made by crates/platform/src/web_client.rs",
        &sources.iter().flat_map(makes).collect::<Vec<_>>(),
    );
}

#[test]
fn a_way_out_is_seen_where_it_stands() {
    let calls = |path: &str, text: &str| calls(&Source::made_up(path, text)).len();
    assert_eq!(calls("src/tools/a.rs", "let client = reqwest::Client::new();"), 1);
    assert_eq!(calls("src/hub.rs", "let stream = TcpStream::connect(address).await?;"), 1);
    assert_eq!(calls("src/actors/a/b.rs", "Command::new(\"curl\").spawn()?;"), 1);
    assert_eq!(calls("src/transport/discord/a.rs", "use twilight_http::Client;"), 1);
    assert_eq!(calls("src/actors/discord/rest.rs", "use twilight_http::Client;"), 0);
    assert_eq!(calls("src/cli/doctor/request.rs", "let client = reqwest::Client::new();"), 0);
    assert_eq!(calls("src/transport/http/tests/accept.rs", "TcpStream::connect(address).await.unwrap();"), 0);
    assert_eq!(calls("src/webhooks/a.rs", "let client = reqwest::Client::new();"), 0);
    assert_eq!(calls("src/webhooks/a.rs", "TcpStream::connect(address)"), 1);
    assert_eq!(calls("src/tracker/a.rs", "let client = reqwest::Client::new();"), 0);
    assert_eq!(calls("src/tracker/a.rs", "lookup_host(name)"), 1);
    assert_eq!(calls("src/actors/forge/carrier.rs", "let client = reqwest::Client::new();"), 0);
    assert_eq!(calls("src/actors/forge/git/program.rs", "use tokio::process::Command;"), 0);
    assert_eq!(calls("src/actors/forge/git/folder.rs", "use tokio::process::Command;"), 1);
    assert_eq!(calls("src/actors/forge/github/mod.rs", "let client = reqwest::Client::new();"), 1);
    assert_eq!(calls("src/transport/http/accept.rs", "// not reqwest"), 0);
}

fn calls(source: &Source) -> Vec<Complaint> {
    let path = &source.path;
    let tests = path.contains("/tests/") || path.ends_with("/tests.rs") || path.ends_with("_tests.rs");
    if tests || CLIENTS.iter().any(|room| source.path.starts_with(room)) {
        return Vec::new();
    }
    let lines = source.code_lines().flat_map(|(number, line)| {
        let webhooks = source.path.starts_with(WEBHOOKS.0);
        let discords = DISCORDS.iter().filter(|_| !source.path.starts_with(TO_DISCORD));
        let tracker = source.path.starts_with(TRACKER.0);
        let forges = FORGES.map(|(path, way)| (source.path == path).then_some(way));
        let ways = WAYS.iter().filter(move |way| !(webhooks && WEBHOOKS.1.contains(*way)));
        let ways = ways.filter(move |way| !(tracker && TRACKER.1.contains(*way)));
        let ways = ways.filter(move |way| !forges.contains(&Some(**way)));
        let ways = ways.chain(discords).filter(move |way| line.contains(**way));
        ways.map(move |way| format!("{}: `{way}`", source.at(number)))
    });
    lines.collect()
}
