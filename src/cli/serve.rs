//! `callboard serve`: the hub, from its settings to its end.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use rustix::fs::Mode;
use sd_notify::NotifyState;
use tokio_util::sync::CancellationToken;

use super::demo;
use super::doctor::place::{mend_tokens, missing_journal};
use super::exit::Exit;
use super::home::{Home, Wanted};
use super::logs;
use super::output::say;
use super::place::{GlobalArgs, secret, store_password};
use super::problem::Problem;
use super::reload::Reloader;
use super::signals::{SignalRequest, Signals};
use crate::hub::{Hub, HubError, HubOptions, NodeProcess, Owned};
use crate::journal::sqlite::OpenError;
use crate::settings::{Settings, SystemPrompts};
use crate::transport::tokens::TokenError;

/// How long a gentle end may take. What was acknowledged is on disk in any case.
const END_WITHIN: Duration = Duration::from_secs(10);
/// How long threads that are busy at the very end are waited for.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// Run the hub
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard serve
  callboard serve --config ./config --listen 127.0.0.1:7500
  callboard serve --demo           two scripted agents and an asker play one round; the hub stays up
  callboard serve --demo --big     the same with 300 tasks in all states and 30 agents besides
  callboard serve --demo --exit    one round as a check: ends with 0 when every step was seen

SIGTERM and SIGINT end it gently, a second one at once; SIGHUP reads settings and system prompts again.")]
pub(super) struct ServeArgs {
    /// Where to listen, as 127.0.0.1:7420; port 0 is any free one
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Play one round with two scripted agents, and show each step
    #[arg(long)]
    demo: bool,
    /// End when the round is over
    #[arg(long, requires = "demo")]
    exit: bool,
    /// Fill the hub behind the round: 300 tasks in all states, 30 agents, questions of each kind, dead deliveries
    #[arg(long, requires = "demo", conflicts_with = "exit")]
    big: bool,
    /// Keep the data in a temporary directory, which is removed at the end
    #[arg(long, conflicts_with = "data_dir")]
    ephemeral: bool,
}

pub(super) fn run(args: &ServeArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    // Before the first file is made: whatever the hub writes is its user's alone.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let wanted = Wanted { listen: args.listen.as_deref(), demo: args.demo, ephemeral: args.ephemeral };
    let home = Home::choose(&wanted, globals)?;
    // Before the files are read: what changes from here on is seen.
    let mut reloader = Reloader::new(&home);
    let mut loaded = home.settings()?;
    if args.big {
        demo::prepare(&mut loaded.settings);
        if !home.is_temporary() {
            is_empty(&loaded.settings.hub.data_dir)?;
        }
    }
    let prompts = SystemPrompts::load(home.config_dir())?;
    reloader.begins(&loaded, logs::start(&loaded, args.demo));
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    if let Some(missing) = missing_journal(&loaded.settings.hub.data_dir) {
        return Err(missing);
    }
    let options = HubOptions {
        store_password: store_password(&loaded.settings.hub)?,
        owned: None,
        settings: loaded.settings,
        config_dir: home.config_dir().map(Path::to_owned),
        system_prompts: prompts,
        ephemeral: home.is_temporary(),
        discord_token: secret("DISCORD_TOKEN")?,
        tracker_token: secret("CALLBOARD_TRACKER_TOKEN")?,
        forge_token: secret("CALLBOARD_FORGE_TOKEN")?,
    };
    if !home.is_temporary() {
        warn_of_root();
    }
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let end = runtime.block_on(serve(args, &mut reloader, options));
    runtime.shutdown_timeout(LAST_MOMENT);
    end
}

/// A hub that somebody uses is not filled with what is only there to be looked at.
fn is_empty(data_dir: &Path) -> Result<(), Problem> {
    match fs::read_dir(data_dir).map(|mut entries| entries.next().is_none()) {
        Ok(false) => Err(Problem::configuration(format!("`--big` would fill `{}`", data_dir.display()))
            .because("there is something in this data directory")
            .next("leave --data-dir away for a temporary one, or name one that is empty")),
        Ok(true) | Err(_) => Ok(()),
    }
}

/// Each parked agent holds a connection, and each connection a file: what the system allows at most is asked for.
fn raise_file_limit() {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(files) => tracing::debug!("up to {files} files may be open"),
        Err(error) => tracing::warn!("the limit of open files stays as it is: {error}"),
    }
}

/// Whoever takes over a hub that runs as root has the machine. Said where the system tells who runs it.
fn warn_of_root() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if is_root {
        tracing::warn!("the hub runs as root, and needs nothing of it: run it as a user of its own");
    }
}

