//! Where the database is, as it is configured, and how a connection to it is made.

use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config};

use super::problem::OpenError;
use super::tls::Tls;
use crate::domain::node::{Incarnation, NodeId};

/// Where PostgreSQL listens unless it is told otherwise.
const USUAL_PORT: u16 = 5432;

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(4);

/// How long a connection may take to be one that can be asked.
const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);

/// After this time without an acknowledgement of what was sent, a connection counts as lost.
const UNHEARD_FOR: Duration = Duration::from_secs(4);

/// Set for each connection. Statements of a batch know nothing of the size of what they touch: a plan that is made for
/// an empty table must not read the whole of a large one later. A server lets go of the locks of a session soon whose
/// machine is gone.
const SETTINGS: &str = "-c statement_timeout=30s -c enable_seqscan=off -c enable_mergejoin=off -c enable_hashjoin=off \
                        -c client_min_messages=warning -c timezone=UTC -c tcp_keepalives_idle=4 \
                        -c tcp_keepalives_interval=1 -c tcp_keepalives_count=4";

/// One life of a node, which may hold the team.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub node: NodeId,
    pub incarnation: Incarnation,
}

/// A database, a team in it, and the folder in which this machine remembers what it acknowledged.
#[derive(Clone)]
pub struct DatabasePlace {
    pub(super) config: Config,
    pub(super) team: String,
    pub(super) folder: PathBuf,
    /// The life of a node that holds the team; none: a hub alone.
    pub(super) holder: Option<Holder>,
}

impl DatabasePlace {
    /// Reads an address, `postgres://USER@HOST[,HOST]/DATABASE?sslmode=verify-full`. `folder` is the data directory.
    /// Of several hosts the first one is used that may be written to.
    ///
    /// Fails when the address cannot be read, or leads off this machine without a verified certificate.
    pub fn parse(url: &str, password: Option<&str>, team: &str, folder: &Path) -> Result<Self, OpenError> {
        // The client knows three modes; with our roots the strictest of them checks chain and name, as these ask for.
        let known =
            url.replace("sslmode=verify-full", "sslmode=require").replace("sslmode=verify-ca", "sslmode=require");
        let mut config: Config = known.parse().map_err(|error: tokio_postgres::Error| OpenError::Address {
            detail: std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string),
        })?;
        if config.get_password().is_some() {
            let detail = "holds a password: give it by CALLBOARD_STORE_PASSWORD or `storePasswordFile`".to_owned();
            return Err(OpenError::Address { detail });
        }
        // `hostaddr` is where it connects to, whatever the host is called.
        let addresses = config.get_hostaddrs().iter().map(|address| Host::Tcp(address.to_string()));
        let away = config.get_hosts().iter().cloned().chain(addresses).find(|host| !is_here(host));
        if let Some(Host::Tcp(host)) = away
            && config.get_ssl_mode() != SslMode::Require
        {
            return Err(OpenError::NotVerified { host });
        }
        if let Some(password) = password {
            config.password(password);
        }
        config
            .application_name(format!("callboard {team}"))
            .connect_timeout(CONNECT_WITHIN)
            .tcp_user_timeout(UNHEARD_FOR);
        config.keepalives_idle(UNHEARD_FOR).keepalives_interval(Duration::from_secs(1)).keepalives_retries(4);
        if config.get_hosts().len().max(config.get_hostaddrs().len()) > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let options = config.get_options().map_or_else(|| SETTINGS.to_owned(), |more| format!("{SETTINGS} {more}"));
        config.options(options);
        Ok(Self { config, team: team.to_owned(), folder: folder.to_owned(), holder: None })
    }

    /// The same for this life of a node, which has taken the team.
    #[must_use]
    pub fn held_by(self, holder: Option<Holder>) -> Self {
        Self { holder, ..self }
    }

    /// Without user and password, and with a port where it is not the usual one.
    pub fn shown(&self) -> String {
        let ports = self.config.get_ports();
        let port = |n: usize| ports.get(n).or(ports.first()).copied().unwrap_or(USUAL_PORT);
        let hosts = self.config.get_hosts().iter().enumerate().map(|(n, host)| match port(n) {
            USUAL_PORT => shown_host(host),
            port => format!("{}:{port}", shown_host(host)),
        });
        let hosts: Vec<String> = hosts.collect();
        format!("{}/{}", hosts.join(","), self.config.get_dbname().unwrap_or_default())
    }

    /// Why something of it failed.
    pub(super) fn problem(&self, error: &tokio_postgres::Error) -> OpenError {
        OpenError::of(&self.shown(), error)
    }

    /// A new connection, driven by the runtime that this is called in.
    pub(super) async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        // The client's own limit ends with the socket: a server that is stopped still takes that.
        let connected = timeout(HANDSHAKE_WITHIN, self.config.connect(Tls::new())).await;
        let (client, connection) = connected.unwrap_or_else(|_| Err(tokio_postgres::Error::__private_api_timeout()))?;
        tokio::runtime::Handle::current().spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("a connection to the database ended: {error}");
            }
        });
        Ok(client)
    }
}

impl fmt::Debug for DatabasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabasePlace({}, team {})", self.shown(), self.team)
    }
}

fn shown_host(host: &Host) -> String {
    match host {
        Host::Tcp(host) => host.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}

/// Whether nobody between this program and the server could listen.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
        Host::Unix(_) => true,
    }
}
