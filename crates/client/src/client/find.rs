//! Which hub, and with whose token. The hub: `--url`, then `--data-dir`, then `CALLBOARD_URL`, then what a hub left in
//! the default data directory. The first and the third may name several nodes of one hub (`nodes`). The token:
//! `--token-file`, then `CALLBOARD_TOKEN_FILE`, however the hub was named, since whoever names a token wants to be
//! nobody else; without it the operator's, which goes to the hub of its own data directory alone.

use std::net::IpAddr;
use std::path::Path;
use std::time::Duration;

use reqwest::Url;
use secrecy::SecretString;

use super::nodes::Nodes;
use super::token::{NoToken, TokenSource};
use crate::domain::text::with_causes;
use crate::exit::Exit;
use crate::ids::Ids;
use crate::place::{GlobalArgs, TOKEN_FILE, URL_FILE, variable};
use crate::private_file;
use crate::problem::Problem;
use crate::web_client;

/// Where a hub listens unless it is told otherwise.
const DEFAULT_URL: &str = "http://127.0.0.1:7420";

/// A hub that was found: whoever needs no more than a WebSocket of it needs no HTTP client, and none of its memory.
#[derive(Debug)]
pub struct HubPlace {
    pub(super) nodes: Nodes,
    token: TokenSource,
}

#[derive(Debug)]
pub struct HubClient {
    http: reqwest::Client,
    /// For addresses of this machine in a list with others: no proxy is on the way to them.
    here: Option<reqwest::Client>,
    pub(super) nodes: Nodes,
    pub(super) token: TokenSource,
    pub(super) ids: Ids,
    /// The session of an agent that each request names.
    pub(super) session: Option<String>,
    /// Whether it says on standard error that the hub keeps it waiting.
    pub(super) tells: bool,
}

impl HubPlace {
    /// The hub that a flag, the environment or the data directory names.
    pub fn find(globals: &GlobalArgs) -> Result<Self, Problem> {
        let nodes = nodes_named(globals)?;
        let token = match globals.token_file() {
            Some(file) => TokenSource::given(&file).map_err(|why| not_given(&file, why))?,
            None => left_token(&globals.own_data_dir()?, nodes.all())?,
        };
        nodes.all().iter().try_for_each(not_in_the_clear)?;
        Ok(Self { nodes, token })
    }

    /// The token that it was found with, as it is now.
    pub fn token(&self) -> SecretString {
        self.token.now()
    }

    /// A line to it.
    pub fn client(&self) -> Result<HubClient, Problem> {
        HubClient::new(self.nodes.clone(), self.token.clone())
    }
}

impl HubClient {
    /// The hub that the environment or the data directory names.
    pub fn find(globals: &GlobalArgs) -> Result<Self, Problem> {
        HubPlace::find(globals)?.client()
    }

    /// The same hub, for what it says to everybody: one that has not served yet has left no token.
    pub fn unnamed(globals: &GlobalArgs) -> Result<Self, Problem> {
        Self::new(nodes_named(globals)?, SecretString::default().into())
    }

    /// A hub whose address and token are known.
    pub fn at(url: &str, token: SecretString) -> Result<Self, Problem> {
        let from = "the hub's address";
        Self::new(Nodes::parse(url, from, |url| read_url(url, from))?, token.into())
    }

    fn new(nodes: Nodes, token: TokenSource) -> Result<Self, Problem> {
        nodes.all().iter().try_for_each(not_in_the_clear)?;
        let (own, away): (Vec<_>, Vec<_>) = nodes.all().iter().partition(|url| loopback(url));
        let here = (!own.is_empty() && !away.is_empty()).then(|| client_of(&own)).transpose()?;
        let http = client_of(if away.is_empty() { &own } else { &away })?;
        Ok(Self { http, here, nodes, token, ids: Ids::random(), session: None, tells: false })
    }

    /// What carries a request to this address.
    pub(super) fn carrier(&self, url: &Url) -> &reqwest::Client {
        self.here.as_ref().filter(|_| loopback(url)).unwrap_or(&self.http)
    }

    /// The same, which says on standard error that the hub is silent: for a person who looks on.
    #[must_use]
    pub fn telling(self) -> Self {
        Self { tells: true, ..self }
    }

    /// The same with this session on each request.
    #[must_use]
    pub fn in_session(self, session: Option<String>) -> Self {
        Self { session, ..self }
    }

    /// The origin of the hub's own page at this address.
    pub fn origin(&self) -> String {
        self.nodes.now().origin().ascii_serialization()
    }

    /// The hub's address, for sentences: of several the one that is asked now.
    pub fn address(&self) -> &str {
        self.nodes.now().as_str().trim_end_matches('/')
    }

    pub(super) fn has_several(&self) -> bool {
        self.nodes.all().len() > 1
    }

    /// The next request goes to another of its addresses, where there are several.
    pub fn looks_elsewhere(&self) {
        self.nodes.moves_on(self.nodes.now());
    }
}

/// The address of the hub that a flag, the environment or the data directory names, for who needs no token of it, and
/// has use for one address alone.
pub fn address_of(globals: &GlobalArgs) -> Result<String, Problem> {
    match nodes_named(globals)?.all() {
        [url] => Ok(url.as_str().trim_end_matches('/').to_owned()),
        several => Err(Problem::configuration(format!("{} addresses are named, and one is needed", several.len()))
            .because("this is about one node alone")
            .next("name that one by --url")),
    }
}

