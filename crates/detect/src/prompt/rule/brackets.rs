//! Answers in brackets at the end of a line: `[Y/n]`, `(yes/no)`, `[y,n,q,?]`, `[1-3]`, `<y>?`.

use std::borrow::Cow;

use super::super::kind::PromptKind;
use super::super::rule_id::Form;
use super::action;
use super::answer::{is_no, is_pair, is_yes};
use super::choice::is_value;
use super::verbs;
use super::{Guess, Strength, View, forms};

/// The last groups in brackets say what may be answered.
pub(super) fn groups(view: View<'_>) -> Option<Guess> {
    // Some put the cursor between the brackets.
    let whole = match view.line.after.as_str() {
        "" => Cow::Borrowed(view.line.trimmed()),
        after => Cow::Owned(format!("{}{after}", view.line.trimmed())),
    };
    let alone = || groups_of(view.line.trimmed()).filter(|_| !view.line.after.is_empty()).or_else(|| drawn_over(view));
    // What another screen left behind the cursor belongs to no question.
    groups_of(whole.as_ref()).or_else(alone)
}

/// `Delete it? [y/N]12:30 5 items`: a question that a full screen draws over the row that it has for such things.
fn drawn_over(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let end = ["? [y/n]", "? (y/n)"].iter().find_map(|form| Some(lower.find(form)? + form.len()))?;
    let question = lower.get(..end).filter(|_| view.sight.alternate)?;
    Some(groups_of(question)?.on_screen(Some(question.to_owned())))
}

fn groups_of(text: &str) -> Option<Guess> {
    let mut rest = text;
    for _ in 0..3 {
        let (inner, before) = last_group(rest)?;
        if let Some(guess) = read(inner, before, text) {
            // `Apply it? (y, n, q) [y]`: the default of more than two.
            let whole = || last_group(before).and_then(|(all, head)| read(all, head, before));
            let several = || whole().filter(|whole| whole.kind == PromptKind::Choice);
            let default = guess.form == Form::Default && before.ends_with([')', ']']);
            return default.then(several).flatten().or(Some(guess));
        }
        // `a.txt is OK   [d] (?=help)`
        if inner == "?=help" && before.ends_with(']') && before.contains('[') {
            return Some(Guess::new(PromptKind::Choice, Form::Helped, Strength::Likely));
        }
        // `Continue [yN]  Details [d]`: what stands before a key is its name.
        let named = inner.chars().count() == 1 && before.ends_with(char::is_alphanumeric);
        rest = if named { before.trim_end_matches(char::is_alphanumeric).trim_end() } else { before };
    }
    None
}

