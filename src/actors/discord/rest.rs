//! The one caller of Discord's REST interface: which request a call is, how often it is sent, what its answer means.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use twilight_http::Client;
use twilight_http::request::channel::reaction::RequestReactionType;
use twilight_http::request::{Form, Request};
use twilight_http::routing::Route;

use super::carrier::{Carried, Carrier};
use super::memory::Shared;
use crate::domain::discord::refusal;

/// How long one request may take, with the waits that Discord asks for.
const ANSWER_WITHIN: Duration = Duration::from_secs(120);

/// How long to wait after each 429, in seconds; after the last one the request came to nothing for now.
const PAUSES: [u64; 4] = [1, 2, 4, 8];

#[derive(Debug, Clone)]
pub struct DiscordRest {
    carrier: Arc<dyn Carrier>,
    /// Where it is kept whether the token was refused.
    shared: Shared,
}

/// A request. `Post` may have a file beside it, whose whole text this is; `React` puts a sign there, or takes it away.
#[derive(Debug, Clone)]
pub enum Call<'a> {
    Post { channel: u64, file: Option<&'a str> },
    Edit { channel: u64, message: u64 },
    Thread { channel: u64, message: u64 },
    Reopen { channel: u64 },
    React { channel: u64, message: u64, sign: &'a str, there: bool },
    Read { channel: u64, before: Option<u64> },
    Message { channel: u64, message: u64 },
    Channel { channel: u64 },
    Member { guild: u64, user: u64 },
    Answer { interaction: u64, token: &'a str },
    EditAnswer { application: u64, token: &'a str },
    Commands { application: u64, guild: u64 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fail {
    /// It may succeed later: nothing or nonsense was answered.
    Later(String),
    /// With Discord's own code, 0 where it says none, and what that means, with the paths of what is wrong.
    No { status: u16, code: u64, text: String },
}

impl DiscordRest {
    pub fn new(token: &SecretString, base: Option<&str>, shared: Shared) -> Self {
        let mut builder = Client::builder().token(token.expose_secret().to_owned()).timeout(Duration::from_secs(15));
        // After one 401 the library would refuse every request itself, until the process ends.
        builder = builder.remember_invalid_token(false);
        if let Some((scheme, host)) = base.and_then(|base| base.split_once("://")) {
            builder = builder.proxy(host.trim_end_matches('/').to_owned(), scheme == "http");
        }
        Self::over(Arc::new(builder.build()), shared)
    }

    pub fn over(carrier: Arc<dyn Carrier>, shared: Shared) -> Self {
        Self { carrier, shared }
    }

    /// Asks, and reads the answer; null where there is none. Fails when Discord cannot be reached, or says no.
    pub async fn call(&self, call: Call<'_>, body: &Value) -> Result<Value, Fail> {
        let request = request(&call, body)?;
        let by_token = request.use_authorization_token();
        if by_token && self.shared.token_pause().is_some() {
            return Err(token_refused());
        }
        let answered = timeout(ANSWER_WITHIN, self.send(&request)).await;
        let answered = answered.unwrap_or_else(|_| Err(Fail::Later("Discord does not answer".to_owned())));
        match &answered {
            Err(Fail::No { status: 401, .. }) if by_token => self.shared.token_is_refused(),
            Err(Fail::Later(_)) => {}
            Ok(_) | Err(Fail::No { .. }) if by_token => self.shared.token_is_taken(),
            Ok(_) | Err(Fail::No { .. }) => {}
        }
        answered
    }

    /// Edits a message; a thread that is archived is opened first. Fails as [`DiscordRest::call`] does.
    pub async fn edit(&self, channel: u64, message: u64, body: &Value) -> Result<Value, Fail> {
        let edited = self.call(Call::Edit { channel, message }, body).await;
        if !edited.as_ref().is_err_and(Fail::is_archived) {
            return edited;
        }
        match self.call(Call::Reopen { channel }, &json!({"archived": false})).await {
            Err(fail) if fail.is_later() => Err(fail),
            // It is locked.
            Err(_) => edited,
            Ok(_) => self.call(Call::Edit { channel, message }, body).await,
        }
    }

    /// Sends a request, and again after a pause when Discord answers 429.
    async fn send(&self, request: &Request) -> Result<Value, Fail> {
        let mut pauses = PAUSES.into_iter();
        loop {
            match self.carrier.carry(request.clone()).await {
                Carried::Answered { status, body } => return read(status, &body, request.use_authorization_token()),
                Carried::Nothing(why) => return Err(Fail::Later(why)),
                Carried::Limited => match pauses.next() {
                    Some(seconds) => sleep(Duration::from_secs(seconds)).await,
                    None => {
                        return Err(Fail::Later("Discord limits the bot (429); it is tried again later".to_owned()));
                    }
                },
            }
        }
    }
}

fn request(call: &Call<'_>, body: &Value) -> Result<Request, Fail> {
    let body = body.to_string().into_bytes();
    let with_body = |route: &Route<'_>| Request::builder(route).body(body.clone());
    let builder = match *call {
        Call::Post { channel, file: None } => with_body(&Route::CreateMessage { channel_id: channel }),
        Call::Post { channel, file: Some(text) } => {
            let form = Form::new().json_part(b"payload_json", &body);
            let form = form.file_part(b"files[0]", b"message.md", text.as_bytes());
            Request::builder(&Route::CreateMessage { channel_id: channel }).form(form)
        }
        Call::Edit { channel, message } => {
            with_body(&Route::UpdateMessage { channel_id: channel, message_id: message })
        }
        Call::Thread { channel, message } => {
            with_body(&Route::CreateThreadFromMessage { channel_id: channel, message_id: message })
        }
        Call::Reopen { channel } => with_body(&Route::UpdateChannel { channel_id: channel }),
        Call::React { channel, message, sign, there } => {
            let emoji = &RequestReactionType::Unicode { name: sign };
            let (channel_id, message_id) = (channel, message);
            Request::builder(&if there {
                Route::CreateReaction { channel_id, emoji, message_id }
            } else {
                Route::DeleteReactionCurrentUser { channel_id, emoji, message_id }
            })
        }
        Call::Message { channel, message } => {
            Request::builder(&Route::GetMessage { channel_id: channel, message_id: message })
        }
        Call::Read { channel, before } => Request::builder(&Route::GetMessages {
            after: None,
            around: None,
            before,
            channel_id: channel,
            limit: Some(100),
        }),
        Call::Channel { channel } => Request::builder(&Route::GetChannel { channel_id: channel }),
        Call::Member { guild, user } => Request::builder(&Route::GetMember { guild_id: guild, user_id: user }),
        // An interaction has a token of its own: one that expired says nothing of the bot's.
        Call::Answer { interaction, token } => with_body(&Route::InteractionCallback {
            interaction_id: interaction,
            interaction_token: token,
            with_response: false,
        })
        .use_authorization_token(false),
        Call::EditAnswer { application, token } => {
            with_body(&Route::UpdateInteractionOriginal { application_id: application, interaction_token: token })
                .use_authorization_token(false)
        }
        Call::Commands { application, guild } => {
            with_body(&Route::SetGuildCommands { application_id: application, guild_id: guild })
        }
    };
    let refused = |error: twilight_http::Error| Fail::No { status: 0, code: 0, text: error.to_string() };
    builder.build().map_err(refused)
}

fn token_refused() -> Fail {
    let text = "Discord refuses the token (401): it is tried again with growing pauses; if it was reset, give the new \
                one by DISCORD_TOKEN, and restart the hub";
    Fail::No { status: 401, code: 0, text: text.to_owned() }
}

/// What an answer means, to a request under the bot's token or without one.
fn read(status: u16, body: &[u8], by_token: bool) -> Result<Value, Fail> {
    match status {
        200..300 if body.is_empty() => Ok(Value::Null),
        200..300 => {
            serde_json::from_slice(body).map_err(|error| Fail::Later(format!("the answer is no JSON: {error}")))
        }
        401 if by_token => Err(token_refused()),
        429 | 500.. => Err(Fail::Later(format!("Discord answers {status}"))),
        _ => {
            let said: Value = serde_json::from_slice(body).unwrap_or_default();
            let code = said.get("code").and_then(Value::as_u64).unwrap_or(0);
            Err(Fail::No { status, code, text: refusal(&said) })
        }
    }
}

impl Fail {
    /// Whether the hub may not do it there, or it cannot be done there: without permission, in an archived and locked
    /// thread, in a channel of another kind.
    pub const fn is_elsewhere(&self) -> bool {
        matches!(self, Self::No { status: 403 | 404, .. } | Self::No { code: 50_024 | 50_083, .. })
    }

    /// Whether the thread is archived: a message opens it, an edit does not.
    pub const fn is_archived(&self) -> bool {
        matches!(self, Self::No { code: 50_083, .. })
    }

    /// Whether the bot may not see or write there now; somebody may give that back.
    pub const fn is_permission(&self) -> bool {
        matches!(self, Self::No { code: 50_001 | 50_013, .. })
    }

    /// Whether it may go out later: the token that is refused now may be another one then.
    pub const fn is_later(&self) -> bool {
        matches!(self, Self::Later(_) | Self::No { status: 401, .. })
    }

    /// Whether nothing comes of it, however often it is tried, and whoever gives what permission back.
    pub const fn is_final(&self) -> bool {
        !self.is_later() && !self.is_permission()
    }

    /// Whether what was sent is refused as it is.
    pub const fn is_bad_body(&self) -> bool {
        matches!(self, Self::No { status: 400 | 413, .. })
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Later(why) => f.write_str(why),
            Self::No { status, code, text } => write!(f, "{status} ({code}): {text}"),
        }
    }
}

#[cfg(test)]
mod tests;
