//! Whether the proxy in front, where `behindProxy` names one, leads to a hub, and what it answers while there is none.
//!
//! A client that gets 404 while the hub restarts gives up; at 502 or 503 it retries. So run this with the hub stopped.

use std::time::Duration;

use reqwest::Method;
use secrecy::SecretString;

use super::finding::Finding;
use crate::cli::client::{HubClient, Unheard};
use crate::cli::exit::Exit;
use crate::cli::place::GlobalArgs;

const CHECK: &str = "proxy in front";

const TIMEOUT: Duration = Duration::from_secs(10);

/// What to do about a proxy that answers 404.
const NOT_404: &str = "let the proxy answer 502 or 503 while no hub is behind it: docs/install.md, \"For a team\"";

/// Looks; `serves` says that a hub answers by the address that this command line knows.
pub(super) async fn look(globals: &GlobalArgs, serves: bool) -> Option<Finding> {
    // What is wrong with the settings is said by who needs more of them.
    let loaded = globals.settings().ok()?;
    let url = loaded.settings.hub.behind_proxy?.public_url;
    let url = url.trim_end_matches('/');
    // No token goes there: who answers is not known yet.
    let client = match HubClient::at(url, SecretString::from("")) {
        Ok(client) => client,
        Err(problem) => return Some(Finding::of_problem(CHECK, &problem)),
    };
    let asked = client.bare(Method::GET, &format!("{url}/healthz")).timeout(TIMEOUT).send().await;
    Some(of_answer(url, serves, asked.map(|answer| answer.status().as_u16()).map_err(Unheard::from)))
}

pub(super) fn of_answer(url: &str, serves: bool, status: Result<u16, Unheard>) -> Finding {
    let status = match status {
        Ok(status) => status,
        Err(unheard) => {
            let message = format!("{}, asked by `behindProxy.publicUrl`", unheard.problem(url).told());
            return Finding::doubtful(CHECK, message).next("callboard doctor, where the proxy can be reached");
        }
    };
    match (serves, status) {
        (true, 200) => Finding::good(CHECK, format!("{url} leads to a hub"))
            .next("run this once more while the hub is stopped, to see that the proxy does not answer 404 then"),
        (false, 200) => Finding::doubtful(CHECK, format!("{url} leads to a hub, and here none answers"))
            .next(format!("CALLBOARD_URL={url} callboard doctor")),
        (false, 502..=504) => {
            Finding::good(CHECK, format!("while no hub is behind {url}, it answers {status}: clients try again"))
        }
        (false, 404) => Finding::wrong(
            CHECK,
            Exit::Configuration,
            format!(
                "while no hub is behind {url}, it answers 404: clients over HTTP give the hub up for their session"
            ),
        )
        .code("PROXY_ANSWERS_404")
        .next(NOT_404),
        (true, 404) => {
            Finding::wrong(CHECK, Exit::Configuration, format!("{url} answers 404 and does not lead to the hub"))
                .code("PROXY_ANSWERS_404")
                .next("lead every path of that host to the address that the hub listens on")
        }
        (_, _) => Finding::doubtful(CHECK, format!("{url} answers {status}, and a hub would answer 200"))
            .next("callboard config show --origin"),
    }
}
