//! The table of routes.

use std::collections::BTreeMap;

use super::call::{Call, Outcome};
use super::{channel, command, guild, interaction, message, webhook};
use crate::discord::model::world::World;

pub(crate) struct Route {
    pub(crate) method: &'static str,
    /// `:name` stands for any one step.
    pub(crate) path: &'static str,
    /// Whether the bot's token is needed; interactions carry their own.
    pub(crate) needs_token: bool,
    pub(crate) serve: fn(&mut World, &Call) -> Outcome,
}

const fn open(method: &'static str, path: &'static str, serve: fn(&mut World, &Call) -> Outcome) -> Route {
    Route { method, path, needs_token: false, serve }
}

const fn bot(method: &'static str, path: &'static str, serve: fn(&mut World, &Call) -> Outcome) -> Route {
    Route { method, path, needs_token: true, serve }
}

const MESSAGES: &str = "/channels/:channel/messages";
const MESSAGE: &str = "/channels/:channel/messages/:message";
const REACTION: &str = "/channels/:channel/messages/:message/reactions/:emoji/@me";
const COMMANDS: &str = "/applications/:application/guilds/:guild/commands";
const FOLLOW_UP: &str = "/webhooks/:application/:token/messages/:message";

/// Every route, the more exact one first.
pub(crate) const ROUTES: &[Route] = &[
    open("GET", "/gateway", |world, _| Ok(guild::gateway(world))),
    bot("GET", "/gateway/bot", |world, _| Ok(guild::gateway_for_bots(world))),
    bot("GET", "/users/@me", |world, _| Ok(guild::me(world))),
    bot("GET", "/users/@me/guilds", |world, _| Ok(guild::my_guilds(world))),
    bot("POST", "/users/@me/channels", channel::direct),
    bot("GET", "/applications/@me", |world, _| Ok(guild::application(world))),
    bot("GET", "/oauth2/applications/@me", |world, _| Ok(guild::application(world))),
    bot("PUT", COMMANDS, command::replace),
    bot("GET", COMMANDS, command::list),
    bot("GET", "/guilds/:guild", guild::get),
    bot("GET", "/guilds/:guild/roles", guild::roles),
    bot("GET", "/guilds/:guild/channels", guild::channels),
    bot("GET", "/guilds/:guild/threads/active", guild::threads),
    bot("GET", "/guilds/:guild/members/:user", guild::member),
    bot("GET", "/channels/:channel", channel::get),
    bot("PATCH", "/channels/:channel", channel::edit),
    bot("POST", "/channels/:channel/threads", channel::begin_alone),
    bot("POST", "/channels/:channel/typing", channel::noted),
    bot("PUT", "/channels/:channel/thread-members/@me", channel::noted),
    bot("POST", MESSAGES, message::create),
    bot("GET", MESSAGES, message::list),
    bot("GET", MESSAGE, message::get),
    bot("PATCH", MESSAGE, message::edit),
    bot("DELETE", MESSAGE, message::delete),
    bot("POST", "/channels/:channel/messages/:message/threads", channel::begin_on),
    bot("PUT", REACTION, message::react),
    bot("DELETE", REACTION, message::unreact),
    open("POST", "/interactions/:interaction/:token/callback", interaction::callback),
    open("POST", "/webhooks/:application/:token", webhook::follow_up),
    open("GET", FOLLOW_UP, webhook::get),
    open("PATCH", FOLLOW_UP, webhook::edit),
    open("DELETE", FOLLOW_UP, webhook::delete),
];

/// What a method and a path lead to.
pub(crate) enum Found {
    Route(&'static Route, BTreeMap<&'static str, String>),
    /// The path exists with other methods.
    OtherMethod,
    Nothing,
}

pub(crate) fn find(method: &str, path: &str) -> Found {
    let mut other_method = false;
    for route in ROUTES {
        let Some(params) = fit(route.path, path) else { continue };
        if route.method == method {
            return Found::Route(route, params);
        }
        other_method = true;
    }
    if other_method { Found::OtherMethod } else { Found::Nothing }
}

fn fit(pattern: &'static str, path: &str) -> Option<BTreeMap<&'static str, String>> {
    let (steps, given) = (pattern.split('/'), path.split('/'));
    if steps.clone().count() != given.clone().count() {
        return None;
    }
    let mut params = BTreeMap::new();
    for (step, given) in steps.zip(given) {
        match step.strip_prefix(':') {
            Some(name) if !given.is_empty() => {
                params.insert(name, decoded(given));
            }
            Some(_) => return None,
            None if step == given => {}
            None => return None,
        }
    }
    Some(params)
}

/// Without percent signs: an emoji comes as its bytes.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let hex = behind.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The bucket of a request: its method, and its path with what does not count left out.
pub(crate) fn bucket(route: &Route, params: &BTreeMap<&'static str, String>) -> String {
    let step = |step: &str| match step {
        ":channel" | ":guild" | ":token" => params.get(&step[1..]).cloned().unwrap_or_default(),
        _ => step.to_owned(),
    };
    let path: Vec<_> = route.path.split('/').map(step).collect();
    format!("{} {}", route.method, path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_the_more_exact_route() {
        let found = |method, path| match find(method, path) {
            Found::Route(route, params) => format!("{} {params:?}", bucket(route, &params)),
            Found::OtherMethod => "405".into(),
            Found::Nothing => "404".into(),
        };
        assert_eq!(found("GET", "/applications/@me"), "GET /applications/@me {}");
        let react = "/channels/1/messages/2/reactions/%F0%9F%91%80/@me";
        let params = r#"{"channel": "1", "emoji": "👀", "message": "2"}"#;
        assert_eq!(found("PUT", react), format!("PUT /channels/1/messages/:message/reactions/:emoji/@me {params}"));
        assert_eq!(found("PUT", "/channels/1"), "405");
        assert_eq!(found("GET", "/channels//messages"), "404");
        assert_eq!(found("GET", "/voice/regions"), "404");
    }
}
