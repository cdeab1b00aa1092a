//! What a message asks for: whom it calls, and with which text.

use std::collections::BTreeMap;

use super::message::DiscordMessage;

/// Who can be called, and by what.
#[derive(Debug, Clone, Default)]
pub struct Callees {
    /// The hub's own user.
    pub bot: u64,
    /// Targets by the id of the Discord role that calls them.
    pub by_role: BTreeMap<u64, String>,
    /// Targets by what people call them, in lower case: names of roles, their aliases, agents.
    pub by_name: BTreeMap<String, String>,
    /// Whom a mention of the bot without a name means.
    pub by_default: Option<String>,
}

/// What a message asks for.
///
/// A hint, where it calls somebody and something is missing, comes with whom it calls without words or what may have
/// been meant for a name; work with each target once, as `role:test-engineer` or the id of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionRequest {
    Nothing,
    Hint(Hint, String),
    Work { targets: Vec<String>, text: String },
}

/// Why somebody is told how it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hint {
    /// They say not what is to be done.
    NoWords,
    /// They say not to whom.
    NoName,
    /// They name somebody that nobody knows.
    UnknownName,
    /// Discord hides the text, since the hub may read only what mentions the bot itself.
    HiddenText,
    /// It is neither words nor a file.
    Unreadable,
}

pub fn asked(heard: &DiscordMessage, callees: &Callees) -> MentionRequest {
    if heard.author.is_program || heard.is_forwarded {
        return MentionRequest::Nothing;
    }
    let mut mentions = mentions(&heard.text);
    // Whoever quotes a call does not call again.
    mentions.retain(|mention| !mention.is_quoted);
    let role_of = |mention: &Mention| match mention.kind {
        Kind::Role => callees.by_role.get(&mention.id),
        Kind::User => None,
    };
    let mut targets = Vec::new();
    for target in mentions.iter().filter_map(role_of) {
        push(&mut targets, target);
    }
    // Without the intent the text of a message that mentions a role is empty, and its roles stand beside it.
    if heard.text.is_empty() {
        heard.roles.iter().filter_map(|role| callees.by_role.get(role)).for_each(|target| push(&mut targets, target));
    }
    let bot = |mention: &Mention| mention.kind == Kind::User && mention.id == callees.bot;
    if heard.text.is_empty() && !targets.is_empty() {
        return MentionRequest::Hint(Hint::HiddenText, String::new());
    }
    // In a direct message everything is said to the bot.
    let calls_bot = mentions.iter().any(bot) || heard.guild.is_none();
    if targets.is_empty() && !calls_bot {
        return MentionRequest::Nothing;
    }
    let called: Vec<_> = mentions.iter().filter(|it| bot(it) || role_of(it).is_some()).collect();
    let text = without(&heard.text, &called);
    // Commands are of servers: typed to the bot alone, one is words.
    let text = text.strip_prefix("/task ").filter(|_| heard.guild.is_none()).map_or(text.clone(), str::to_owned);
    if targets.is_empty() { of_bot(&text, callees) } else { work(targets, text) }
}

/// `FullStack: do X`, or `do X` for whoever is called by default.
fn of_bot(text: &str, callees: &Callees) -> MentionRequest {
    let first = text.split_whitespace().next().unwrap_or_default();
    let named = |name: &str| callees.by_name.get(&name.trim().trim_start_matches('@').to_lowercase());
    let by_colon = text.split_once(':').and_then(|(name, rest)| Some((named(name)?, rest)));
    let by_word = || named(first.trim_end_matches([':', ','])).map(|target| (target, &text[first.len()..]));
    match (by_colon.or_else(by_word), &callees.by_default) {
        (Some((target, rest)), _) => work(vec![target.clone()], rest.trim().to_owned()),
        (None, Some(target)) => work(vec![target.clone()], text.to_owned()),
        (None, None) => unknown(text, first),
    }
}

