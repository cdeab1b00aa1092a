//! Whether a default leaves things as they are: no, skip, keep, wait, in many languages (`words/not-acting.txt`).

use std::sync::LazyLock;

use super::lists::{Language, languages};
use super::reading::{Clause, clauses};
use crate::lexicon::Lists;
use crate::lists::{List, NOT_ACTING, list_bits};

list_bits! {
    NO = "no", AGREE = "agree", REST = "rest", STOP = "stop", LIGHT = "light", NOT = "not", WITHOUT = "without",
    GUARD = "guard", YES = "yes", REASON = "reason", JOIN = "join", THEN = "then", OMIT = "omit", EXPOSE = "expose",
}

/// The most words after a no, `no changes for now`: what is longer says more than no.
const TAIL: usize = 5;

/// The most letters after the beginning of a text without blanks.
const UNSPACED_TAIL: usize = 12;

static LANGUAGES: LazyLock<Vec<Language>> =
    LazyLock::new(|| languages(NOT_ACTING, &NAMES).into_iter().filter(is_spaced).collect());
static UNSPACED: LazyLock<Unspaced> = LazyLock::new(Unspaced::new);

fn is_spaced(language: &Language) -> bool {
    language.name != "unspaced"
}

pub(super) fn rests(question: &str, default: &str) -> bool {
    let meant = numbered(question, default).unwrap_or(default);
    let default = unlabelled(meant);
    // `Cancel the order?` `cancel it`: what is asked is what counts.
    let default = echoed(question, default).unwrap_or_else(|| default.to_owned());
    let default = default.as_str();
    let turned = keeps(question);
    if turned && says_yes(default) {
        return true;
    }
    let says_nothing = UNSPACED.rests(default) || LANGUAGES.iter().any(|language| says_no(language, default));
    let acts = LANGUAGES.iter().any(|language| only_begins_as_no(language, default));
    says_nothing && !acts && !(turned && is_bare_no(default))
}

/// Whether a text says yes and nothing else.
pub(super) fn says_yes(text: &str) -> bool {
    let text = unlabelled(text);
    let words = plain(text);
    UNSPACED.yes.contains(&text)
        || LANGUAGES.iter().any(|language| words.len() < 5 && all_in(language, &words, YES | LIGHT, YES))
}

/// An option without the letter or number before it: `b) keep`.
pub(super) fn unlabelled(option: &str) -> &str {
    let option = option.trim().trim_start_matches('(');
    let option = option
        .strip_prefix("Option ")
        .or_else(|| option.strip_prefix("option "))
        .unwrap_or(option)
        .trim_matches(['.', '!', '"', '\'', '`', '*', '。', '！']);
    let mut letters = option.char_indices();
    match (letters.next(), letters.next()) {
        (Some((_, label)), Some((at, ')' | '.' | ':'))) if label.is_alphanumeric() && option.len() > at + 2 => {
            option[at + 1..].trim()
        }
        _ => option,
    }
}

/// What a question says behind the number that is the whole of a default: `1: all, 2: none`.
pub(super) fn numbered<'a>(question: &'a str, default: &str) -> Option<&'a str> {
    let label = default.trim();
    let mut signs = label.chars();
    let number = signs.next().filter(|sign| sign.is_alphanumeric() && signs.next().is_none())?;
    let starts = question.match_indices(number).find(|(at, _)| {
        let before = question[..*at].chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        before && question[at + number.len_utf8()..].starts_with([':', ')', '='])
    });
    let text = &question[starts?.0 + number.len_utf8() + 1..];
    let end = text.find([',', ';', '\n', '?', '.']).unwrap_or(text.len());
    Some(text[..end].trim()).filter(|text| !text.is_empty())
}

