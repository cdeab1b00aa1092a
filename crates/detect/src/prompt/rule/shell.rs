//! Shells, interpreters, debuggers: something that takes a command and asks for the next.

use super::super::kind::PromptKind;
use super::super::line::words;
use super::super::rule_id::Form;
use super::super::screen_view::ShellMark;
use super::{Guess, Strength, View};
use crate::lists::List;

/// The most characters of a shell's own prompt.
const LONGEST: usize = 100;

/// The shell itself says that it waits.
pub(super) fn by_mark(view: View<'_>) -> Option<Guess> {
    let waits = view.sight.mark == Some(ShellMark::Input);
    waits.then(|| command(Form::ShellMark, Strength::Sure))
}

/// The words ask for a command: `Command (m for help):`, `What now>`.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let asks = lower.ends_with([':', '>', '?']);
    rows! {
        (asks || view.line.makes_room()) && lower.contains("for help)") => Command ForHelp Sure;
        let now = ["what now", "what next", "now what"].contains(&lower.trim_end_matches([':', '>', '?', ' ']));
        asks && now && super::listed::listed(view).len() < 2 => Command WhatNow Likely;
        asks && lower.contains("option") && lower.contains("argument") && lower.chars().count() <= 40
            => Command Words Likely;
        view.line.makes_room() && (is_counted_in(view.line.trimmed()) || is_face(lower)) => Command Counted Likely;
        lower.ends_with(':') && view.line.makes_room() && is_counted_or_dotted(lower) => Command Name Fair;
        asks && is_banner(view) => Command Banner Likely;
        // `Coin:` below `Enter ? for list of commands or help`.
        let alone = lower.strip_suffix(':');
        let alone = alone.is_some_and(|name| name.len() >= 2 && name.chars().all(char::is_alphanumeric));
        alone && view.above().take(HELP).any(|row| tells_of_help(&row.to_lowercase())) => Command Name Likely;
    }
    let named = words(lower).any(|word| matches!(word, "command" | "cmd" | "befehl" | "commande"));
    (asks && named && lower.chars().count() <= 40).then(|| command(Form::Words, Strength::Likely))
}

/// How far above an interpreter's first prompt its banner may say how help is had.
const HELP: usize = 4;

/// `Type ? for a list of commands`, `Enter help for more`.
fn tells_of_help(lower: &str) -> bool {
    let lists = ["list of commands", "list commands", "available commands"].iter().any(|words| lower.contains(words));
    let help = ["type help", "type 'help'", "type \"help\"", "enter help", "type ?", "enter ?"];
    lists || help.iter().any(|words| lower.contains(words))
}

/// `black(1):` and `kadmin.local:`: no label of a form looks like that.
fn is_counted_or_dotted(lower: &str) -> bool {
    let name = lower.trim_end_matches(':');
    let letters = |text: &str| text.len() >= 2 && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let named = ["sage", "ktutil", "kadmin", "boot", "lilo boot"].contains(&name);
    let counted = name.strip_suffix(')').and_then(|rest| rest.split_once('(')).is_some_and(|(word, number)| {
        letters(word) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    });
    // `casa <1>`
    let numbered = name.strip_suffix('>').and_then(|rest| rest.split_once(" <")).is_some_and(|(word, number)| {
        letters(word) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    });
    named
        || counted
        || numbered
        || name.split_once('.').is_some_and(|(first, second)| letters(first) && second.len() > 3 && letters(second))
}

/// `In[1]:=`, `i1 :`, `main[1]`, `[zk: localhost:2181(CONNECTED) 0]`, `root [0]`: a counter where others have a sign.
fn is_counted_in(line: &str) -> bool {
    // `foma[1]:`
    let line = line.strip_suffix("]:").map_or(line, |_| &line[..line.len() - 1]);
    let digits = |text: &str| !text.is_empty() && text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit());
    let bracket = |line: &str| {
        let (name, number) = line.strip_suffix(']')?.rsplit_once('[')?;
        Some((name.to_owned(), number.to_owned())).filter(|(_, number)| digits(number))
    };
    let mathematica = line.strip_suffix(":=").and_then(bracket).is_some_and(|(name, _)| name == "In");
    let input = line.strip_suffix(" :").and_then(|rest| rest.strip_prefix('i')).is_some_and(digits);
    let attached = bracket(line)
        .is_some_and(|(name, _)| name == "root " || name.len() >= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric()));
    let within = line.starts_with('[')
        && line
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once(' '))
            .is_some_and(|(head, number)| digits(number) && head.contains(':') && head.ends_with(')'));
    mathematica || input || attached || within
}

/// `host :)`
fn is_face(lower: &str) -> bool {
    lower == ":)" || lower.strip_suffix(" :)").is_some_and(|host| !host.contains(' '))
}

