//! Whether a question whose default acts is known to do no harm: whether each verb of it is known, does something that
//! can be looked at or taken back, and does it to what lies on the spot (`words/harmless.txt`).
//!
//! A verb is recognised by its place: at the beginning of a clause, behind `to`, `should I`, `and then`, or right
//! before `the`; in languages that bend their verbs, also by its ending. A word in such a place that no list knows is
//! doubt. A noun that no list knows is no doubt by itself, but nothing is edited or run that is not known.

use std::sync::LazyLock;

use super::lists::{Language, languages};
use super::not_acting::{numbered, says_yes, unlabelled};
use super::reading::{Clause, Shape, Word, clauses};
use crate::danger::find_in;
use crate::lexicon::Lists;
use crate::lists::{HARMLESS, List, list_bits};

list_bits! {
    LOOK = "look", EDIT = "edit", RUN = "run", TRIM = "trim", USE = "use", COPULA = "copula", THING = "thing",
    JOB = "job", TRIFLE = "trifle", PLAIN_WORD = "plain", BEFORE = "before", JOIN = "join", THE = "the", OF = "of",
    WHICH = "which", ENDINGS = "ending", OUTSIDE = "outside", NEVER = "never", COMMANDS = "commands", WHERE = "where",
    DEAR = "dear", MINE = "mine", WITHOUT = "without", VALUE = "value", PAPER = "paper",
}
const PLAIN: Lists = PLAIN_WORD | VALUE;
const VERBS: Lists = LOOK | EDIT | RUN | TRIM | USE | COPULA | COMMANDS;

/// The endings of files that hold text are a list of their own, asked for before words are read.
const FILES: [&str; 1] = ["files"];

/// The most words of a question that asks for leave to do what was said before it.
const REFERS: usize = 2;

/// The most words of an option that stands in the question.
const OFFERED: usize = 3;

/// The most words that are taken for a noun where an option may be one.
const NOUN: usize = 6;

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| languages(HARMLESS, &NAMES));
static TEXT_FILES: LazyLock<Vec<Language>> = LazyLock::new(|| languages(HARMLESS, &FILES));

/// Whether it is known that no harm is done when this default applies.
pub(super) fn is_known(question: &str, options: &[String], default: &str) -> bool {
    let hidden = options.iter().map(String::as_str).chain([question, default]).any(hides);
    if hidden || find_in(&[question, default]).is_some() {
        return false;
    }
    let (question_text, question) = (question, read(question));
    let options: Vec<Vec<Clause>> = options.iter().map(|option| read(option)).collect();
    let clauses = read(unlabelled(numbered(question_text, default).unwrap_or(default)));
    let default = Default { yes: says_yes(default) || repeats(&question, &clauses), clauses };
    LANGUAGES.iter().any(|language| {
        let is_english = language.name == "en";
        let choice = !default.yes;
        let asked = ReadingContext {
            language,
            is_english,
            options: &options,
            choice,
            values: false,
            asks: true,
            thing: false,
            noun: false,
        };
        let values =
            choice && !options.is_empty() && options.iter().chain([&default.clauses]).all(|it| asked.is_value(it));
        ReadingContext { values, ..asked }.harmless(&question, &default)
    })
}

/// Whether a text may say something else than it shows: signs that are not drawn or turn the direction, Latin letters
/// among Greek or Cyrillic ones in a word, a command that a shell would run.
fn hides(text: &str) -> bool {
    let unseen =
        |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    let mixed = |word: &str| {
        word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(|c| matches!(c, '\u{370}'..='\u{52f}'))
    };
    text.contains(unseen) || text.contains("$(") || text.split_whitespace().any(mixed)
}

fn read(text: &str) -> Vec<Clause> {
    clauses(text, |ending| TEXT_FILES.first().is_some_and(|files| files.lists_of(ending) != 0))
}

/// Whether a default only says again what is asked: `Retry the build now?` `retry it`.
fn repeats(question: &[Clause], default: &[Clause]) -> bool {
    let [Clause { words, .. }] = default else { return false };
    let all = question.iter().all(|clause| !clause.asks);
    let asked: Vec<&Clause> = question.iter().filter(|clause| clause.asks || all).collect();
    let says = |said: &str| asked.iter().flat_map(|clause| &clause.words).any(|word| word.text == said);
    let has = |word: &Word| ECHOES.contains(&word.text.as_str()) || says(&word.text);
    words.first().is_some_and(|word| says(&word.text)) && words.iter().all(has) && !says("or")
}