/// The question's own words, where the default says no more than its verb, and that is one that stops or leaves out.
fn echoed(question: &str, default: &str) -> Option<String> {
    let asked = clauses(question, |_| false);
    let clause = asked.iter().rfind(|clause| clause.asks).or(asked.last())?;
    let words: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
    let verb = words.iter().find(|word| !OPENERS.contains(word))?;
    let said = plain(default).first()?.to_lowercase();
    let stops = |language: &Language| language.lists_of(verb) & (STOP | OMIT) != 0;
    let at = words.iter().position(|word| word == verb)?;
    (said == *verb && LANGUAGES.iter().any(stops)).then(|| words[at..].join(" "))
}

/// Whether a question asks to keep, to wait or to protect (`Back up first?`): then yes rests and no acts.
fn keeps(question: &str) -> bool {
    let asked = clauses(question, |_| false);
    let Some(clause) = asked.iter().rfind(|clause| clause.asks).or(asked.last()) else { return false };
    let words: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
    LANGUAGES.iter().any(|language| {
        let mut at = words.iter().take_while(|word| OPENERS.contains(word)).count();
        // English alone puts the verb right behind; elsewhere it may stand at the end.
        at = at.min(words.len().saturating_sub(1));
        let rest = words.get(at..).unwrap_or_default();
        let first = language.phrase(rest).map_or_else(|| rest.first().map(ToString::to_string), |(_, it)| Some(it));
        let first = first.map_or(0, |word| language.lists_of(&word));
        let exposes = words.iter().any(|word| language.lists_of(word) & EXPOSE != 0);
        first & (REST | OMIT) != 0 && first & NO == 0 && !exposes && all_rest(language, rest)
            || words.iter().any(|word| BACKUP.contains(word)) && words.iter().any(|word| FIRST.contains(word))
    })
}

static OPENERS: List = List::of("by-default openers");
static BACKUP: List = List::of("by-default backup");
static FIRST: List = List::of("by-default first");

/// `no` and the like, alone.
fn is_bare_no(default: &str) -> bool {
    let words = plain(default);
    let alone = words.len() == 1;
    let is_no = |language: &Language| language.lists_of(words[0]) & NO != 0 && language.lists_of(words[0]) & REST == 0;
    alone && LANGUAGES.iter().any(is_no)
}

fn plain(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '!' | '.' | ';' | ':' | '(' | ')'));
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether all words are in one of `lists`, and one of them in `one`.
fn all_in(language: &Language, words: &[&str], lists: Lists, one: Lists) -> bool {
    let known: Vec<Lists> = known(language, words).into_iter().map(|(_, lists)| lists).collect();
    known.iter().all(|it| it & lists != 0) && known.iter().any(|it| it & one != 0)
}

/// The words, phrases as one, with the lists that each is in.
fn known(language: &Language, words: &[&str]) -> Vec<(String, Lists)> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let mut known = Vec::new();
    let mut rest = &lower[..];
    while let Some(first) = rest.first() {
        let (length, word) = language.phrase(rest).unwrap_or_else(|| (1, (*first).to_owned()));
        let lists = language.lists_of(&word);
        known.push((word, lists));
        rest = &rest[length..];
    }
    known
}

/// Whether each part of a text says no in this language, or only explains.
fn says_no(language: &Language, text: &str) -> bool {
    let clauses = clauses(text, |_| false);
    let mut parts = clauses.iter().flat_map(|clause| parts(language, clause)).peekable();
    let Some(first) = parts.peek() else { return false };
    rests_alone(language, first) && parts.all(|part| part_rests(language, &part))
}

/// Whether a text begins as a no and is none in this language: `no problem`, `no backup`. Another language that has the
/// same word for no does not know better.
fn only_begins_as_no(language: &Language, text: &str) -> bool {
    let clauses = clauses(text, |_| false);
    let first = clauses.iter().flat_map(|clause| parts(language, clause)).next();
    first.as_deref().map(unexplained).and_then(<[_]>::split_first).is_some_and(|((_, first), tail)| {
        let guards = tail.iter().any(|(_, lists)| lists & GUARD != 0);
        first & AGREE != 0 || first & (NO | NOT | OMIT | WITHOUT) != 0 && guards
    })
}

