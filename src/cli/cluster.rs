//! `callboard cluster init`: this machine's hub becomes one of several on one database, as far as settings go.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::doctor::{report, store};
use super::output::say;
use super::place::{GlobalArgs, flags, settings};
use super::problem::Problem;
use crate::domain::node::NodeState;
use crate::settings::HubSettings;

#[derive(Debug, Subcommand)]
pub(super) enum ClusterVerb {
    Init(InitArgs),
}

/// Check the database, and write it and this node into hub.yaml
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard cluster init --store postgres://cb@db/cb --node a --public-url https://a.example

What hub.yaml says already stays, and is refused where it is something else. The same on another machine, with another \
--node and its own --public-url, is all that this one needs to know of it.")]
pub(super) struct InitArgs {
    /// The database that holds the journal
    #[arg(long, value_name = "postgres://USER@HOST/DATABASE")]
    store: String,
    /// The file with the password of that user
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// What this hub is called among the others
    #[arg(long, value_name = "NAME")]
    node: String,
    /// Where clients reach this hub
    #[arg(long, value_name = "URL")]
    public_url: String,
}

pub(super) async fn run(ClusterVerb::Init(args): &ClusterVerb, globals: &GlobalArgs) -> Result<(), Problem> {
    let folder = globals.config_dir().ok_or_else(|| {
        Problem::configuration("no folder of settings is named").next("add --config DIR, as --config /etc/callboard")
    })?;
    fs::create_dir_all(&folder)?;
    let password = args.password_file.as_ref().map(std::path::absolute).transpose()?;
    let password = password.map(|file| file.display().to_string());
    let is = settings(Some(&folder), Vec::new())?.settings.hub;
    let wanted = flags([
        ("--store", "store", Some(args.store.clone())),
        ("--password-file", "storePasswordFile", password.clone()),
        ("--node", "node.name", Some(args.node.clone())),
        ("--public-url", "node.publicUrl", Some(args.public_url.clone())),
    ]);
    let file = folder.join("hub.yaml");
    let lines = missing(&is, args, password.as_deref(), &file)?;
    let wanted = settings(Some(&folder), wanted)?.settings.hub;
    // Which data directory the hub is to have is not known here: the folder of settings remembers no journal.
    let (shown, probed) = match store::probed(&wanted, &folder).await {
        Ok(probed) => probed,
        Err(finding) => return report(&[*finding], false),
    };
    let namesake = probed.nodes.iter().find(|node| node.name == args.node && node.state != NodeState::Gone);
    if namesake.is_some() && !lines.is_empty() {
        return Err(Problem::configuration(format!("a hub runs as `{}` on `{shown}`", args.node))
            .next("give this one another --node"));
    }
    report(&store::findings(&shown, &probed, false), false)?;
    OpenOptions::new().append(true).create(true).open(&file)?.write_all(lines.as_bytes())?;
    let config = folder.display();
    say(&format!("`{}` names the database and the node `{}`.", file.display(), args.node))?;
    say(&format!("next: callboard serve --config '{config}'"))?;
    say("and on another machine the same command as here, with another --node and its own --public-url")
}

/// The lines that `hub.yaml` lacks. Fails where it says something else.
fn missing(is: &HubSettings, args: &InitArgs, password: Option<&str>, file: &Path) -> Result<String, Problem> {
    let password_is = is.store_password_file.as_ref().map(|file| file.display().to_string());
    let keys = [
        ("store", is.store.as_deref(), Some(args.store.as_str())),
        ("storePasswordFile", password_is.as_deref(), password),
        ("node.name", is.node.name.as_deref(), Some(args.node.as_str())),
        ("node.publicUrl", is.node.public_url.as_deref(), Some(args.public_url.as_str())),
    ];
    let (mut lines, mut node) = (String::new(), Vec::new());
    for (key, is, wanted) in keys {
        match (is, wanted) {
            (Some(is), Some(wanted)) if is != wanted => {
                return Err(Problem::configuration(format!("`{key}` is `{is}` already"))
                    .next(format!("give that, or change it in `{}` by hand", file.display())));
            }
            (None, Some(wanted)) => {
                let wanted = serde_json::Value::from(wanted);
                match key.strip_prefix("node.") {
                    Some(key) => node.push(format!("{key}: {wanted}")),
                    None => lines.push_str(&format!("{key}: {wanted}\n")),
                }
            }
            (_, _) => {}
        }
    }
    if node.is_empty() {
        return Ok(lines);
    }
    let text = fs::read_to_string(file).unwrap_or_default();
    if text.lines().any(|line| line.starts_with("node:")) {
        return Err(Problem::configuration(format!("`{}` has a `node` already", file.display()))
            .next(format!("add to it by hand: {}", node.join(", "))));
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{gap}{lines}node: {{{}}}\n", node.join(", ")))
}
