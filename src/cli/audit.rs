//! `callboard audit …`: looks at the audit's files themselves. A hub may be writing meanwhile.

use std::path::Path;

use clap::{Args, Subcommand};

use super::exit::Exit;
use super::output::{OutputArgs, say, say_json};
use super::place;
use super::problem::Problem;
use crate::audit::{self, VerifyError};

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

/// Check that no line of audit.jsonl was changed, moved or taken out
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard audit verify
  callboard audit verify --data-dir /var/lib/callboard -o json

The chain has no key: keep the hash that is printed elsewhere, and it shows that nobody wrote all of it anew. Ends with
1 and names the first line that is broken.")]
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
        return say_json(&sound);
    }
    if sound.first > 1 {
        say(&format!("Lines before number {} are not here: they were taken elsewhere.", sound.first))?;
    }
    say(&format!(
        "The audit is sound: lines {} to {} in {} files, up to event {}.\nThe last line's hash is {}",
        sound.first,
        sound.last,
        sound.files.len(),
        sound.journal,
        sound.hash
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
