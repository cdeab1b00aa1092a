//! Whom a text mentions, and whom that pings.

use super::model::message::Mentions;
use super::model::permission_bits::MENTION_EVERYONE;
use super::model::snowflake::Id;
use super::model::world::World;
use super::permission;

/// Which mentions count: `None` for people (all do), else `allowed_mentions` of the body.
#[derive(Debug, Clone, Default)]
pub(super) struct Allowed {
    pub(super) parse: Vec<String>,
    pub(super) users: Vec<Id>,
    pub(super) roles: Vec<Id>,
    pub(super) replied_user: bool,
}

impl Allowed {
    pub(super) fn everything() -> Self {
        let parse = ["users", "roles", "everyone"].map(String::from).into();
        Self { parse, users: Vec::new(), roles: Vec::new(), replied_user: true }
    }

    fn has(&self, kind: &str) -> bool {
        self.parse.iter().any(|parsed| parsed == kind)
    }
}

/// Reads the mentions of `content` by `author` in `guild`, as Discord does: none inside of code, roles only where they
/// are mentionable or the author may mention everyone.
pub(super) fn mentions(world: &World, author: Id, channel: Id, content: &str, allowed: &Allowed) -> Mentions {
    let text = without_code(content);
    let guild = world.channels.get(&channel).and_then(|channel| channel.guild);
    let may_all = permission::in_channel(world, author, channel) & MENTION_EVERYONE != 0;
    let mut found = Mentions::default();
    for (mark, id) in ids_in(&text) {
        let role = guild.and_then(|guild| world.guilds.get(&guild)?.roles.get(&id));
        if mark == "@&" && !found.roles.contains(&id) && role.is_some_and(|role| role.mentionable || may_all) {
            if allowed.has("roles") || allowed.roles.contains(&id) {
                found.roles.push(id);
            }
        } else if (mark == "@" || mark == "@!") && !found.users.contains(&id) && world.users.contains_key(&id) {
            if allowed.has("users") || allowed.users.contains(&id) {
                found.pinged.insert(id);
            }
            found.users.push(id);
        }
    }
    let members = guild.and_then(|guild| world.guilds.get(&guild)).map(|guild| &guild.members);
    let all = (text.contains("@everyone") || text.contains("@here")) && may_all && allowed.has("everyone");
    found.everyone = all;
    for (user, roles) in members.into_iter().flatten() {
        if all || roles.iter().any(|role| found.roles.contains(role)) {
            found.pinged.insert(*user);
        }
    }
    found.pinged.remove(&author);
    found
}

/// Every `<@id>`, `<@!id>` and `<@&id>` of `text`, in order.
fn ids_in(text: &str) -> Vec<(&str, Id)> {
    let mut found = Vec::new();
    for piece in text.split('<').skip(1) {
        let Some((inside, _)) = piece.split_once('>') else { continue };
        let digits = inside.trim_start_matches(['@', '&', '!']);
        let mark = &inside[..inside.len() - digits.len()];
        if let Ok(id) = digits.parse() {
            found.push((mark, id));
        }
    }
    found
}

/// `content` without code blocks and inline code; a fence that is not closed is text.
fn without_code(content: &str) -> String {
    let mut text = String::new();
    let mut rest = content;
    while let Some(at) = rest.find('`') {
        text.push_str(&rest[..at]);
        let fence = rest[at..].chars().take_while(|letter| *letter == '`').count();
        let (marks, behind) = rest[at..].split_at(fence);
        match behind.find(marks) {
            Some(end) => rest = &behind[end + fence..],
            None => {
                text.push_str(marks);
                rest = behind;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_inside_of_code_is_a_mention() {
        assert_eq!(ids_in(&without_code("<@&1> `<@&2>` ```\n<@3>``` <@!4> ` <@5>")), [("@&", 1), ("@!", 4), ("@", 5)]);
    }
}
