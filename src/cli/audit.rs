//! `callboard audit …`: looks at the audit's files themselves. A hub may be writing meanwhile.

use std::path::Path;

use clap::{Args, Subcommand};

use super::exit::Exit;
use super::output::{OutputArgs, say, say_json};
use super::place;
use super::problem::Problem;
use crate::audit::{self, Sound, VerifyError};

/// Check who was let do what
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Example:
  callboard audit verify"
)]
pub(super) struct AuditArgs {
    #[command(subcommand)]
    verb: AuditVerb,
}

#[derive(Debug, Subcommand)]
enum AuditVerb {
    Verify(VerifyArgs),
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

/// Does it.
pub(super) fn run(args: &AuditArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    match &args.verb {
        AuditVerb::Verify(args) => verify(args, &place::data_dir(data_dir)?),
    }
}

fn verify(args: &VerifyArgs, dir: &Path) -> Result<(), Problem> {
    let sound = audit::verify(dir).map_err(|error| problem(&error))?;
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
        "{what}: lines {} to {} in {} files, up to event {}.\nThe last line's hash is {}",
        sound.first,
        sound.last,
        sound.files.len(),
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