/// What a default may add to what is asked.
static ECHOES: List = List::of("by-default echoes");

struct Default {
    yes: bool,
    clauses: Vec<Clause>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// Something that is not known to be harmless.
    Doubt,
    Nothing,
    /// Of an act that does no harm.
    Harmless,
    Choice,
}

struct KnownWord<'a> {
    word: &'a Word,
    lists: Lists,
    /// How many words of the text it is.
    length: usize,
}

impl KnownWord<'_> {
    fn is(&self, lists: Lists) -> bool {
        self.lists & lists != 0
    }

    fn is_named(&self) -> bool {
        matches!(self.word.shape, Shape::Name | Shape::Command)
    }

    fn is_unknown(&self) -> bool {
        self.lists == 0 && self.word.shape == Shape::Plain
    }
}

/// Whether a clause without a verb asks for one of several: `Which database`, `Seed for the generator`, `Red or blue`,
/// and where the options are values also `Sample rate of the example`.
fn asks_for_a_noun(words: &[KnownWord<'_>], values: bool) -> bool {
    let Some(first) = words.first() else { return false };
    let second = |lists: Lists| words.get(1).is_some_and(|word| word.is(lists));
    let named = first.is(WHICH) && (words.len() == 1 || second(THING)) || first.is(THING) && second(OF);
    let unknown = words.iter().filter(|word| word.is_unknown()).count();
    let joins = words.iter().any(|word| word.is(JOIN));
    let which = words.iter().any(|word| word.is(WHICH));
    let thing = words.iter().any(|word| word.is(THING));
    named || which && unknown <= usize::from(!joins) || values && which && thing
}

#[derive(Clone, Copy)]
struct ReadingContext<'a> {
    language: &'a Language,
    is_english: bool,
    options: &'a [Vec<Clause>],
    /// The default is one of several, and not a yes.
    choice: bool,
    /// Each option is a colour, a number, a size, a level, a format, or the name of a file or of something in code.
    values: bool,
    asks: bool,
    /// `it` stands for a thing that was spoken of.
    thing: bool,
    /// What begins with an unknown word may be a noun.
    noun: bool,
}

