//! What is asked of Discord, and why it did not answer.

use std::time::Duration;

use reqwest::Client;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::super::finding::Finding;
use crate::cli::exit::Exit;
use crate::domain::text::{for_terminal, shorten};
use crate::web_client;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The most characters of what Discord says.
const LONGEST: usize = 200;

/// Discord's REST interface, read with the bot's token.
pub(super) struct RestProbe {
    client: Client,
    base: String,
    token: SecretString,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// Nobody answered, or not in time.
    Unreachable(String),
    /// 401: the token is not valid.
    Token,
    /// Any other status: with Discord's code, or 0, and its words.
    Refused { status: u16, code: u64, words: String },
}

impl RestProbe {
    pub(super) fn new(token: SecretString, base: Option<&str>) -> reqwest::Result<Self> {
        let agent = concat!("DiscordBot (callboard, ", env!("CARGO_PKG_VERSION"), ")");
        let client = web_client::builder().timeout(TIMEOUT).user_agent(agent);
        let base = base.unwrap_or("https://discord.com").trim_end_matches('/');
        Ok(Self { client: client.build()?, base: base.into(), token })
    }

    /// GET of a path below `/api/v10`.
    pub(super) async fn get(&self, path: &str) -> Result<Value, NoAnswer> {
        let unreachable = |error: reqwest::Error| NoAnswer::Unreachable(error.without_url().to_string());
        let request = self.client.get(format!("{}/api/v10{path}", self.base));
        let request = request.header("authorization", format!("Bot {}", self.token.expose_secret()));
        let answer = request.send().await.map_err(unreachable)?;
        let status = answer.status().as_u16();
        let text = answer.text().await.map_err(unreachable)?;
        let body = serde_json::from_str::<Value>(&text);
        match (status, body) {
            (200, Ok(body)) => Ok(body),
            (401, _) => Err(NoAnswer::Token),
            (status, body) => {
                let body = body.unwrap_or_default();
                let words = body["message"].as_str().unwrap_or("no words of Discord's");
                let words = shorten(&for_terminal(words), LONGEST);
                Err(NoAnswer::Refused { status, code: body["code"].as_u64().unwrap_or_default(), words })
            }
        }
    }
}

impl NoAnswer {
    /// What that means for `check`.
    pub(super) fn finding(self, check: &str) -> Finding {
        match self {
            Self::Unreachable(why) => {
                let message = format!("Discord cannot be reached: {why}. A hub starts all the same, and tries again");
                Finding::wrong(check, Exit::Unreachable, message)
                    .next("look whether this machine may call discord.com, and https://discordstatus.com")
            }
            Self::Token => Finding::wrong(
                check,
                Exit::Refused,
                "Discord refuses the token: it was reset, or is no bot's",
            )
            .code("TOKEN_REFUSED")
            .next(
                "https://discord.com/developers/applications → Bot → Reset Token, and put the new one into its place",
            ),
            Self::Refused { status, code, words } => {
                let exit = if status >= 500 { Exit::Failed } else { Exit::Refused };
                Finding::wrong(check, exit, format!("Discord answers {status} (code {code}): {words}"))
            }
        }
    }
}

/// A field as text; empty where there is none.
pub(super) fn text(object: &Value, field: &str) -> String {
    object[field].as_str().unwrap_or_default().to_owned()
}
