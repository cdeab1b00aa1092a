//! `callboard doctor --ready`: the one question of a health check, asked without a token.

use std::time::Duration;

use reqwest::Url;

use crate::cli::client::{Unheard, address_of, loopback};
use crate::cli::exit::Exit;
use crate::cli::output::say;
use crate::cli::place::GlobalArgs;
use crate::cli::problem::Problem;
use crate::domain::text::{for_terminal, shorten, with_causes};
use crate::web_client;

/// How long the hub may take: less than a health check usually waits.
const TIMEOUT: Duration = Duration::from_secs(4);

pub(super) async fn ask(globals: &GlobalArgs) -> Result<(), Problem> {
    let address = address_of(globals)?;
    let url = Url::parse(&format!("{address}/readyz"))
        .map_err(|error| Problem::configuration(format!("`{address}` is no address")).because(error.to_string()))?;
    let builder = match (url.scheme(), loopback(&url)) {
        ("http", _) => web_client::plain_builder(),
        (_, true) => web_client::unverified_builder(),
        (_, false) => web_client::builder(),
    };
    let client = builder.timeout(TIMEOUT).build();
    let client = client.map_err(|error| Problem::failed("failed to set up HTTP").because(with_causes(&error)))?;
    let heard = async {
        let answer = client.get(url).send().await?;
        Ok::<_, reqwest::Error>((answer.status().as_u16(), answer.text().await?))
    };
    match heard.await.map_err(|error| Unheard::from(error).problem(&address))? {
        (200, _) => say(&format!("the hub at {address} is ready")),
        (status, why) => {
            let why = format!("status {status}: {}", for_terminal(&shorten(why.trim(), 400)));
            Err(Problem::new(Exit::Failed, format!("the hub at {address} is not ready"))
                .because(why)
                .next("callboard doctor"))
        }
    }
}
