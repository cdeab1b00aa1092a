//! `callboard open`: a one-time link to the hub's page, and a browser that follows it.
//!
//! The link holds a code that logs in, and command lines are public on a machine. So the browser is started with a file
//! that only this user can read and that leads there; its code is spent after a minute.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use super::place;
use super::prelude::*;

/// The file in the data directory that leads a browser to the page.
const LEADS_THERE: &str = "open.html";
/// How long a program that opens files is watched for saying that it cannot.
const OPENER_PATIENCE: Duration = Duration::from_secs(3);

/// Open the page: a log-in link, good for a minute and once
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  callboard open                    opens a browser
  callboard open --print            prints the link, for a browser elsewhere
  callboard open --admin --print    and may restart actors and see the audit

The page may hand out work and answer; it is logged out after 12 hours, and when the token that this command used ends.
From another machine: ssh -L 7420:127.0.0.1:7420 HOST, then open the printed link there.")]
pub(super) struct OpenArgs {
    /// Print the link, and open no browser
    #[arg(long)]
    print: bool,
    /// Let the page do what an admin may; the token needs that scope
    #[arg(long)]
    admin: bool,
}

pub(super) async fn run(args: &OpenArgs, hub: &HubClient, globals: &GlobalArgs) -> Result<(), Problem> {
    let link = link(hub, args.admin).await?;
    if args.print {
        return say(link.for_others());
    }
    let opened = match opener() {
        Some(opener) => opens(opener, &link.here, globals).await?,
        None => false,
    };
    if opened {
        return say(&format!("opened the page of {} in your browser: the link is good for a minute", hub.address()));
    }
    let link = link.for_others();
    say(&format!("no browser could be opened here: follow this link within a minute, it works once\n{link}"))
}

pub(super) struct Link {
    /// By the address that this command line knows.
    pub(super) here: String,
    /// By the hub's public address, where it has one.
    public: Option<String>,
}

impl Link {
    /// For a browser that may be elsewhere.
    fn for_others(&self) -> &str {
        self.public.as_ref().unwrap_or(&self.here)
    }
}

pub(super) async fn link(hub: &HubClient, admin: bool) -> Result<Link, Problem> {
    let body = if admin { json!({ "scope": "admin" }) } else { json!({}) };
    let made = hub.post(&["api", "v1", "login", "codes"], &body).await?;
    let path = str_at(&made, "path").ok_or_else(|| Problem::failed("the hub's answer has no link"))?;
    let public = str_at(&made, "publicUrl").map(|url| format!("{url}{path}"));
    Ok(Link { here: format!("{}{path}", hub.address()), public })
}

/// The program that opens files here; none where nobody would see them.
fn opener() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let seen = place::variable("DISPLAY").is_some() || place::variable("WAYLAND_DISPLAY").is_some();
    seen.then_some("xdg-open")
}

/// Leads a browser to the link; whether one was found.
async fn opens(opener: &str, link: &str, globals: &GlobalArgs) -> Result<bool, Problem> {
    let folder = globals.own_data_dir()?;
    if !folder.is_dir() {
        return Ok(false);
    }
    let file: PathBuf = folder.join(LEADS_THERE);
    place::write_private(&file, &leads_to(link))?;
    let mut command = tokio::process::Command::new(opener);
    command.arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return Ok(false) };
    match tokio::time::timeout(OPENER_PATIENCE, child.wait()).await {
        Ok(ended) => Ok(ended.is_ok_and(|status| status.success())),
        // Some are the browser itself.
        Err(_) => Ok(true),
    }
}

fn leads_to(link: &str) -> String {
    let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\">\n<title>callboard</title>\n\
         <a href=\"{link}\">Open callboard</a>\n"
    )
}

#[cfg(test)]
mod tests;
