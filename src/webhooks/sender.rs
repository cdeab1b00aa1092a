//! One POST to a subscriber: signed, to a public address, without redirects and proxies.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, Url};

use super::egress::Egress;
use super::secret::SigningSecret;
use crate::domain::text::with_causes;
use crate::domain::time::Timestamp;

/// The longest pause that a receiver may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(1);

/// Sends to one subscriber. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebhookSender {
    url: Url,
    secret: SigningSecret,
    /// The secret before it, and until when it signs as well.
    previous: Option<(SigningSecret, Timestamp)>,
    client: Client,
    egress: Egress,
}

/// What came of a POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The receiver answered with this status.
    Status {
        code: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// No answer: why.
    None(String),
}

impl WebhookSender {
    /// To this URL, which was checked.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub fn new(url: Url, secret: SigningSecret, allow_private: bool) -> reqwest::Result<Self> {
        let egress = Egress { allow_private };
        Ok(Self { url, secret, previous: None, client: egress.client()?, egress })
    }

    /// The same, signed until then by the secret before, too.
    #[must_use]
    pub fn also_signed(self, secret: SigningSecret, until: Timestamp) -> Self {
        Self { previous: Some((secret, until)), ..self }
    }

    /// The header `webhook-signature`: one signature, or two with a space between them.
    fn signature(&self, id: &str, now: Timestamp, body: &str) -> String {
        let seconds = now.0 / 1_000;
        let previous = self.previous.as_ref().filter(|(_, until)| now < *until);
        let secrets = [&self.secret].into_iter().chain(previous.map(|(secret, _)| secret));
        secrets.map(|secret| secret.sign(id, seconds, body)).collect::<Vec<_>>().join(" ")
    }

    /// Posts a message under this id, signed as of `now`.
    pub async fn send(&self, id: &str, now: Timestamp, body: String) -> Answer {
        if let Err(why) = self.egress.check(&self.url) {
            return Answer::None(why);
        }
        let seconds = now.0 / 1_000;
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", seconds)
            .header("webhook-signature", self.signature(id, now, &body))
            .body(body);
        match request.send().await {
            Ok(response) => {
                let (code, retry_after) = (response.status().as_u16(), retry_after(&response));
                Answer::Status { code, retry_after }
            }
            // The URL may hold a secret of the receiver's.
            Err(error) => Answer::None(with_causes(&error.without_url())),
        }
    }
}

impl Answer {
    /// Whether the receiver took it.
    #[must_use]
    pub const fn is_taken(&self) -> bool {
        matches!(self, Self::Status { code: 200..=299, .. })
    }

    /// What it was, in words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Status { code, .. } => format!("answered {code}"),
            Self::None(why) => why.clone(),
        }
    }

    /// What went wrong, in words; nothing when it was taken.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        match self {
            Self::Status { code: 200..=299, .. } => None,
            Self::Status { code: code @ 300..=399, .. } => Some(format!("answered {code}: redirects are not followed")),
            Self::Status { .. } | Self::None(_) => Some(self.words()),
        }
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER))
}
