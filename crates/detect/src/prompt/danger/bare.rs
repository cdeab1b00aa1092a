//! Whether a question says itself what it asks.

use std::sync::LazyLock;

use super::super::line::words;
use crate::lexicon::Lexicon;

/// Words that say nothing of what will be done.
const EMPTY: &str = "\
    a above absolutely accept action actions agree ahead all and anyway apply are as at begin by certain changes \
    confirm continue correct do enter execute following fine go going here i if in into is it like look looks no \
    now of ok okay on operation or perform please positive press proceed process question ready really reply right \
    say selected shall should so start still sure that the them these they this to type understand understood want \
    we what will word full whole exact exactly wish with would y n yes you your answer letters lower upper case \
    capital key return return-key again know risk risks doing anyways done default only be must any cancel abort \
    ctrl c else otherwise tem certeza de que deseja continuar prosseguir confirma confirmar sim não tens está \
    seguro segura seguir desea quiere sí si êtes vous etes sûr sûre voulez vouloir souhaitez \
    continuer poursuivre confirmer oui non sind sie sicher bist du wirklich möchten wollen fortfahren weiter \
    weitermachen bestätigen ja nein sei sicuro sicura vuoi proseguire procedere confermare continuare weet je het \
    zeker wilt doorgaan u nee вы ты уверены уверен продолжить подтвердить хотите да нет value approve need yn ny \
    allow run command commands tool call permission required once es o anything exit other value \
    execution";

static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::new(EMPTY.split_ascii_whitespace().map(|word| (1, word))));

/// Whether a question has nothing but such words: `Are you sure you want to continue? [y/N]`. The name of a program
/// whose run is to be allowed says little, too: `Allow execution of: 'rm'?`.
pub(super) fn is_bare(question: &str) -> bool {
    let lower = question.to_lowercase();
    let asked = lower.strip_prefix("allow execution of: '").map_or(lower.as_str(), |_| "allow execution");
    words(asked).all(|word| LEXICON.lists_of(word) != 0)
}
