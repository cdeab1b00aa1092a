//! Whether Discord is set up. It only reads: no gateway is opened, so it takes no identification from a hub that runs.

mod application;
mod channels;
mod guild;
mod rest;
mod roles;
#[cfg(test)]
mod tests;

use secrecy::SecretString;

use super::finding::Finding;
use super::loaded;
use crate::cli::exit::Exit;
use crate::cli::place::{GlobalArgs, secret};
use crate::settings::Settings;
use rest::RestProbe;

const NO_TOKEN: &str =
    "neither DISCORD_TOKEN nor DISCORD_TOKEN_FILE is set here: a hub that is started so has no Discord";
const NEXT_TOKEN: &str = "make a bot at https://discord.com/developers/applications, put its token into a file that \
    only you can read, and set DISCORD_TOKEN_FILE";

/// Looks at all of it. Without a token there is nothing to look at: `needed` says whether that is wrong.
pub(in crate::cli) async fn look(globals: &GlobalArgs, needed: bool) -> Vec<Finding> {
    let loaded = match loaded(globals) {
        Ok(loaded) => loaded,
        Err(wrong) => return vec![wrong],
    };
    match secret("DISCORD_TOKEN") {
        Err(problem) => vec![Finding::of_problem("discord token", &problem)],
        Ok(None) if needed => vec![Finding::wrong("discord token", Exit::Configuration, NO_TOKEN).next(NEXT_TOKEN)],
        Ok(None) => vec![Finding::skipped("discord", NO_TOKEN)],
        Ok(Some(token)) => with(&loaded.settings, token).await,
    }
}

async fn with(settings: &Settings, token: SecretString) -> Vec<Finding> {
    let rest = match RestProbe::new(token, settings.hub.discord.api_base.as_deref()) {
        Ok(rest) => rest,
        Err(error) => {
            return vec![Finding::wrong("discord", Exit::Failed, format!("no HTTP client could be made: {error}"))];
        }
    };
    let (mut findings, bot) = application::look(&rest, settings).await;
    if let Some(bot) = bot {
        findings.extend(guild::look(&rest, settings, &bot).await);
    }
    findings
}