impl ReadingContext<'_> {
    fn harmless(self, question: &[Clause], default: &Default) -> bool {
        let speaks = |clause: &Clause| self.known(clause).iter().any(|word| word.is(THING | JOB) || word.is_named());
        let asks = |clause: &Clause| clause.asks || question.iter().all(|clause| !clause.asks);
        let this = Self { thing: question.iter().any(speaks), ..self };
        let any_never =
            self.options.iter().flatten().any(|clause| self.known(clause).iter().any(|word| self.is_never(word)));
        let verdicts: Vec<Verdict> =
            question.iter().map(|clause| Self { asks: asks(clause), ..this }.judge(clause)).collect();
        if any_never || verdicts.contains(&Verdict::Doubt) {
            return false;
        }
        let mut asked = question.iter().zip(&verdicts).filter(|(clause, _)| asks(clause)).map(|(_, verdict)| *verdict);
        let (acts, chooses) = (asked.clone().any(|it| it == Verdict::Harmless), asked.any(|it| it == Verdict::Choice));
        // `I'd rename it. Fine?` asks for what was said before.
        let refers = question.iter().filter(|clause| asks(clause)).all(|clause| clause.words.len() <= REFERS);
        let acts = acts || refers && default.yes && verdicts.contains(&Verdict::Harmless);
        if default.yes {
            return acts;
        }
        let this = Self { noun: chooses, ..this };
        if self.values && chooses {
            return true;
        }
        // A letter that nothing in the question explains.
        if default.clauses.iter().all(|it| it.words.iter().all(|word| word.text.chars().count() == 1)) && !this.values {
            return false;
        }
        let mut said = default.clauses.iter().map(|clause| this.judge(clause));
        let act = said.clone().any(|verdict| verdict == Verdict::Harmless);
        !said.any(|verdict| verdict == Verdict::Doubt) && (act || chooses)
    }

    fn judge(self, clause: &Clause) -> Verdict {
        let words = self.known(clause);
        // `without marking any`: what is known to do harm was looked for in the whole text.
        if words.first().is_some_and(|word| word.is(WITHOUT)) && words.len() > 1 {
            return Verdict::Nothing;
        }
        let verbs = self.verbs(&words);
        let looks = |at: &usize| words[*at].is(LOOK | COMMANDS) && self.is_verbs_place(&words, *at);
        let looks = self.asks && !verbs.is_empty() && verbs.iter().all(looks);
        let doubt = |at: usize| {
            self.is_never(&words[at]) || !looks && self.is_dear(&words[at]) || self.may_be_a_verb(&words, at)
        };
        if (0..words.len()).any(doubt) {
            return Verdict::Doubt;
        }
        if verbs.is_empty() {
            let noun = asks_for_a_noun(&words, self.values) || self.is_headed_by_a_thing(&words);
            let noun = clause.asks && self.choice && noun;
            return if noun { Verdict::Choice } else { Verdict::Nothing };
        }
        // `Continue with the tests` is an act, `How should I continue` is none.
        let which = words.iter().any(|word| word.is(WHICH));
        let (harmless, other): (Vec<usize>, Vec<usize>) =
            verbs.into_iter().partition(|at| self.is_harmless(&words, *at, which));
        // `The issue says nothing of it` only tells.
        let tells = |at: &usize| words[*at].is(PLAIN) || !self.asks && words[*at].is(COPULA);
        if !other.iter().all(tells) {
            return Verdict::Doubt;
        }
        if harmless.is_empty() {
            Verdict::Nothing
        } else if which && self.choice {
            Verdict::Choice
        } else {
            Verdict::Harmless
        }
    }

    /// Whether an option is a value: nothing is done by naming it.
    fn is_value(self, option: &[Clause]) -> bool {
        let [clause] = option else { return false };
        let words = self.known(clause);
        let named = |word: &KnownWord<'_>| matches!(word.word.shape, Shape::Name | Shape::Number) || word.is(VALUE);
        words.len() <= OFFERED && words.iter().all(|word| named(word) && !self.is_never(word) && !self.is_dear(word))
    }

    /// Whether values are asked for by a noun alone: `Terminal theme for the recording`, `Name of the guide`.
    fn is_headed_by_a_thing(self, words: &[KnownWord<'_>]) -> bool {
        let head = words.iter().take_while(|word| !word.is(OF)).take(NOUN).last();
        self.values && self.is_english && head.is_some_and(|word| word.is(THING))
    }

    fn verbs(self, words: &[KnownWord<'_>]) -> Vec<usize> {
        // `Name for the variable`, `Effort estimate`.
        let nouns =
            if self.is_headed_by_a_thing(words) { words.iter().take_while(|word| !word.is(OF)).count() } else { 0 };
        let is_verb = |at: &usize| *at >= nouns && words[*at].is(VERBS) && self.is_verbs_place(words, *at);
        let verbs: Vec<usize> = (0..words.len()).filter(is_verb).collect();
        if !verbs.is_empty() {
            return verbs;
        }
        // `Should the parser return …`: the verb stands behind its subject.
        let behind = |at: &usize| *at > 0 && words[*at].is(USE | COPULA | LOOK) && !words[*at - 1].is(THE);
        (nouns..words.len()).find(behind).into_iter().collect()
    }

    fn known<'a>(&self, clause: &'a Clause) -> Vec<KnownWord<'a>> {
        let texts: Vec<&str> = clause.words.iter().map(|word| word.text.as_str()).collect();
        let mut known = Vec::new();
        let mut at = 0;
        while at < texts.len() {
            let phrase = self.language.phrase(&texts[at..]);
            let (length, text) = phrase.unwrap_or_else(|| (1, texts[at].to_owned()));
            let owner = text.strip_suffix("'s").unwrap_or(&text);
            known.push(KnownWord { word: &clause.words[at], lists: self.language.lists_of(owner), length });
            at += length;
        }
        known
    }

    /// Whether with this word nothing is known to be harmless.
    fn is_never(self, known: &KnownWord<'_>) -> bool {
        let word = known.word;
        match word.shape {
            Shape::Outside => true,
            Shape::Command => self.is_foreign_command(&word.text),
            Shape::Name | Shape::Capital | Shape::Number | Shape::Plain => {
                let english = LANGUAGES.iter().filter(|language| language.name == "en");
                let mut all = english.chain([self.language]);
                let parts = || word.text.split(['-', '_', '/', '.', ':']).filter(|part| !part.is_empty());
                known.is(NEVER)
                    || known.length == 1
                        && all.any(|language| {
                            language.lists_of(&word.text) & NEVER != 0
                                || parts().any(|part| language.lists_of(part) & NEVER != 0) && !known.is(!NEVER)
                        })
            }
        }
    }

    fn is_dear(self, known: &KnownWord<'_>) -> bool {
        let text = known.word.text.as_str();
        let english = LANGUAGES.iter().filter(|language| language.name == "en");
        let parts = || text.split(['-', '_', '/', '.', ':']).filter(|part| !part.is_empty());
        let mut all = english.chain([self.language]);
        known.is(DEAR)
            || known.length == 1
                && !known.is(!DEAR)
                && all.any(|language| {
                    language.lists_of(text) & DEAR != 0 || parts().any(|part| language.lists_of(part) & DEAR != 0)
                })
    }

    fn is_foreign_command(self, line: &str) -> bool {
        let words: Vec<&str> = line.split_whitespace().collect();
        let first = words.first().map_or(0, |word| self.language.lists_of(word));
        let phrase = self.language.phrase(&words).map_or(0, |(_, phrase)| self.language.lists_of(&phrase));
        (first | phrase) & COMMANDS == 0 || words.iter().any(|word| self.language.lists_of(word) & NEVER != 0)
    }

    /// Whether an unknown word stands where a verb may stand.
    fn may_be_a_verb(self, words: &[KnownWord<'_>], at: usize) -> bool {
        let known = &words[at];
        let before = at.checked_sub(1).map(|at| &words[at]);
        let text = known.word.text.as_str();
        let plural = self.is_english && text.ends_with('s') && !text.ends_with("ss");
        if known.is(THING | JOB | TRIFLE) && !known.is(VERBS | PLAIN) {
            // A noun that is used as a verb: `Should I answer her`, `Page the doctor`.
            let next_the = words.get(at + 1).is_some_and(|next| next.is(THE));
            return match before {
                Some(before) if before.is(JOIN | THE | OF | PLAIN) && !before.is(BEFORE) => false,
                Some(before) => before.is(BEFORE) && !before.is(JOIN) || next_the && before.lists == 0,
                None => next_the,
            } && known.length == 1
                && !plural;
        }
        if !known.is_unknown() {
            return false;
        }
        let bends = |endings: &Vec<&str>| endings.iter().any(|ending| text.ends_with(ending));
        let ending = self.language.raw.get(&(ENDINGS.trailing_zeros() as usize)).is_some_and(bends);
        let noun = self.noun && at == 0 && words.len() <= NOUN && !words.get(1).is_some_and(|next| next.is(THE));
        let noun = noun || at == 0 && self.is_headed_by_a_thing(words);
        let told = at > 0 && TELLERS.contains(&words[at - 1].word.text.as_str());
        // `Git has it anyway`: what begins a statement is what it speaks of.
        let subject = !self.asks && at == 0 && words.get(1).is_some_and(|next| next.is(COPULA));
        let past = self.is_english && text.ends_with("ed") && (!self.asks || told);
        ending || !noun && !past && !subject && self.is_verbs_place(words, at) && !self.is_offered(words, at)
    }

    /// Whether this is one of the options, and they are nouns to choose from: `Should I use threads or fibers`.
    fn is_offered(self, words: &[KnownWord<'_>], at: usize) -> bool {
        let is_noun = |clause: &Clause| {
            let known = self.known(clause);
            known.len() <= OFFERED && !known.iter().any(|word| word.is(THE))
        };
        let has = |clause: &Clause| clause.words.iter().any(|word| word.text == words[at].word.text);
        let offered = self.options.iter().any(|option| matches!(&option[..], [one] if is_noun(one) && has(one)));
        offered && self.choice && at > 1 && words[at - 1].is(JOIN) && words[..at].iter().any(|word| word.is(USE))
    }

    fn is_verbs_place(self, words: &[KnownWord<'_>], at: usize) -> bool {
        let Some(before) = at.checked_sub(1).map(|at| &words[at]) else { return true };
        let noun_behind_join = before.is(JOIN) && words[at].is(THING | JOB);
        let before_the = !before.is(THE) && words.get(at + 1).is_some_and(|next| next.is(THE));
        // `Which colour should …`: no verb stands right behind, and none behind `the`.
        let bent = !self.is_english && words[at].is(VERBS);
        before.is(BEFORE) && !noun_behind_join || before_the || bent
    }

    /// Whether what this verb does to what stands behind it is harmless.
    fn is_harmless(self, words: &[KnownWord<'_>], at: usize, which: bool) -> bool {
        let verb = &words[at];
        let object = self.object(words, at);
        let has = |list: Lists| object.iter().any(|word| word.is(list));
        let mine = words.iter().any(|word| word.is(MINE));
        let named = object.iter().any(KnownWord::is_named);
        let command = object.iter().any(|word| word.word.shape == Shape::Command || word.is(COMMANDS));
        let spoken_of = self.thing && object.iter().any(|word| PRONOUNS.contains(&word.word.text.as_str()));
        let outside = words.iter().any(|word| word.is(OUTSIDE) && !word.is_named()) || self.is_elsewhere(words, at);
        let thing_anywhere = words.iter().any(|word| word.is(THING | JOB) || word.is_named());
        let choice = which && self.choice;
        verb.is(LOOK | COMMANDS)
            || verb.is(EDIT | COPULA) && has(PAPER) && !words.iter().any(|word| word.is(OUTSIDE) && !word.is(PAPER))
            || verb.is(EDIT) && (mine || !outside && (has(THING) || named && !command || spoken_of))
            || verb.is(RUN) && (mine && (has(JOB) || has(THING)) || !outside && (has(JOB) || command))
            || verb.is(TRIM) && !outside && has(TRIFLE)
            || verb.is(USE) && (choice || !outside && (has(THING) || named || spoken_of))
            || verb.is(COPULA) && thing_anywhere && (choice || !outside)
    }

    /// Whether a verb leads to a place that is not known; where places are not listed, whether any word is not.
    fn is_elsewhere(self, words: &[KnownWord<'_>], at: usize) -> bool {
        if !self.is_english {
            return words.iter().any(|word| word.is_unknown() || word.word.shape == Shape::Capital && word.lists == 0);
        }
        let behind = &words[at + 1..];
        let places = behind.iter().enumerate().filter(|(_, word)| word.is(WHERE)).map(|(at, _)| &behind[at + 1..]);
        places.into_iter().any(|place| {
            let words = || place.iter().take_while(|word| !word.is(OF));
            words().any(|word| word.lists == 0) && !words().any(|word| word.is(THING | JOB) || word.is_named())
        })
    }

    /// The words about a verb's object: up to the next preposition where the language has such a list, else the clause.
    fn object<'a, 'b>(self, words: &'b [KnownWord<'a>], at: usize) -> &'b [KnownWord<'a>] {
        if !self.is_english {
            return words;
        }
        let behind = &words[at + 1..];
        let start = behind.iter().take_while(|word| word.is(OF)).count();
        let end = behind[start..].iter().position(|word| word.is(OF)).map_or(behind.len(), |end| start + end);
        let of = behind.get(end).is_some_and(|word| word.word.text == "of");
        // What a thing is part of counts, too: `the test of the sprinklers`.
        let whole = behind.get(end + 1..).unwrap_or_default().iter().take_while(|word| !word.is(OF));
        let unknown = whole.clone().any(KnownWord::is_unknown) && !whole.clone().any(|word| word.is(THING | JOB));
        if of && unknown { &[] } else { &behind[..end] }
    }
}

/// Stand before what was done already: `the lines that I added`.
static TELLERS: List = List::of("by-default tellers");

/// Stand for what was spoken of.
static PRONOUNS: List = List::of("by-default pronouns");