fn nodes_named(globals: &GlobalArgs) -> Result<Nodes, Problem> {
    let read = |text: &str, from: &str| Nodes::parse(text, from, |url| read_url(url, from));
    match (&globals.url, &globals.data_dir, variable("CALLBOARD_URL")) {
        (Some(url), _, _) => read(url, "--url"),
        (None, None, Some(url)) => read(&url, "CALLBOARD_URL"),
        (None, _, _) => read(left_url(&globals.own_data_dir()?)?.as_str(), URL_FILE),
    }
}

/// For addresses of this machine, or for others. What stays here needs no proxy, and in the clear no certificates.
fn client_of(urls: &[&Url]) -> Result<reqwest::Client, Problem> {
    let builder = match (urls.iter().all(|url| url.scheme() == "http"), urls.iter().all(|url| loopback(url))) {
        (true, _) => web_client::plain_builder(),
        (_, true) => web_client::builder().no_proxy(),
        (_, false) => web_client::builder(),
    };
    let built = builder.connect_timeout(Duration::from_secs(5)).build();
    built.map_err(|error| Problem::failed("failed to set up HTTP").because(with_causes(&error)))
}

/// A path below the hub's address.
pub(super) fn below(url: &Url, path: &[&str]) -> Url {
    let mut url = url.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

fn not_in_the_clear(url: &Url) -> Result<(), Problem> {
    if url.scheme() == "http" && !loopback(url) {
        return Err(Problem::configuration(format!("`{url}` would carry the token in the clear"))
            .because("plain http is for this machine alone")
            .next("name the hub by `https://…`, or reach it through a tunnel on 127.0.0.1"));
    }
    Ok(())
}

/// Whether an address is this machine's own.
pub fn loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.to_canonical().is_loopback())
}

fn read_url(text: &str, from: &str) -> Result<Url, Problem> {
    let wrong = |why: String| {
        Problem::configuration(format!("`{text}` of {from} is not the address of a hub"))
            .because(why)
            .next("write it as `http://127.0.0.1:7420`")
    };
    let url = Url::parse(text.trim()).map_err(|error| wrong(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong("it must begin with `http://` or `https://`".to_owned()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("credentials have no place in it: use CALLBOARD_TOKEN_FILE".to_owned()));
    }
    Ok(url)
}

/// The address that a hub wrote when it began to serve; the default one where none did.
fn left_url(data_dir: &Path) -> Result<Url, Problem> {
    let file = data_dir.join(URL_FILE);
    match private_file::read_plain(&file) {
        Ok(text) => read_url(&text, &format!("`{}`", file.display())),
        Err(_) => read_url(DEFAULT_URL, "the default"),
    }
}

/// The operator's token goes nowhere but to the hub that left it, on this machine: whoever means another one names the
/// file. Where no hub serves from the directory now, it is kept for one that is about to.
fn left_token(data_dir: &Path, urls: &[Url]) -> Result<TokenSource, Problem> {
    let own = data_dir.join(URL_FILE).exists().then(|| left_url(data_dir)).transpose()?;
    let is_own = |url: &Url| {
        let same = |own: &Url| url.port_or_known_default() == own.port_or_known_default();
        own.as_ref().is_none_or(same) && loopback(url)
    };
    if let Some(url) = urls.iter().find(|url| !is_own(url)) {
        let own = own.map_or_else(|| "on this machine".to_owned(), |own| format!("at `{own}`"));
        return Err(Problem::configuration(format!("there is no token for `{url}`"))
            .because(format!("the operator's token in `{}` is for the hub {own}", data_dir.display()))
            .next("set CALLBOARD_TOKEN_FILE to a file that holds a token of that hub"));
    }
    let file = data_dir.join(TOKEN_FILE);
    TokenSource::left(&file).map_err(|why| missing_token(&file, urls.first(), why))
}

fn holds_none(file: &Path) -> Problem {
    Problem::configuration(format!("`{}` does not hold a token", file.display()))
        .next("callboard token create --scope operate --name me --out FILE")
}

/// The token of a file that somebody named.
fn not_given(file: &Path, why: NoToken) -> Problem {
    let NoToken::Unread(error) = why else { return holds_none(file) };
    Problem::configuration(format!("failed to read the token from `{}`", file.display()))
        .because(error.to_string())
        .next("set CALLBOARD_TOKEN_FILE, or --token-file, to a file that holds a token")
}

/// The operator's token, in the data directory of a hub that may not have served yet.
fn missing_token(file: &Path, url: Option<&Url>, why: NoToken) -> Problem {
    let NoToken::Unread(error) = why else { return holds_none(file) };
    let url = url.map(Url::to_string).unwrap_or_default();
    let what = format!("no hub is known here: failed to read its token from `{}`", file.display());
    if error.kind() == std::io::ErrorKind::NotFound {
        return Problem::new(Exit::Unreachable, what)
            .because(format!("a hub writes that file when it first serves; none did, so `{url}` was not asked"))
            .next("callboard serve, or set CALLBOARD_DATA_DIR, or CALLBOARD_URL and CALLBOARD_TOKEN_FILE");
    }
    Problem::configuration(what).because(error.to_string())
}
