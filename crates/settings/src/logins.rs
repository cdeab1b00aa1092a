//! Who is called what by a source of webhooks: `people.yaml` says it under the names of `hub.yaml: webhooks.in`.

use super::in_force::Settings;
use super::people::{GITHUB, KEYS, Person, TRACKER};
use super::ports::WebhookScheme;
use super::source::node::{Kind, Node};

impl Settings {
    /// The person called so at this source of webhooks. A login is its source's own: elsewhere it is somebody else's.
    pub fn person_at(&self, source: &str, login: &str) -> Option<(&str, &Person)> {
        self.login_keys(source).into_iter().find_map(|key| self.people.by_login(key, login))
    }

    /// Under which keys of a person the login at a source stands.
    fn login_keys<'a>(&self, source: &'a str) -> [&'a str; 2] {
        let inbound = &self.hub.webhooks.inbound;
        let stands_for = |key: &str, scheme: WebhookScheme| {
            let mut fitting = inbound.iter().filter(|(_, set)| set.scheme == scheme).map(|(name, _)| name);
            !inbound.contains_key(key) && fitting.next().is_some_and(|name| name == source) && fitting.next().is_none()
        };
        let other = [(GITHUB, WebhookScheme::Github), (TRACKER, WebhookScheme::Standard)];
        let other = other.into_iter().find(|(key, scheme)| stands_for(key, *scheme));
        [source, other.map_or(source, |(key, _)| key)]
    }

    /// The sources of webhooks at which nobody of `people.yaml` has a login: nobody's comments there are answers.
    pub(super) fn sources_without_people(&self) -> impl Iterator<Item = &str> {
        let sources = self.hub.webhooks.inbound.keys().map(String::as_str);
        sources.filter(|source| {
            let keys = self.login_keys(source);
            !self.people.people.values().any(|person| keys.iter().any(|key| person.login(key).is_some()))
        })
    }
}

/// Logins that stand beside the other keys of a person, under the name of a source, go to `logins`.
pub(super) fn gather_logins(people: &mut Node, sources: impl Fn(&str) -> bool) {
    let Some(Kind::Map(people)) = people.at_mut(&["people"]).map(|node| &mut node.kind) else { return };
    for person in people {
        let Kind::Map(keys) = &mut person.node.kind else { continue };
        let names: Vec<_> =
            keys.extract_if(.., |entry| !KEYS.contains(&entry.key.as_str()) && sources(&entry.key)).collect();
        for name in names {
            person.node.put(&["logins", &name.key], name.node);
        }
    }
}
