//! `callboard webhook …`: who hears events outside the hub.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ArgAction;
use serde_json::Map;

use super::cells::events_of;
use super::columns;
use super::place::{new_private, write_private};
use super::prelude::*;
use crate::private_file;

/// How many deliveries that wait are looked at for why they do.
const PENDING: usize = 50;

const WEBHOOKS: [&str; 3] = ["api", "v1", "webhooks"];

#[derive(Debug, Subcommand)]
pub(super) enum WebhookVerb {
    /// List webhooks, how much waits for each, and what a stopped one missed
    List(ListArgs),
    /// Show one with its whole address, which may hold a secret of its receiver's
    #[command(after_help = "Example:\n  callboard webhook show builds")]
    Show(NameArgs),
    /// Add one; the secret that the hub makes for it is told this once
    Add(AddArgs),
    /// Change one that was added; what is left out stays
    Change(ChangeArgs),
    /// Remove one that was added; what waits for it is dropped
    #[command(after_help = "Example:\n  callboard webhook remove builds")]
    Remove(NameArgs),
    /// Post a message of the type webhook.test to one now
    #[command(after_help = "Example:\n  callboard webhook test builds")]
    Test(NameArgs),
    /// Have a stopped one hear again
    Enable(EnableArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard webhook list -o wide")]
pub(super) struct ListArgs {
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct NameArgs {
    /// The webhook's name, or how it begins; to remove or to test it, at least four characters
    name: String,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard webhook add builds https://ci.example.com/hook --out builds.secret
  callboard webhook add local http://127.0.0.1:9000/ --allow-private --secret-file shared.secret")]
pub(super) struct AddArgs {
    /// Its name: a to z, 0 to 9 and `-`
    name: String,
    /// Where events are posted
    url: String,
    /// The types and families of types that it hears, as task,question.asked; all when nothing is said
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    events: Vec<String>,
    /// Let it go to a private address, and by http://
    #[arg(long)]
    allow_private: bool,
    /// The file with its secret (`whsec_…`); without one, the hub makes it
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Write the secret that the hub makes to this new file, which its owner alone can read
    #[arg(long, value_name = "FILE", conflicts_with = "secret_file")]
    out: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard webhook change builds --events task
  callboard webhook change builds --new-secret --out builds.secret")]
pub(super) struct ChangeArgs {
    /// The webhook's name, or at least four characters of its beginning
    name: String,
    /// Where events are posted from now on
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    /// The types and families of types that it hears from now on; `all` for all
    #[arg(long, value_name = "TYPES", value_delimiter = ',')]
    events: Option<Vec<String>>,
    /// Whether it may go to a private address, and by http://
    #[arg(long, value_name = "true|false", action = ArgAction::Set)]
    allow_private: Option<bool>,
    /// The file with its secret from now on
    #[arg(long, value_name = "FILE", conflicts_with = "new_secret")]
    secret_file: Option<PathBuf>,
    /// Have the hub make a new secret; for a day the old one signs, too
    #[arg(long)]
    new_secret: bool,
    /// Write that secret to this new file
    #[arg(long, value_name = "FILE", requires = "new_secret")]
    out: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard webhook enable builds
  callboard webhook enable builds --drop")]
pub(super) struct EnableArgs {
    /// The webhook's name, or at least four characters of its beginning
    name: String,
    /// Drop its dead letters in place of sending them again
    #[arg(long)]
    drop: bool,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(verb: &WebhookVerb, hub: &HubClient) -> Result<(), Problem> {
    match verb {
        WebhookVerb::List(args) => list(hub, args.output).await,
        WebhookVerb::Show(args) => show(args, hub).await,
        WebhookVerb::Add(args) => add(args, hub).await,
        WebhookVerb::Change(args) => change(args, hub).await,
        WebhookVerb::Remove(args) => remove(args, hub).await,
        WebhookVerb::Test(args) => test(args, hub).await,
        WebhookVerb::Enable(args) => enable(args, hub).await,
    }
}

fn path<'a>(more: &[&'a str]) -> Vec<&'a str> {
    WEBHOOKS.iter().chain(more).copied().collect()
}

async fn list(hub: &HubClient, output: OutputArgs) -> Result<(), Problem> {
    let mut items = hub.list(&WEBHOOKS, &[], 0).await?;
    for item in items.items.iter_mut().filter(|item| item["waiting"].as_u64() > Some(0) && item["stopped"] != true) {
        let pending = [("destination", text(item, "destination")), ("state", "pending".to_owned())];
        let found = hub.list(&["api", "v1", "outbox"], &pending, PENDING).await?;
        if let Some(error) = found.items.iter().find_map(|delivery| str_at(delivery, "lastError")) {
            item["lastError"] = json!(error);
        }
    }
    let empty = "No webhooks. Add one with `callboard webhook add NAME URL`.";
    output.table(&items, (columns::WEBHOOKS, Clock::system().now()), empty)
}

async fn show(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let name = to_look(hub, NamedKind::Webhook, &args.name).await?;
    let item = hub.get(&path(&[&name]), &[]).await?;
    args.output.show(&item, || format!("`{name}` hears {} at {}", events_of(&item), text(&item, "url")))
}

async fn add(args: &AddArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = json!({
        "name": args.name, "url": args.url, "events": args.events, "allowPrivate": args.allow_private,
    });
    if let Some(secret) = args.secret_file.as_deref().map(secret_of).transpose()? {
        body["secret"] = json!(secret);
    }
    let asked = async || hub.post(&WEBHOOKS, &body).await;
    let heard = if args.events.is_empty() { "every event".to_owned() } else { args.events.join(", ") };
    let done = format!("hears {heard} from now on");
    hand_out(&args.name, args.out.as_deref(), args.output, &done, asked).await
}

async fn change(args: &ChangeArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Option<Value>| body.extend(value.map(|value| (key.to_owned(), value)));
    put("url", args.to.as_ref().map(|url| json!(url)));
    let events = |events: &Vec<String>| if *events == ["all"] { json!([]) } else { json!(events) };
    put("events", args.events.as_ref().map(events));
    put("allowPrivate", args.allow_private.map(|allow| json!(allow)));
    put("secret", args.secret_file.as_deref().map(secret_of).transpose()?.map(|secret| json!(secret)));
    put("newSecret", args.new_secret.then_some(json!(true)));
    if body.is_empty() {
        return Err(Problem::configuration("nothing is to be changed").next("callboard webhook change --help"));
    }
    let body = Value::Object(body);
    let name = to_change(hub, NamedKind::Webhook, &args.name).await?;
    let asked = async || hub.patch(&path(&[&name]), &body).await;
    hand_out(&name, args.out.as_deref(), args.output, "is changed", asked).await
}

/// With `out`, the file is made before the secret: a secret that cannot be kept is good for nobody.
async fn hand_out(
    name: &str,
    out: Option<&Path>,
    output: OutputArgs,
    done: &str,
    ask: impl AsyncFnOnce() -> Result<Value, Problem>,
) -> Result<(), Problem> {
    let place = out.map(new_private).transpose()?;
    let answer = match ask().await {
        Ok(answer) => answer,
        Err(problem) => {
            drop((place, out.map(fs::remove_file)));
            return Err(problem);
        }
    };
    if answer["repeated"] == true {
        return Err(Problem::failed(format!("the webhook `{name}` {done}; its secret was lost on the way here"))
            .next(format!("callboard webhook change {name} --new-secret")));
    }
    if output.is_json() && out.is_none() {
        return say_json(&answer);
    }
    match (str_at(&answer, "secret"), out) {
        (Some(secret), Some(file)) => {
            write_private(file, &format!("{secret}\n"))?;
            say(&format!("The webhook `{name}` {done}. Its secret is in `{}`.", file.display()))
        }
        (Some(secret), None) => say(&format!(
            "The webhook `{name}` {done}. Its secret, which is told this once and verifies what it hears:\n{secret}"
        )),
        (None, _) => say(&format!("The webhook `{name}` {done}.")),
    }
}

fn secret_of(file: &Path) -> Result<String, Problem> {
    let read = private_file::read_given(file).map(|text| text.trim().to_owned());
    read.map_err(|error| Problem::configuration("the secret cannot be taken").because(error.to_string()))
}

async fn remove(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let name = to_change(hub, NamedKind::Webhook, &args.name).await?;
    let answer = hub.delete(&path(&[&name])).await?;
    let dropped = text(&answer, "dropped");
    let words = || format!("The webhook `{name}` is removed; {dropped} deliveries to it were dropped.");
    args.output.show(&answer, words)
}

/// Succeeds where the subscriber took it.
async fn test(args: &NameArgs, hub: &HubClient) -> Result<(), Problem> {
    let name = to_change(hub, NamedKind::Webhook, &args.name).await?;
    let answer = hub.post(&path(&[&name, "test"]), &json!({})).await?;
    if args.output.is_json() {
        say_json(&answer)?;
    }
    let said = format!("`{name}`: {} after {} ms", text(&answer, "answer"), text(&answer, "tookMs"));
    match answer["delivered"] == true {
        true if args.output.is_json() => Ok(()),
        true => say(&said),
        false => Err(Problem::failed(said).next(format!("callboard webhook show {name} has its whole address"))),
    }
}

async fn enable(args: &EnableArgs, hub: &HubClient) -> Result<(), Problem> {
    let name = to_change(hub, NamedKind::Webhook, &args.name).await?;
    let answer = hub.post(&path(&[&name, "enable"]), &json!({ "drop": args.drop })).await?;
    if args.output.is_json() {
        return say_json(&answer);
    }
    let hears = text(&answer, "hearsAfter");
    let mut said = format!("The webhook `{name}` hears every event after {hears}.");
    if let Some(after) = answer.pointer("/gap/after") {
        let missed = text(&answer["gap"], "missed");
        said.push_str(&format!(" It missed {missed}: `callboard event list --after {after}` has them, up to {hears}."));
    }
    say(&said)
}
