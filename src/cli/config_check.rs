//! `callboard config check`: whether a hub would start with these settings.

use super::place::secret;
use super::prelude::*;
use crate::settings::{SystemPrompts, check_bind, check_files};
use crate::tracker::Tracker;
use crate::webhooks::{Sources, subscriptions};

/// Check the settings without starting anything
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  callboard config check --config ./config")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &CheckArgs, globals: &GlobalArgs) -> Result<(), Problem> {
    let folder = globals.config_dir();
    let loaded = globals.settings()?;
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
    let (values, roles) = (loaded.shown.len(), loaded.settings.roles.roles.len());
    let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
    let found = json!({ "ok": true, "values": values, "roles": roles, "warnings": warnings });
    args.output.show(&found, || {
        let warnings = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect::<String>();
        format!("{warnings}The settings are right: {values} values, {roles} roles.")
    })
}