async fn serve(args: &ServeArgs, reloader: &mut Reloader<'_>, options: HubOptions) -> Result<(), Problem> {
    // From here on a signal is an order, also while the journal is being read.
    let mut signals = Signals::listen()?;
    let node = NodeProcess::begin(&options.settings, options.store_password.as_ref()).await.map_err(problem)?;
    let Some(node) = node else { return Box::pin(hosts(args, reloader, options, &mut signals)).await };
    let served = match stand_by(&node, &options.settings, &mut signals).await {
        Ok(Some(owned)) => tokio::select! {
            served = hosts(args, reloader, HubOptions { owned: Some(owned), ..options }, &mut signals) => served,
            // The hub ends with the process, at once: whatever it would still do is another one's.
            why = node.lost() => return Err(too_late(why)),
        },
        Ok(None) => Ok(()),
        Err(problem) => Err(problem),
    };
    node.leave().await;
    served
}

async fn hosts(
    args: &ServeArgs,
    reloader: &mut Reloader<'_>,
    options: HubOptions,
    signals: &mut Signals,
) -> Result<(), Problem> {
    let hub = tokio::select! {
        started = Hub::start(options) => started.map_err(problem)?,
        name = signals.end() => {
            return Err(Problem::failed(format!("ended by {name} before it served")).next("callboard serve"));
        }
    };
    // A hub goes on when nobody reads what it says.
    drop(say(&format!("callboard {} listening on {}", env!("CARGO_PKG_VERSION"), hub.url())));
    drop(say(&format!("the operator's token is in {}", hub.operator_token().display())));
    if hub.in_database() {
        let kept = "the audit and what terminals printed are in the data directory";
        drop(say(&format!("journal, tokens and secrets are in the database {}; {kept}", hub.store())));
    }
    tell_systemd(&[NotifyState::Ready]);
    let served = if args.demo {
        Box::pin(with_demo(args, reloader, &hub, signals)).await
    } else {
        until(reloader, &hub, signals).await
    };
    tell_systemd(&[NotifyState::Stopping]);
    end(hub, signals).await?;
    served
}

/// So long a node that starts waits for the journal before it says that it stands by.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Waits until this node has the journal, and answers meanwhile that another one has it; none when it is told to end.
async fn stand_by(node: &NodeProcess, settings: &Settings, signals: &mut Signals) -> Result<Option<Owned>, Problem> {
    if let Ok(owned) = tokio::time::timeout(AT_ONCE, node.owns(None)).await {
        return Ok(Some(owned));
    }
    let end = CancellationToken::new();
    let (url, listener, answering) = Hub::stands_by(settings, node.nodes(), end.clone()).await.map_err(problem)?;
    let mut answering = std::pin::pin!(answering);
    drop(say(&format!("callboard {} stands by on {url}: another hub has the journal", env!("CARGO_PKG_VERSION"))));
    tell_systemd(&[NotifyState::Ready]);
    let owned = tokio::select! {
        owned = node.owns(Some(listener)) => Some(owned),
        name = signals.end() => {
            tracing::info!("ending: {name}");
            None
        }
        () = &mut answering => return Ok(None),
    };
    end.cancel();
    drop(tokio::time::timeout(AT_ONCE, answering).await);
    Ok(owned)
}

fn too_late(why: String) -> Problem {
    tracing::warn!("this hub ends at once, and its process with it: {why}");
    Problem::failed("this hub has the journal no more")
        .because(why)
        .next("callboard serve: it stands by then, as a service that is started again does by itself")
}

/// Plays the round, and stays up afterwards, with a stage to look at, unless it is told to end then.
async fn with_demo(
    args: &ServeArgs,
    reloader: &mut Reloader<'_>,
    hub: &Hub,
    signals: &mut Signals,
) -> Result<(), Problem> {
    let played = tokio::select! {
        played = demo::play(hub) => played?,
        name = signals.end() => return Err(too_early(name)),
    };
    if args.exit {
        played.over().await;
        return demo::is_over();
    }
    let task = played.task.clone();
    let stage = tokio::select! {
        stage = demo::set(hub, played) => stage?,
        name = signals.end() => return Err(too_early(name)),
    };
    let crowd = tokio::select! {
        crowd = async { if args.big { demo::fill(hub).await.map(Some) } else { Ok(None) } } => crowd?,
        name = signals.end() => return Err(too_early(name)),
    };
    demo::look_inside(hub, &task, true).await?;
    let crowded = async {
        match &crowd {
            Some(crowd) => crowd.goes_on().await,
            None => std::future::pending().await,
        }
    };
    let served = tokio::select! {
        served = until(reloader, hub, signals) => served,
        never = stage.goes_on() => match never {},
        never = crowded => match never {},
    };
    stage.over().await;
    served
}

