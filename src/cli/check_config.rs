//! `callboard check-config`: whether a hub would start with these settings.

use std::path::{Path, PathBuf};

use clap::Args;

use super::output::say;
use super::place::{CONFIG, config_dir, flags, secret, settings};
use super::problem::Problem;
use crate::clock::Clock;
use crate::settings::{SystemPrompts, check_bind, check_files};
use crate::tracker::Tracker;
use crate::webhooks::{Sources, subscriptions};

/// Check the settings without starting anything
#[derive(Debug, Args)]
#[command(after_help = "Example:
  callboard check-config --config ./config")]
pub(super) struct CheckConfigArgs {
    /// The folder that holds hub.yaml, agents.yaml and the like.
    #[arg(long, value_name = "DIR", help = CONFIG)]
    config: Option<PathBuf>,
}

/// Checks them.
pub(super) fn run(args: &CheckConfigArgs, data_dir: Option<&Path>) -> Result<(), Problem> {
    let data_dir = data_dir.map(|dir| dir.display().to_string());
    let folder = config_dir(args.config.as_deref());
    let loaded = settings(folder.as_deref(), flags([("--data-dir", "dataDir", data_dir)]))?;
    check_bind(&loaded.settings.hub, &loaded.origins)?;
    check_files(&loaded.settings.hub, folder.as_deref())?;
    subscriptions(&loaded.settings.hub)?;
    Sources::load(&loaded.settings.hub)?;
    Tracker::load(&loaded.settings.hub, secret("CALLBOARD_TRACKER_TOKEN")?, Clock::system())?;
    let prompts = SystemPrompts::load(folder.as_deref())?;
    for role in loaded.settings.roles.roles.keys() {
        let rendered = prompts.render(role.as_str(), &loaded.settings.prompt_vars(role.as_str(), None));
        rendered.map_err(|fault| Problem::configuration(fault.to_string()))?;
    }
    for warning in &loaded.warnings {
        say(&format!("warning: {warning}"))?;
    }
    let roles = loaded.settings.roles.roles.len();
    say(&format!("The settings are right: {} values, {roles} roles.", loaded.shown.len()))
}
