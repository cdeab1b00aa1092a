//! The words with which one is asked to confirm.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::{Lexicon, Lists};

/// How a question begins that yes or no answers.
const OPENINGS: [&str; 41] = [
    "are",
    "do",
    "does",
    "did",
    "is",
    "was",
    "has",
    "have",
    "would",
    "will",
    "shall",
    "should",
    "can",
    "could",
    "continue",
    "proceed",
    "overwrite",
    "replace",
    "remove",
    "delete",
    "really",
    "confirm",
    "ok",
    "okay",
    "accept",
    "allow",
    "install",
    "use",
    "create",
    "keep",
    "save",
    "restart",
    "apply",
    "try",
    "abort",
    "quit",
    "exit",
    "enable",
    "want",
    "ready",
    "sure",
];
/// Verbs that make a question one of yes or no wherever they stand, as in `rm: remove regular file 'a'?`.
const VERBS: [&str; 40] = [
    "remove",
    "overwrite",
    "replace",
    "delete",
    "descend",
    "continue",
    "proceed",
    "discard",
    "erase",
    "reinstall",
    "kill",
    "upgrade",
    "downgrade",
    "fix",
    "clear",
    "recreate",
    "abort",
    "undo",
    "restore",
    "rename",
    "unlink",
    "purge",
    "format",
    "terminate",
    "sure",
    "overwritten",
    "rm",
    "wipe",
    "destroy",
    "drop",
    "purge",
    "shred",
    "revoke",
    "uninstall",
    "prune",
    "expunge",
    "trash",
    "mdelete",
    "mget",
    "mput",
];
/// Orders that make a question one of yes or no where they begin it and say what is to be done: `Show instructions?`.
const ORDERS: &str = "\
    another look looks same play show print list view skip send open start stop run go read write retry resume import \
    export add edit change include exclude set update reset ignore trust verify check test load reload copy move merge \
    push pull commit switch upload download generate need mark encrypt decrypt compress wait follow fetch reopen \
    recover \
    append eject log zero factory empty store remember publish deploy sign convert connect disconnect mount unmount";
/// Behind these something is missing: `Move to?`.
const MISSING: [&str; 8] = ["to", "from", "as", "by", "with", "for", "in", "at"];
/// How a question begins that yes or no does not answer.
const OPEN_QUESTIONS: [&str; 14] = [
    "what", "what's", "which", "where", "who", "whom", "how", "when", "why", "whose", "enter", "type", "select",
    "choose",
];

/// The same of other languages: wherever they stand, their questions ask for yes or no.
const ELSEWHERE: &str = "\
    überschreiben entfernen löschen ersetzen fortfahren fortsetzen beenden abbrechen möchten wollen wirklich sollen \
    voulez souhaitez désirez écraser supprimer remplacer continuer quitter confirmer êtes-vous désire \
    desea quiere borrar sobreescribir sobrescribir eliminar reemplazar continuar salir seguro \
    vuoi rimuovere sovrascrivere sostituire continuare eliminare sei deseja remover substituir excluir apagar \
    verwijderen overschrijven vervangen doorgaan wilt удалить перезаписать заменить продолжить хотите";

/// Whether a clause, in lower case, asks for yes or no.
pub(super) fn asks(lower: &str) -> bool {
    // `/usr/bin/bashbug: do you want to give up`: who asks, and what.
    let asker = lower.split_once(": ").filter(|(name, _)| !name.contains(' '));
    let lower = asker.map_or(lower, |(_, asked)| asked);
    let mut first = words(lower).peekable();
    if is_open(lower) {
        return false;
    }
    first.peek().is_some_and(|word| OPENINGS.contains(word))
        || words(lower).any(|word| VERBS.contains(&word))
        || orders(lower)
        || !lower.is_ascii() && foreign(lower)
        || words(lower).next_back().is_some_and(foreign)
}

fn orders(lower: &str) -> bool {
    let mut said = words(lower);
    let first = said.next().is_some_and(|first| LEXICON.lists_of(first) & ORDER != 0);
    first && said.next_back().is_some_and(|last| !MISSING.contains(&last))
}

/// Whether a clause asks for one of several that it names.
pub(super) fn picks(lower: &str) -> bool {
    words(lower).any(|word| matches!(word, "which" | "pick" | "either"))
}

fn foreign(lower: &str) -> bool {
    words(lower).any(|word| LEXICON.lists_of(word) & FOREIGN != 0)
}

const ORDER: Lists = 1;
const FOREIGN: Lists = 1 << 1;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let orders = ORDERS.split_ascii_whitespace().map(|word| (ORDER, word));
    Lexicon::new(orders.chain(ELSEWHERE.split_ascii_whitespace().map(|word| (FOREIGN, word))))
});

/// Whether a clause, in lower case, asks for something that is not yes or no.
pub(super) fn is_open(lower: &str) -> bool {
    words(lower).take(2).any(|word| OPEN_QUESTIONS.contains(&word))
}