/// The last group in brackets, where only ends of prompts follow it, and what stands before it.
fn last_group(text: &str) -> Option<(&str, &str)> {
    // `[ynW...], or ? for more options: ` says where the help is.
    let text = text.find(", or ? for ").map_or(text, |at| &text[..at]);
    // `[Ynq?], [H]elp:` says so, too.
    let text = text.rfind("], [").filter(|at| text.len() - at <= 12).map_or(text, |at| &text[..=at]);
    // `(y/n) Default is n.`
    let told = [" default is ", " default: ", " default "].iter().find_map(|word| text.to_lowercase().rfind(word));
    let alone = |at: &usize| text.get(*at..).is_some_and(|rest| rest.len() <= 16 && !rest.contains([')', ']', '}']));
    let text = told.filter(alone).map_or(text, |at| &text[..at]);
    let body =
        text.trim_end_matches([' ', ':', '?', '>', '.', '*', '›', '‣', '»', '…', '-', '=', '$', '"', '：', '？']);
    let body = ["false", "true"].iter().find_map(|word| body.strip_suffix(word)).map_or(body, str::trim_end);
    // `(y/n) › no`: the default, as it is drawn.
    let drawn = ["› yes", "› no", "‣ yes", "‣ no"].iter().find_map(|word| body.strip_suffix(word));
    let body = drawn.map_or(body, str::trim_end);
    let body = body.trim_end_matches([' ', '‣', '›']);
    let close = body.chars().next_back().filter(|c| matches!(c, ')' | ']' | '}' | '>' | '）'))?;
    // `<y>?` has lost its end to what was trimmed; look at the text itself then.
    let (mut depth, mut open) = (0_usize, None);
    for (at, c) in body.char_indices().rev() {
        match c {
            ')' | ']' | '}' | '）' => depth += 1,
            '(' | '[' | '{' | '（' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && c != close {
            open = Some((at, c));
            break;
        }
    }
    let (at, c) = open?;
    let inner = body.get(at + c.len_utf8()..body.len() - close.len_utf8())?;
    Some((inner, body[..at].trim_end()))
}

fn read(inner: &str, before: &str, text: &str) -> Option<Guess> {
    // `[default: y]`
    let default = inner.strip_prefix("default").map(|rest| rest.trim_start_matches([':', '=', ' ']));
    // `Compare them? (* n *) :`
    let starred = inner.strip_prefix("* ").and_then(|rest| rest.strip_suffix(" *")).filter(|_| before.ends_with('?'));
    let answers_it = |default: Option<&str>| default.is_some_and(|answer| is_yes(answer) || is_no(answer));
    rows! {
        answers_it(starred) || answers_it(default) && action::asks(&before.to_lowercase()) => YesNo Default Likely;
        forms::fits("such-as", inner) => None;
        text.ends_with('>') && text[before.len()..].starts_with('(') && is_name(before) => None;
        let answers = answers(inner);
        let yes = answers.iter().any(|answer| is_yes(answer));
        let no = answers.iter().any(|answer| is_no(answer));
        // Braces hold what a shell puts together, too.
        text[before.len()..].trim_start().starts_with('{') && !(yes && no) => None;
    }
    let others = answers.iter().filter(|answer| !is_yes(answer) && !is_no(answer) && !is_help(answer)).count();
    let pair = matches!(answers.as_slice(), [first, second] if is_pair(first, second));
    let (yes, no, others) = if pair { (true, true, 0) } else { (yes, no, others) };
    let separated = inner.contains(['/', '|', ',']) || inner.contains(" or ") || answers.len() == 2;
    if yes && no && separated && (others == 0 || inner.to_lowercase().contains("fingerprint")) {
        let rule = if others == 0 { Form::Brackets } else { Form::HostKey };
        return Some(Guess::new(PromptKind::YesNo, rule, Strength::Sure).choices(answers));
    }
    rows! {
        is_said_of_a_value(inner, &before.to_lowercase()) || inner.contains('*') => None;
        // `0 = in, 1 = out`
        let means = |part: &str| part.split_once('=').is_some_and(|(key, _)| (1..=2).contains(&key.trim().len()));
        answers.len() >= 2 && !yes && !no && inner.split(',').all(means) => Choice Brackets Sure answers;
        // `y/n, Return cancels, i for more`
        let told = answers.len() > 2 && answers[2..].iter().any(|answer| answer.contains(' '));
        yes && no && separated && told && is_yes(&answers[0]) && is_no(&answers[1])
            => YesNo Brackets Sure answers[..2].to_vec();
    }
    let short = answers.iter().all(|answer| answer.chars().count() <= 24);
    let mut parts = inner.split_whitespace();
    let no_links = !inner.contains("://") && !parts.any(|part| part.len() > 2 && part.starts_with(['/', '~', '.']));
    if answers.len() >= 3 && separated && short && no_links && answers.iter().all(|answer| is_answer(answer)) {
        return Some(Guess::new(PromptKind::Choice, Form::Brackets, Strength::Sure).choices(answers));
    }
    if let [only] = answers.as_slice()
        && matches!(only.to_lowercase().as_str(), "y" | "n" | "yes" | "no")
        && text[before.len()..].starts_with(char::is_whitespace)
        && (before.ends_with('?') || text.ends_with(['?', ':', ' ']) || action::asks(&before.to_lowercase()))
        && !(only.len() == 1 && before.to_lowercase().starts_with("enter "))
    {
        return Some(Guess::new(PromptKind::YesNo, Form::Default, Strength::Likely));
    }
    let picks = || action::picks(&before.to_lowercase()) || before.ends_with('?') && inner.contains(['/', '|']);
    // `In which folder? (src/components)`
    let place = inner.contains('/') && super::path::names_path(&before.to_lowercase());
    rows! {
        answers.len() == 2 && separated && short && no_links && picks() && !yes && !no && !place
            => Choice Brackets Likely answers;
        // Some devices take a line end for a yes.
        inner.eq_ignore_ascii_case("confirm") && before.ends_with('?') => YesNo Confirm Sure;
        // `[ynYN]`, `(ynH)`
        forms::fits("yn", inner) => YesNo Letters Likely;
        is_keys(inner) || is_yes_and_more(inner) => Choice Letters Likely;
    }
    // `How many of you play? (2-5)`
    let lower = before.to_lowercase();
    let counts =
        ["how many", "wie viele", "cuánt", "combien", "quant", "сколько"].iter().any(|words| lower.contains(words));
    (forms::fits("range", inner) && !counts).then(|| Guess::new(PromptKind::Choice, Form::Range, Strength::Likely))
}

/// `Enter a name (letters, digits)`, `Base path (return=/srv/www)`, `Search base [dc=example,dc=com]`.
fn is_said_of_a_value(inner: &str, before: &str) -> bool {
    let told = inner.contains(", ") && !inner.contains('/') && verbs::gives(before) && is_value(before);
    let mut keys = inner.split(',').map(|part| part.split('=').next().unwrap_or_default().trim());
    let named = inner.contains('=') && keys.next().is_some_and(|first| keys.any(|key| key == first));
    // `Locales? (comma-separated) (en,de,fr)`: several of them, and others.
    let several = before.contains("comma-separated") || before.contains("comma separated");
    told || named || several || inner.contains("=/") || inner.contains("=~")
}

/// `scanner(http/login) > `: the group belongs to a name.
fn is_name(before: &str) -> bool {
    before.ends_with(|c: char| c.is_alphanumeric())
}

/// The answers in a group. `yN` is two.
fn answers(inner: &str) -> Vec<String> {
    // `y/n: y`, with the default behind it.
    let inner =
        inner.split_once(": ").map(|(head, _)| head).filter(|head| matches!(*head, "y/n" | "Y/N")).unwrap_or(inner);
    let plain: String = inner.chars().filter(|c| !matches!(c, '[' | ']' | '(' | ')' | '\'' | '"' | '`')).collect();
    let lower = plain.to_lowercase();
    if matches!(lower.as_str(), "yn" | "ny" | "jn" | "on" | "sn") && plain.len() == 2 && plain != "on" && plain != "On"
    {
        return plain.chars().map(String::from).collect();
    }
    if let Some((first, second)) = plain.split_once(['-', ' ', ':', '\\']).filter(|_| plain.len() <= 7)
        && (is_yes(first) && is_no(second) || is_no(first) && is_yes(second))
    {
        return vec![first.to_owned(), second.to_owned()];
    }
    let parts = plain.split(['/', '|', ',']).flat_map(|part| part.split(" or ")).map(|part| meaning(part.trim()));
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// `Esc = NO`: what the key stands for, where that is a yes or a no. `Yy` is one letter.
fn meaning(part: &str) -> &str {
    let mut letters = part.chars();
    if let (Some(first), Some(second), None) = (letters.next(), letters.next(), letters.next())
        && first != second
        && first.eq_ignore_ascii_case(&second)
    {
        return &part[..first.len_utf8()];
    }
    let stands_for = part.split_once('=').map(|(_, means)| means.trim());
    stands_for.filter(|means| is_yes(means) || is_no(means)).unwrap_or(part)
}

fn is_help(answer: &str) -> bool {
    matches!(answer, "?" | "h" | "help" | "..." | "…" | "^C" | "^c")
}

/// One word, or a few: what a person would type.
fn is_answer(answer: &str) -> bool {
    answer.split_whitespace().count() <= 2 && (answer.len() == 1 || !answer.ends_with(['.', ';']))
}

/// `aArRoOsSq`, `yaxH`: one letter for each answer.
fn is_keys(inner: &str) -> bool {
    let (inner, more) = inner.strip_suffix("...").map_or((inner, false), |inner| (inner, true));
    if more && inner.starts_with("yn") {
        return true;
    }
    let letters = (3..=16).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_alphabetic() || b == b'?');
    let mut seen = [false; 128];
    let distinct = inner.bytes().filter(|b| b.is_ascii()).all(|b| !std::mem::replace(&mut seen[usize::from(b)], true));
    let mixed = inner.bytes().any(|b| b.is_ascii_uppercase()) && inner.bytes().any(|b| b.is_ascii_lowercase());
    let vowels = inner.bytes().filter(|b| b"aeiouAEIOU".contains(b)).count();
    letters && distinct && mixed && !inner[1..].bytes().all(|b| b.is_ascii_lowercase()) && vowels <= inner.len() / 2
}

/// `nyae`: yes, no, and other letters; a word that happens to have them is none.
fn is_yes_and_more(inner: &str) -> bool {
    // The default may be a capital, where it comes first.
    let lower = inner.strip_prefix("Yn").map(|rest| format!("yn{rest}"));
    let inner = lower.as_deref().unwrap_or(inner);
    let letters = (3..=8).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_lowercase() || b == b'?');
    let distinct = inner.bytes().enumerate().all(|(at, b)| !inner.as_bytes()[..at].contains(&b));
    let word = forms::fits("yn-word", inner);
    letters && distinct && !word && inner.contains('y') && inner.contains('n')
}

#[cfg(test)]
mod tests;
