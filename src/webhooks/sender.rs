//! One POST to a subscriber: signed, to a public address, without redirects and proxies.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Client, Response, Url};

use super::egress::Egress;
use super::push::PushDevice;
use super::secret::SigningSecret;
use crate::domain::text::with_causes;
use crate::domain::time::Timestamp;

/// The longest pause that a receiver may ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(1);

/// Sends to one subscriber. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WebhookSender {
    url: Url,
    envelope: Envelope,
    client: Client,
    egress: Egress,
}

#[derive(Debug, Clone)]
enum Envelope {
    Signed {
        secret: SigningSecret,
        /// The secret before it, and until when it signs as well.
        previous: Option<(SigningSecret, Timestamp)>,
    },
    Sealed(Box<PushDevice>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Status {
        code: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// No answer: why.
    None(String),
}

impl WebhookSender {
    /// To this URL, which was checked. Fails when the system's certificates cannot be read.
    pub fn new(url: Url, secret: SigningSecret, allow_private: bool) -> reqwest::Result<Self> {
        Self::made(url, Envelope::Signed { secret, previous: None }, allow_private)
    }

    /// To this URL of a push service, for this device. Fails when the system's certificates cannot be read.
    pub fn to_device(url: Url, device: PushDevice, allow_private: bool) -> reqwest::Result<Self> {
        Self::made(url, Envelope::Sealed(Box::new(device)), allow_private)
    }

    fn made(url: Url, envelope: Envelope, allow_private: bool) -> reqwest::Result<Self> {
        let egress = Egress { allow_private };
        Ok(Self { url, envelope, client: egress.client()?, egress })
    }

    pub fn device(&self) -> Option<&PushDevice> {
        match &self.envelope {
            Envelope::Sealed(device) => Some(device),
            Envelope::Signed { .. } => None,
        }
    }

    /// The same, signed until then by the secret before, too.
    #[must_use]
    pub fn also_signed(mut self, older: SigningSecret, until: Timestamp) -> Self {
        if let Envelope::Signed { previous, .. } = &mut self.envelope {
            *previous = Some((older, until));
        }
        self
    }

    /// Posts a message under this id, signed as of `now`.
    pub async fn send(&self, id: &str, now: Timestamp, body: String) -> Answer {
        if let Err(why) = self.egress.check(&self.url) {
            return Answer::None(why);
        }
        let request = self.client.post(self.url.clone());
        let request = match &self.envelope {
            Envelope::Sealed(device) => match device.seal(request, &self.url, now, &body) {
                Ok(request) => request,
                Err(why) => return Answer::None(why),
            },
            Envelope::Signed { secret, previous } => {
                let previous = previous.as_ref().filter(|(_, until)| now < *until);
                let secrets = [secret].into_iter().chain(previous.map(|(secret, _)| secret));
                let seconds = now.0 / 1_000;
                let signed: Vec<String> = secrets.map(|secret| secret.sign(id, seconds, &body)).collect();
                request
                    .header(CONTENT_TYPE, "application/json")
                    .header("webhook-id", id)
                    .header("webhook-timestamp", seconds)
                    .header("webhook-signature", signed.join(" "))
                    .body(body)
            }
        };
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
    pub const fn is_taken(&self) -> bool {
        matches!(self, Self::Status { code: 200..=299, .. })
    }

    pub fn words(&self) -> String {
        match self {
            Self::Status { code, .. } => format!("answered {code}"),
            Self::None(why) => why.clone(),
        }
    }

    /// What went wrong, in words; nothing when it was taken.
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