/// What may have been meant for a name: what stands before a colon, a mention, or the first word.
fn unknown(text: &str, first: &str) -> MentionRequest {
    let before = text.split_once(':').map(|(name, _)| name.trim());
    let before = before.filter(|name| !name.is_empty() && name.split_whitespace().count() <= 3 && !name.contains('\n'));
    match before {
        Some(name) => MentionRequest::Hint(Hint::UnknownName, name.to_owned()),
        None if first.starts_with(['@', '<']) => MentionRequest::Hint(Hint::UnknownName, first.to_owned()),
        None => MentionRequest::Hint(Hint::NoName, first.to_owned()),
    }
}

fn work(targets: Vec<String>, text: String) -> MentionRequest {
    match targets.first() {
        Some(target) if text.is_empty() => MentionRequest::Hint(Hint::NoWords, target.clone()),
        _ => MentionRequest::Work { targets, text },
    }
}

fn push(targets: &mut Vec<String>, target: &String) {
    if !targets.contains(target) {
        targets.push(target.clone());
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Role,
    User,
}

/// The text with `@NAME` for each mention whose name is known, as people read it.
pub fn with_names(text: &str, name: impl Fn(Kind, u64) -> Option<String>) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for mention in mentions(text) {
        let Some(name) = name(mention.kind, mention.id) else { continue };
        out.push_str(&text[at..mention.from]);
        out.push('@');
        out.push_str(&name);
        at = mention.to;
    }
    out.push_str(&text[at..]);
    out
}

/// A mention outside of code, and where it stands.
#[derive(Debug)]
struct Mention {
    kind: Kind,
    id: u64,
    from: usize,
    to: usize,
    /// Whether it stands in a quotation.
    is_quoted: bool,
}

/// Each mention outside of code: `<@&ID>` of a role, `<@ID>` or `<@!ID>` of a user.
fn mentions(text: &str) -> Vec<Mention> {
    let mut found = Vec::new();
    let mut at = 0;
    // `> ` quotes a line, `>>> ` all that follows.
    let (mut line_is_quoted, mut rest_is_quoted) = (false, false);
    while at < text.len() {
        let rest = &text[at..];
        if at == 0 || text[..at].ends_with('\n') {
            let line = rest.trim_start_matches(' ');
            line_is_quoted = line.starts_with("> ");
            rest_is_quoted |= line.starts_with(">>> ");
        }
        if let Some(length) = code(rest) {
            at += length;
        } else if let Some((kind, id, length)) = mention(rest) {
            let is_quoted = line_is_quoted || rest_is_quoted;
            found.push(Mention { kind, id, from: at, to: at + length, is_quoted });
            at += length;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

/// The bytes of the code that begins here, fenced or in a line; none where none does or it is not closed.
fn code(rest: &str) -> Option<usize> {
    let ticks = rest.bytes().take_while(|byte| *byte == b'`').count();
    let fence = rest.get(..ticks).filter(|fence| !fence.is_empty())?;
    let close = rest[ticks..].find(fence)?;
    Some(ticks + close + ticks)
}

fn mention(rest: &str) -> Option<(Kind, u64, usize)> {
    let inner = rest.strip_prefix("<@")?;
    let end = inner.find('>')?;
    let (kind, digits) = match &inner[..end] {
        role if role.starts_with('&') => (Kind::Role, &role[1..]),
        user => (Kind::User, user.trim_start_matches('!')),
    };
    let id = digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())??;
    Some((kind, id, end + 3))
}

fn without(text: &str, called: &[&Mention]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for mention in called {
        left.push_str(text[at..mention.from].trim_end_matches(' '));
        at = mention.to;
        if !left.is_empty() && !text[at..].starts_with([' ', '\n', ',', '.', ':']) {
            left.push(' ');
        }
    }
    left.push_str(&text[at..]);
    left.trim().trim_start_matches([',', ':']).trim().to_owned()
}
