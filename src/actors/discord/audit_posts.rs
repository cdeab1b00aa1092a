//! Posts decisions about rights into `discord.auditChannel`, read from the audit's file behind the last posted line: so
//! a restart neither repeats nor skips a line.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::memory::Shared;
use super::rest::{Call, DiscordRest, Fail};
use crate::actors::HubRef;
use crate::actors::service::{Look, Service};
use crate::audit::{AuditFilter, AuditItem, AuditPage};
use crate::domain::discord::Decision;

/// Decisions within this time are one message.
const TOGETHER: Duration = Duration::from_secs(1);
/// The pause after a message that did not reach Discord.
const AGAIN: Duration = Duration::from_secs(30);
/// The most lines of one message; older ones stand in the audit alone, and are counted.
const LINES: usize = 20;
/// The most UTF-16 units of one message.
const LONGEST: usize = 1_900;

#[derive(Debug)]
pub struct AuditPosts {
    pub rest: DiscordRest,
    /// The line that was posted last.
    pub shared: Shared,
    pub hub: Arc<OnceLock<HubRef>>,
    pub decided: Arc<Notify>,
}

impl Service for AuditPosts {
    fn run(&self) -> BoxFuture<'static, String> {
        let (rest, shared) = (self.rest.clone(), self.shared.clone());
        let (hub, decided) = (Arc::clone(&self.hub), Arc::clone(&self.decided));
        async move {
            // What was decided before the first start with a channel is history.
            begin(&hub, &shared).await;
            loop {
                decided.notified().await;
                sleep(TOGETHER).await;
                while let Err(why) = post(&hub, &rest, &shared).await {
                    tracing::warn!("decisions about rights could not be posted to Discord: {why}");
                    shared.failed(why);
                    sleep(AGAIN).await;
                }
            }
        }
        .boxed()
    }

    fn look(&self) -> Look {
        let detail = json!({ "lastLine": self.shared.memory.borrow().audited });
        Look { state: "running".to_owned(), detail, errors: Vec::new() }
    }
}

async fn begin(hub: &OnceLock<HubRef>, shared: &Shared) {
    let Some(hub) = hub.get() else { return };
    // What cannot be read now is no empty audit: all of it would be posted as new.
    let Ok(page) = read(hub, None).await else { return };
    let newest = page.items.first().map_or(0, |item| item.seq);
    // A number that is ahead is of another machine: what is remembered moves with the hub, and an audit does not.
    if shared.memory.borrow().audited.is_none_or(|known| known > newest) {
        shared.memory.send_modify(|memory| memory.audited = Some(newest));
    }
}

async fn post(cell: &OnceLock<HubRef>, rest: &DiscordRest, shared: &Shared) -> Result<(), String> {
    let Some(hub) = cell.get() else { return Ok(()) };
    let Some(channel) = hub.settings().hub.discord.audit_channel else { return Ok(()) };
    hub.audit.settle().await;
    let known = shared.memory.borrow().audited;
    let Some(last) = known else {
        begin(cell, shared).await;
        return Ok(());
    };
    let page = read(hub, Some("discord")).await.map_err(|error| error.to_string())?;
    let new: Vec<_> = page.items.iter().filter(|item| item.seq > last).collect();
    let Some(newest) = new.first().map(|item| item.seq) else { return Ok(()) };
    let body = json!({
        "content": text(&new, page.next.is_some()), "allowed_mentions": {"parse": []},
        "nonce": format!("a{newest}"), "enforce_nonce": true,
    });
    match rest.call(Call::Post { channel: channel.0, file: None }, &body).await {
        Ok(Value::Null) | Err(Fail::Later(_)) => return Err("Discord does not answer".to_owned()),
        Err(no @ Fail::No { .. }) => return Err(no.to_string()),
        Ok(_) => {}
    }
    shared.memory.send_modify(|memory| memory.audited = Some(newest));
    Ok(())
}

/// The newest lines of this family of actions, newest first.
async fn read(hub: &HubRef, family: Option<&str>) -> io::Result<AuditPage> {
    let Some(dir) = hub.audit.dir().map(ToOwned::to_owned) else { return Ok(AuditPage::default()) };
    let filter = AuditFilter { limit: 200, action: family.map(str::to_owned), ..AuditFilter::default() };
    spawn_blocking(move || AuditPage::read(&dir, &filter)).await.map_err(io::Error::other)?
}

/// Oldest first, at most so many lines; what is before them is counted.
fn text(newest_first: &[&AuditItem], more: bool) -> String {
    let (mut lines, mut units) = (Vec::new(), 0);
    for item in newest_first.iter().take(LINES) {
        let decision = Decision {
            number: item.seq,
            action: &item.action,
            allowed: item.decision == "allowed",
            who: &item.who,
            target: item.target.as_deref().unwrap_or("nothing"),
            rule: item.rule.as_deref().unwrap_or("no rule"),
        };
        let line = decision.line();
        units += line.encode_utf16().count() + 1;
        if units > LONGEST {
            break;
        }
        lines.push(line);
    }
    let before = newest_first.len() - lines.len();
    if before > 0 {
        let at_least = if more { "at least " } else { "" };
        lines.push(format!("-# {at_least}{before} more before these; `callboard audit` and the page have all"));
    }
    lines.reverse();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
