//! Requests to one route as another caller than the command line's own, for who speaks a protocol over them.

use reqwest::{Client, RequestBuilder, Url};
use secrecy::{ExposeSecret as _, SecretString};

use super::find::HubClient;
use super::refusal::{Unheard, refused_at_the_door};
use super::socket::{NoSocket, TIMEOUT};

/// One route of the hub, and as whom it is called.
#[derive(Debug, Clone)]
pub struct HubCalls {
    http: Client,
    url: Url,
    token: SecretString,
}

impl HubClient {
    /// A route, called as whom `token` names.
    pub fn calls(&self, path: &[&str], token: &SecretString) -> HubCalls {
        let url = self.url_of(path, &[]);
        HubCalls { http: self.carrier(&url).clone(), url, token: token.clone() }
    }

    /// Passes when the hub is there and lets this token in, with these headers. Of several nodes the one that owns is
    /// asked last, and stays.
    pub async fn lets_in(&self, token: &SecretString, headers: &[(&'static str, &str)]) -> Result<(), NoSocket> {
        self.nodes.each(async || self.one_lets_in(token, headers).await, |no| no.again).await
    }

    async fn one_lets_in(&self, token: &SecretString, headers: &[(&'static str, &str)]) -> Result<(), NoSocket> {
        let me = self.calls(&["api", "v1", "me"], token);
        let asked = me.http.get(me.url.clone()).bearer_auth(token.expose_secret()).timeout(TIMEOUT);
        let asked = headers.iter().fold(asked, |asked, (name, value)| asked.header(*name, *value));
        let answered = async {
            let response = asked.send().await?;
            Ok::<_, reqwest::Error>((response.status().as_u16(), response.text().await?))
        };
        match answered.await {
            Ok((200, _)) => Ok(()),
            Ok((status, text)) => {
                let again = matches!(status, 429 | 500..);
                let (problem, token_refused) = refused_at_the_door(status, &text, self.address());
                Err(NoSocket { problem, again, upgrades: false, token_refused })
            }
            Err(error) => {
                let problem = Unheard::from(error).problem(self.address());
                Err(NoSocket { problem, again: true, upgrades: false, token_refused: false })
            }
        }
    }
}

impl HubCalls {
    /// A request that only reads.
    pub fn get(&self) -> RequestBuilder {
        self.http.get(self.url.clone()).bearer_auth(self.token.expose_secret())
    }

    pub fn post(&self) -> RequestBuilder {
        self.http.post(self.url.clone()).bearer_auth(self.token.expose_secret())
    }

    /// A request that takes something away.
    pub fn delete(&self) -> RequestBuilder {
        self.http.delete(self.url.clone()).bearer_auth(self.token.expose_secret())
    }
}
