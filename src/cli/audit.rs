//! `callboard audit …`: `list` asks the hub, `verify` looks at the files themselves. A hub may be writing meanwhile.

use super::cells::count;
use super::columns::AUDIT;
use super::prelude::*;
use crate::audit::{self, Sound, VerifyError};

#[derive(Debug, Subcommand)]
pub(super) enum AuditVerb {
    List(ListArgs),
    Verify(VerifyArgs),
}

/// List who was let do what, and who was not, newest first
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard audit list
  callboard audit list --action token --who person:ada --limit 0

The hub is asked; the token needs the scope `admin`.")]
pub(super) struct ListArgs {
    /// Only this action, as token.create, or a family of them, as token
    #[arg(long)]
    action: Option<String>,
    /// Only what this principal did, as person:ada
    #[arg(long, value_name = "PRINCIPAL")]
    who: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

/// Check that no line of audit.jsonl was changed, moved, taken out or cut off the end
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard audit verify
  callboard audit verify --data-dir /var/lib/callboard -o json

Lines that are gone from the end are found by `audit.head` beside it, which names the last one on the disk. Neither \
has a key: keep the hash that is printed elsewhere, and it shows that nobody wrote all of it anew. Ends with 1 and \
names the first line that is broken, and lines that are missing.")]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn list(args: &ListArgs, hub: &HubClient) -> Result<(), Problem> {
    let mut query = Vec::new();
    query.extend(args.action.clone().map(|action| ("action", action)));
    query.extend(args.who.clone().map(|who| ("who", who)));
    let lines = hub.list(&["admin", "audit"], &query, args.page.limit).await?;
    let empty = nothing(!query.is_empty(), "The audit has no lines.");
    args.page.output.table(&lines, (AUDIT, Clock::system().now()), empty)
}

pub(super) fn verify(args: &VerifyArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let sound = audit::verify(&globals.data_dir()?).map_err(|error| problem(&error))?;
    if args.output.is_json() {
        say_json(&sound)?;
        return is_whole(&sound);
    }
    if sound.first > 1 {
        say(&format!("Lines before number {} are not here: they were taken elsewhere, or removed.", sound.first))?;
    }
    for finding in &sound.findings {
        say(finding)?;
    }
    if sound.head.is_none() {
        say("No `audit.head` is here: lines that are gone from the end are not seen.")?;
    }
    let what = if sound.findings.is_empty() { "The audit is sound" } else { "What is there holds together" };
    say(&format!(
        "{what}: lines {} to {} in {}, up to event {}.\nThe last line's hash is {}",
        sound.first,
        sound.last,
        count(&sound.files.len().to_string(), "file"),
        sound.journal,
        sound.hash
    ))?;
    is_whole(&sound)
}

fn is_whole(sound: &Sound) -> Result<(), Problem> {
    let Some(first) = sound.findings.first() else { return Ok(()) };
    Err(Problem::failed("the audit is not what was written").because(first.clone()).next(
        "keep the files as they are, and compare the journal: `callboard journal export`. Lines that are found again, \
         in a backup, fit where they are missing",
    ))
}

fn problem(error: &VerifyError) -> Problem {
    match error {
        VerifyError::Broken(broken) => Problem::failed(broken.to_string())
            .next("keep the file as it is, and compare the journal: `callboard journal export`"),
        VerifyError::None(_) => Problem::new(Exit::NotFound, error.to_string())
            .next("set CALLBOARD_DATA_DIR, or --data-dir, to where a hub keeps its data"),
        VerifyError::Read { error: why, .. } if why.kind() == std::io::ErrorKind::NotFound => {
            Problem::new(Exit::NotFound, error.to_string())
                .next("set CALLBOARD_DATA_DIR, or --data-dir, to where a hub keeps its data")
        }
        VerifyError::Read { .. } => Problem::failed(error.to_string()),
    }
}