/// `debugfs:` below `debugfs 1.47.0`: the name of the program alone, which told its version above.
fn is_banner(view: View<'_>) -> bool {
    let name = view.line.lower.trim_end_matches([':', '>', ' ']);
    let plain = name.len() >= 2 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    plain
        && view.above().any(|row| {
            let lower = row.to_lowercase();
            let mut banner = lower.split_whitespace();
            let is_name = banner.next().is_some_and(|word| {
                let word = word.trim_matches(['(', ')', ',']);
                // `debugfs.ocfs2 1.8.7`
                word == name || word.split_once('.').is_some_and(|(word, _)| word == name)
            });
            is_name && banner.take(3).any(|word| word.starts_with(|c: char| c.is_ascii_digit()) || word == "version")
        })
}

/// The line is a prompt as shells print it.
pub(super) fn by_ending(view: View<'_>) -> Option<Guess> {
    let line = view.line.text.trim_end();
    let line = line.trim_start();
    if line.is_empty() || line.chars().count() > LONGEST {
        return typed_into(view);
    }
    // `[/home/ada/conda] >>>`: where it goes when nothing is typed.
    let default =
        line.strip_suffix(">>>").map(str::trim_end).and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
    rows! {
        default.is_some_and(|default| default.starts_with(['/', '~'])) => Path Default Likely;
        // `dav:/docs/?`: where one is, and whether one is there.
        let place = line.strip_suffix('?').is_some_and(|place| place.ends_with('/') && place.contains(":/"));
        place && view.line.makes_room() && !line.contains(' ') => Command Sign Fair;
        // `[mlr]`, and no default of what was asked above.
        let name = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let named = name.is_some_and(|name| name.len() >= 3 && name.bytes().all(|b| b.is_ascii_lowercase()));
        let rows = view.sight.rows.get(..view.line.top).unwrap_or_default();
        let apart = || rows.last().is_none_or(|row| row.trim().is_empty() || row.starts_with(line));
        let again = || rows.iter().any(|row| row.starts_with(line));
        named && view.line.makes_room() && (apart() || again()) => Command Named Weak;
    }
    takes_text(view, line).or_else(|| prompt_of(line, view.line.makes_room())).or_else(|| typed_into(view))
}

/// A sign behind which text is wanted: the word before it says so, or the row above (`terminated with a single '.'`).
fn takes_text(view: View<'_>, line: &str) -> Option<Guess> {
    static ENDS: List = List::of("shell ends");
    let body = line.strip_suffix('>')?.trim_end_matches(['>', ' ']).to_lowercase();
    let asked = body.contains(' ')
        && words(&body)
            .take(3)
            .any(|word| matches!(word, "enter" | "please" | "type" | "your" | "provide" | "specify"));
    let default = body.ends_with(')') && body.contains("(default");
    let named = asked
        || default
        || matches!(body.as_str(), "input" | "answer" | "reply" | "name" | "text" | "value" | "message" | "title");
    let entered = body.chars().all(char::is_alphabetic)
        && !body.is_empty()
        && !body.ends_with("sql")
        && view.above().next().is_some_and(|row| {
            let row = row.to_lowercase();
            row.starts_with("enter ") && row.contains(&body)
        });
    let told = entered
        || body.is_empty()
            && view.above().take(3).any(|row| {
                let lower = row.to_lowercase();
                ENDS.iter().any(|words| lower.contains(words))
            });
    let label = is_label(view.line.text.trim_end().strip_suffix('>')?);
    let text = || Guess::new(PromptKind::Text, Form::BehindSign, Strength::Likely);
    (view.line.makes_room() && (named || told || label)).then(text)
}

/// `Project Name [My Project]>`, and `  Goal >`, set in: what is written there, and no interpreter's name.
fn is_label(body: &str) -> bool {
    let default = body.strip_suffix(']').and_then(|rest| rest.split_once(" [")).is_some_and(|(label, default)| {
        let words = label.split_whitespace().count();
        words >= 2 && default.starts_with(char::is_alphabetic) && label.starts_with(char::is_alphabetic)
    });
    let set_in = body.starts_with("  ") && body.ends_with(' ') && {
        let label = body.trim();
        label.len() >= 3
            && label.split(' ').count() <= 3
            && label.starts_with(char::is_uppercase)
            && label[1..].chars().all(|c| c.is_lowercase() || c == ' ')
    };
    default || set_in
}

const fn command(form: Form, strength: Strength) -> Guess {
    Guess::new(PromptKind::Command, form, strength)
}