/// A clause, cut where a second act may begin.
fn parts(language: &Language, clause: &Clause) -> Vec<Vec<(String, Lists)>> {
    let words: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
    let known = known(language, &words);
    let parts = known.split(|(_, lists)| lists & JOIN != 0);
    parts.filter(|part| !part.is_empty()).map(<[_]>::to_vec).collect()
}

/// A part without what only explains it.
fn unexplained(part: &[(String, Lists)]) -> &[(String, Lists)] {
    let end = part.iter().skip(1).position(|(_, lists)| lists & REASON != 0).map_or(part.len(), |at| at + 1);
    &part[..end]
}

fn part_rests(language: &Language, part: &[(String, Lists)]) -> bool {
    let explains = part.first().is_some_and(|(_, lists)| lists & REASON != 0);
    let adds_nothing = part.iter().all(|(_, lists)| lists & (THEN | NO) != 0);
    explains || adds_nothing || rests_alone(language, part)
}

fn all_rest(language: &Language, words: &[&str]) -> bool {
    let known = known(language, words);
    known.split(|(_, lists)| lists & JOIN != 0).all(|part| part.is_empty() || part_rests(language, part))
}

fn rests_alone(language: &Language, part: &[(String, Lists)]) -> bool {
    let part = unexplained(part);
    let Some(((_, first), tail)) = part.split_first() else { return false };
    let guards = tail.iter().any(|(_, lists)| lists & GUARD != 0);
    let does = |list: Lists| tail.iter().any(|(_, lists)| lists & list != 0);
    if first & AGREE != 0 {
        return false;
    }
    if first & WITHOUT != 0 {
        return !guards;
    }
    if first & NOT != 0 {
        return !guards && !does(REST) && !does(STOP);
    }
    if first & NO != 0 {
        return tail.len() <= TAIL && !guards && !does(YES);
    }
    if first & REST != 0 {
        let goes_on = |(word, _): &(String, Lists)| word.ends_with("ing") && !STILL.contains(&word.as_str());
        return !tail.first().is_some_and(goes_on);
    }
    if first & OMIT != 0 {
        return !guards;
    }
    if first & STOP != 0 {
        return tail.iter().all(|(_, lists)| lists & (LIGHT | NO | REST) != 0) && !guards;
    }
    // Elsewhere the verb may stand at the end, and what forbids right before it: `die Datei nicht löschen`.
    language.name != "en" && !guards && ends_at_rest(part)
}

fn ends_at_rest(part: &[(String, Lists)]) -> bool {
    let Some(((_, last), before)) = part.split_last() else { return false };
    let forbids = before.last().is_some_and(|(_, lists)| lists & NOT != 0);
    if forbids { last & (REST | STOP | GUARD) == 0 } else { last & (REST | OMIT) != 0 }
}

/// What may be kept though it ends as an act that goes on.
static STILL: List = List::of("by-default still");

struct Unspaced {
    no: Vec<String>,
    begins: Vec<&'static str>,
    ends: Vec<String>,
    act: Vec<&'static str>,
    yes: Vec<&'static str>,
}

impl Unspaced {
    fn new() -> Self {
        const NAMES: [&str; 5] = ["no", "begins", "ends", "act", "yes"];
        let found = languages(NOT_ACTING, &NAMES).into_iter().find(|it| !is_spaced(it));
        let mut raw = found.map(|language| language.raw).unwrap_or_default();
        let mut take = |at| raw.remove(&at).unwrap_or_default();
        let whole = |words: Vec<&str>| words.into_iter().map(|word| word.replace('_', " ")).collect();
        Self { no: whole(take(0)), begins: take(1), ends: whole(take(2)), act: take(3), yes: take(4) }
    }

    fn rests(&self, text: &str) -> bool {
        let goes_on = |tail: &str| tail.chars().count() <= UNSPACED_TAIL && !tail.contains(['，', '、', ',']);
        self.no.iter().any(|word| word == text)
            || !self.act.iter().any(|word| text.contains(word))
                && (self.begins.iter().any(|word| text.strip_prefix(word).is_some_and(goes_on))
                    || self.ends.iter().any(|word| text.ends_with(word.as_str())))
    }
}
