//! `callboard discord check`, `callboard tracker check`, `callboard forge check`: whether what the hub calls is set up.
//!
//! The three differ in what is looked at and in their help; the rest is the same command.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::doctor::{self, Part};
use super::place::CONFIG;
use super::problem::Problem;

/// Something that the hub calls.
pub(super) trait Outside: Debug {
    /// Of which part of what `doctor` looks at it is.
    const PART: Part;
    /// What its commands are for.
    const ABOUT: &'static str;
    /// An example, as help shows it.
    const EXAMPLE: &'static str;
    /// What `check` looks at.
    const LOOKS: &'static str;
    /// Examples of `check`, and with what it ends.
    const HELP: &'static str;
}

/// Discord.
#[derive(Debug)]
pub(super) enum Discord {}

/// The tracker of work items.
#[derive(Debug)]
pub(super) enum Tracker {}

/// The forge of pull requests.
#[derive(Debug)]
pub(super) enum Forge {}

impl Outside for Discord {
    const PART: Part = Part::Discord;
    const ABOUT: &'static str = "Look whether Discord is set up";
    const EXAMPLE: &'static str = "Example:\n  callboard discord check";
    const LOOKS: &'static str =
        "Look at the token, the intents, the guilds, their roles, and what the bot may in each channel";
    const HELP: &'static str = "Examples:
  DISCORD_TOKEN_FILE=~/discord.token callboard discord check
  callboard discord check --json

It only reads. Ends with 0 when nothing is wrong, 2 when a setting is, 3 when Discord refuses the token, 5 when it \
does not answer.";
}

impl Outside for Tracker {
    const PART: Part = Part::Tracker;
    const ABOUT: &'static str = "Look whether the tracker of work items is tied in";
    const EXAMPLE: &'static str = "Example:\n  callboard tracker check";
    const LOOKS: &'static str =
        "Look at its settings and its token, and whether the token may comment in each repository";
    const HELP: &'static str = "Examples:
  CALLBOARD_TRACKER_TOKEN_FILE=~/tracker.token callboard tracker check
  callboard tracker check --json

It writes nothing. Ends with 0 when nothing is wrong, 2 when a setting is, 3 when the tracker refuses the token, 5 \
when it does not answer.";
}

impl Outside for Forge {
    const PART: Part = Part::Forge;
    const ABOUT: &'static str = "Look whether agents can open pull requests";
    const EXAMPLE: &'static str = "Example:\n  callboard forge check";
    const LOOKS: &'static str = "Look at the token, and what it may in each repository; or at git and each folder";
    const HELP: &'static str = "Examples:
  CALLBOARD_FORGE_TOKEN_FILE=~/forge.token callboard forge check
  callboard forge check --json

It only reads. Ends with 0 when nothing is wrong, 2 when a setting is, 3 when the forge refuses the token or a \
repository, 5 when it does not answer.";
}

/// The commands about one of them.
#[derive(Debug, Args)]
#[command(
    about = T::ABOUT,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = T::EXAMPLE,
)]
pub(super) struct OutsideArgs<T: Outside> {
    #[command(subcommand)]
    verb: OutsideVerb<T>,
}

#[derive(Debug, Subcommand)]
enum OutsideVerb<T: Outside> {
    #[command(about = T::LOOKS, after_help = T::HELP)]
    Check(CheckArgs<T>),
}

/// How it is looked at.
#[derive(Debug, Args)]
struct CheckArgs<T: Outside> {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
    /// The folder that holds hub.yaml, agents.yaml and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
    #[arg(skip)]
    of: PhantomData<T>,
}

/// Looks.
pub(super) async fn run<T: Outside>(args: &OutsideArgs<T>) -> Result<(), Problem> {
    let OutsideVerb::Check(check) = &args.verb;
    doctor::check(T::PART, check.config.as_deref(), check.json).await
}