fn too_early(signal: &str) -> Problem {
    Problem::failed(format!("ended by {signal} before the demo was whole")).next("callboard serve --demo")
}

/// Serves until a signal, or until the hub cannot go on.
async fn until(reloader: &mut Reloader<'_>, hub: &Hub, signals: &mut Signals) -> Result<(), Problem> {
    loop {
        tokio::select! {
            asked = signals.next() => match asked {
                SignalRequest::End(name) => {
                    tracing::info!("ending gently: {name}; a second one ends at once");
                    return Ok(());
                }
                SignalRequest::Reload => reloader.reload(hub),
            },
            () = reloader.changed() => reloader.reload(hub),
            why = hub.failed() => {
                tracing::error!("the hub cannot go on: {why}");
                let next = match hub.in_database() {
                    true => "callboard serve: what was acknowledged is in the database",
                    false => "callboard journal verify, then callboard serve: what was acknowledged is on disk",
                };
                return Err(Problem::failed("the hub cannot go on").because(why).next(next));
            }
        }
    }
}

async fn end(hub: Hub, signals: &mut Signals) -> Result<(), Problem> {
    tokio::select! {
        ended = tokio::time::timeout(END_WITHIN, hub.end()) => ended.map_err(|_| {
            Problem::failed(format!("the hub did not end within {END_WITHIN:?}"))
                .because("what was acknowledged is on disk; what was open is taken up at the next start")
                .next("callboard serve")
        }),
        name = signals.end() => Err(Problem::failed(format!("ended at once by a second signal, {name}"))
            .because("what was acknowledged is on disk; what was open is taken up at the next start")
            .next("callboard serve")),
    }
}

/// Why no hub serves, as an exit code and what to type next.
fn problem(error: HubError) -> Problem {
    let what = error.to_string();
    match error {
        HubError::Config(faults) => faults.into(),
        HubError::Tls(_) | HubError::Name(_) => {
            Problem::configuration(what).next("callboard config show --origin says where each setting comes from")
        }
        HubError::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => {
            Problem::failed(what).next("callboard serve --listen 127.0.0.1:0, or end what listens there")
        }
        HubError::Listen { .. } => {
            Problem::new(Exit::Configuration, what).next("give `listen` an address of this machine, as 127.0.0.1:7420")
        }
        HubError::Journal(OpenError::InUse { .. }) => Problem::configuration("the hub did not start")
            .because(what)
            .next("callboard doctor looks for the one that runs; callboard serve --data-dir DIR begins another"),
        // What is wrong differs from fault to fault, and is in the sentence.
        HubError::Journal(_) => Problem::failed("the journal cannot be used")
            .because(what)
            .next("callboard journal verify; or callboard serve --data-dir DIR with another folder"),
        HubError::Database(_) => Problem::failed("the journal cannot be used")
            .because(what)
            .next("callboard doctor tries the database by itself"),
        HubError::Unreachable(_) => Problem::new(Exit::Unreachable, "the journal cannot be used now")
            .because(what)
            .next("callboard serve again, as a service with Restart=on-failure does by itself"),
        HubError::Elsewhere(_) => Problem::configuration("the hub did not start")
            .because(what)
            .next("callboard config show --origin says where each setting comes from"),
        HubError::Audit(_) => Problem::failed("the audit cannot be used").because(what).next("callboard audit verify"),
        HubError::DataDir { .. } => Problem::configuration("the hub did not start")
            .because(what)
            .next("callboard serve --data-dir DIR with a folder that this user may write to"),
        HubError::Tokens(TokenError::Unreadable { path, .. }) => {
            let dir = Path::new(&path).parent().unwrap_or_else(|| Path::new("."));
            Problem::configuration("the hub did not start").because(what).next(mend_tokens(dir))
        }
        HubError::Actors(_) if what.ends_with("disk is full") => {
            Problem::new(Exit::Unreachable, "the hub did not start")
                .because(what)
                .next("make room there: a start also writes what lists and searches need; then callboard serve again")
        }
        HubError::Search(_) | HubError::Tokens(_) | HubError::Actors(_) | HubError::Begin(_) => {
            Problem::failed("the hub did not start").because(what).next("callboard doctor looks at the data directory")
        }
    }
}

fn tell_systemd(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::debug!("the service manager was not told: {error}");
    }
}
