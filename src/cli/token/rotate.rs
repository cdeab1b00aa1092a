//! `callboard token rotate`: a new secret for the same principal; the old one goes on for a while.

use std::path::PathBuf;
use std::time::Duration;

use super::create::hand_out;
use super::keeper::Keeper;
use super::public_id;
use crate::cli::prelude::*;
use crate::cli::values::span;

/// Renew a token; the old one goes on for a while
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard token rotate PUBLIC_ID --overlap 24h --out fullstack-1.token")]
pub(in crate::cli) struct RotateArgs {
    /// Which, as `callboard token list` shows it, or at least four characters of its beginning
    #[arg(value_parser = public_id)]
    public_id: String,
    /// How long the old one goes on, as 24h
    #[arg(long, value_name = "SPAN", value_parser = span, default_value = "24h")]
    overlap: Duration,
    /// Write the new one to this file, which its owner alone can read
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) async fn run(args: &RotateArgs, keeper: &Keeper) -> Result<(), Problem> {
    let made = keeper.rotate(&keeper.whole_id(&args.public_id).await?, args.overlap).await?;
    hand_out(&made, args.output, args.out.as_deref())
}