fn prompt_of(line: &str, room: bool) -> Option<Guess> {
    static SIGNS: List = List::of("shell signs");
    if line.starts_with('(') && line.ends_with(')') && line.len() <= 24 && !line.contains(' ') {
        // Old programs ask so for what is missing in a command.
        let asked = line.trim_matches(['(', ')']);
        if ["to", "from", "file", "files", "host", "name", "username", "local-file", "remote-file"].contains(&asked) {
            return Some(Guess::new(PromptKind::Text, Form::Missing, Strength::Likely));
        }
        return Some(command(Form::Debugger, Strength::Sure));
    }
    if line.strip_prefix("In [").is_some_and(|rest| rest.ends_with("]:")) || line == "...:" || line == "...." {
        return Some(command(Form::Interpreter, Strength::Sure));
    }
    if line == "D"
        || SIGNS.contains(&line)
        || line.strip_prefix("IN: ").is_some_and(|vocabulary| !vocabulary.contains(' '))
    {
        return room.then(|| command(Form::Interpreter, Strength::Likely));
    }
    // `shop D`: one database, and its shell's sign.
    if line.strip_suffix(" D").is_some_and(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')) {
        return room.then(|| command(Form::Interpreter, Strength::Fair));
    }
    let last = line.chars().next_back()?;
    let body = line[..line.len() - last.len_utf8()].trim_end();
    match last {
        '>' => angle(body, room),
        '$' | '#' | '%' => sign(body, last, room),
        // `Coq <`
        '<' => (room && body.len() >= 2 && body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
            .then(|| command(Form::Sign, Strength::Fair)),
        '›' if body.is_empty() || body.bytes().all(|b| b.is_ascii_lowercase()) => {
            room.then(|| command(Form::Sign, Strength::Likely))
        }
        '❯' | '➜' | 'λ' | '»' | '▶' | '⟩' => room.then(|| command(Form::Sign, Strength::Likely)),
        '@' => (room && body.contains(['~', '/'])).then(|| command(Form::Sign, Strength::Likely)),
        ')' | '✗' | '✔' | '✓' if room && line.starts_with(['➜', '❯', 'λ']) => {
            Some(command(Form::Sign, Strength::Likely))
        }
        ']' if room => (body.ends_with(|c: char| c.is_ascii_digit())
            && body.len() <= 4
            && body.starts_with(|c: char| c.is_ascii_digit()))
        .then(|| command(Form::Debugger, Strength::Fair)),
        _ => None,
    }
}

/// `mysql>`, `irb(main):001:0>`, `PS C:\>`, `user@host /c/repo>`.
fn angle(body: &str, room: bool) -> Option<Guess> {
    let words = body.split_whitespace().count();
    // `1 ]=>`, `(2) ->`: numbers and signs alone.
    let counts = body.len() <= 12 && !body.chars().any(char::is_alphabetic);
    // `db2 =>`
    let client = body.strip_suffix(" =").is_some_and(|name| !name.contains(' ') && name.len() >= 2)
        || body.strip_suffix(" -").and_then(|rest| rest.split_once(' ')).is_some_and(|(name, number)| {
            !name.is_empty() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
        });
    let arrow =
        body.ends_with(['-', '=', '<', '"', '\'']) && !body.starts_with("PS ") && words > 1 && !counts && !client;
    // `remake<0>`
    let number = |depth: &str| !depth.is_empty() && depth.bytes().all(|b| b.is_ascii_digit());
    let depth = body.rsplit_once('<').is_some_and(|(_, depth)| number(depth));
    let tag = body.contains('<') && !body.starts_with("DB<") && !depth;
    let sentence = words > 5 || body.ends_with(['.', ',', ';']);
    if arrow || tag || sentence || !(room || body.contains('\\')) {
        return None;
    }
    let named = words <= 2 && body.chars().all(|c| c.is_alphanumeric() || "_-./@:()[]~*={}<\\".contains(c));
    let strength = if named || body.is_empty() { Strength::Likely } else { Strength::Fair };
    Some(command(Form::Angle, strength))
}

/// `$`, `user@host:~$`, `[root@host ~]#`, `host%`, `postgres=#`.
fn sign(body: &str, sign: char, room: bool) -> Option<Guess> {
    let words = body.split_whitespace().count();
    let number = body.ends_with(|c: char| c.is_ascii_digit()) && sign == '%';
    if !room || number || words > 5 {
        return None;
    }
    let home = body.contains(['@', '~', '/', ']', '=', ')']) || body.is_empty() || body.starts_with("bash");
    match (home, words) {
        (true, _) => Some(command(Form::Sign, Strength::Likely)),
        (false, 0..=1) => Some(command(Form::Sign, Strength::Fair)),
        (false, _) => None,
    }
}

/// A shell's prompt with a command that is being typed behind it.
fn typed_into(view: View<'_>) -> Option<Guess> {
    let line = view.line.text.trim();
    let sign = [">>> ", "sqlite> ", "mysql> ", "(gdb) ", "(Pdb) ", "$ ", "# ", "% ", "❯ "]
        .iter()
        .find_map(|sign| line.find(sign).map(|at| (at, sign)))?;
    let head = &line[..sign.0];
    let own =
        head.is_empty() && !matches!(*sign.1, "# ") || head.contains('@') && head.contains(':') && !head.contains(' ');
    own.then(|| command(Form::Typing, Strength::Weak))
}
