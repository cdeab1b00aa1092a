//! A decision about rights, as one line for the channel where people watch over them.

use super::text::quoted;

/// A decision that stands in the audit.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'a> {
    pub number: u64,
    /// What was wanted, as `discord.assign`.
    pub action: &'a str,
    pub allowed: bool,
    /// The principal who wanted it.
    pub who: &'a str,
    /// Of what, as `role:test-engineer` or `task:ID`.
    pub target: &'a str,
    pub rule: &'a str,
}

impl Decision<'_> {
    /// `⛔ <@5> may not assign: role:test-engineer (no entry allows it) · line 7`. It pings nobody, since it is sent so.
    pub fn line(&self) -> String {
        let (sign, may) = if self.allowed { ("✅", "may") } else { ("⛔", "may not") };
        let who = match self.who.strip_prefix("discord:") {
            Some(id) if id.bytes().all(|byte| byte.is_ascii_digit()) => format!("<@{id}>"),
            _ => quoted(self.who, 80),
        };
        let act = self.action.strip_prefix("discord.").unwrap_or(self.action);
        let (target, rule) = (quoted(self.target, 120), quoted(self.rule, 120));
        format!("{sign} {who} {may} {act}: {target} ({rule}) · line {}", self.number)
    }
}
