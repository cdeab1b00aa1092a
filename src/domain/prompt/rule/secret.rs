//! Secrets by their names, in the languages that we know.

use std::sync::LazyLock;

use super::super::kind::PromptKind;
use super::super::line::{last_clause, words};
use super::{Guess, Strength, View};
use crate::domain::lexicon::{Lexicon, Lists, Stretches};

/// Words that name a secret by themselves.
const WORDS: [&str; 56] = [
    "password",
    "passwords",
    "passphrase",
    "passcode",
    "passwd",
    "password1",
    "password2",
    "pin",
    "otp",
    "totp",
    "2fa",
    "mfa",
    "secret",
    "token",
    "pwd",
    "passwort",
    "kennwort",
    "passphrase1",
    "secretkey",
    "apikey",
    "accesskey",
    "privatekey",
    "contraseña",
    "clave",
    "senha",
    "wachtwoord",
    "hasło",
    "heslo",
    "lösenord",
    "adgangskode",
    "passord",
    "salasana",
    "parola",
    "şifre",
    "jelszó",
    "пароль",
    "salasanasi",
    "κωδικός",
    "סיסמה",
    "katasandi",
    "credential",
    "credentials",
    "creds",
    "bearer",
    "passkey",
    "authkey",
    "authtoken",
    "mnemonic",
    "psk",
    "puk",
    "cvv",
    "cvv2",
    "cvc",
    "cvc2",
    "ssn",
    "sicherheitscode",
];
/// Stretches of text that name a secret; some languages put no blanks between words.
const STRETCHES: [&str; 94] = [
    "app key",
    "application key",
    "otpauth",
    "decryption key",
    "github pat",
    "授权码",
    "トークン",
    "приватный ключ",
    "секретный ключ",
    "entschlüsselungs",
    "admin key",
    "deploy key",
    "management key",
    "account key",
    "root key",
    "master key",
    "shared key",
    "license key",
    "vault key",
    "authorization code",
    "access code",
    "confirmation code",
    "pass phrase",
    "api key",
    "apikey",
    "api-key",
    "access key",
    "secret key",
    "private key:",
    "encryption key",
    "secret phrase",
    "recovery key",
    "recovery phrase",
    "seed phrase",
    "verification code",
    "one-time code",
    "one-time password",
    "authentication code",
    "authenticator code",
    "security code",
    "two-factor",
    "auth code",
    "recovery code",
    "backup code",
    "unlock code",
    "login code",
    "activation code",
    "sms code",
    "digit code",
    "one time code",
    "private key (",
    "private key in ",
    "private key for ",
    "your private key",
    "signing key",
    "session key",
    "unseal key",
    "wallet key",
    "product key",
    "activation key",
    "licence key",
    "auth key",
    "authentication key",
    "network key",
    "seed words",
    "recovery words",
    "security answer",
    "answer to your security",
    "maiden name",
    "social security",
    "card number",
    "card verification",
    "session cookie",
    "kartennummer",
    "código de seguridad",
    "código de verificación",
    "code de sécurité",
    "code de vérification",
    "numéro de carte",
    "clé privée",
    "chave privada",
    "número de tarjeta",
    "закрытый ключ",
    "номер карты",
    "mot de passe",
    "phrase secrète",
    "frase de contraseña",
    "kata sandi",
    "mật khẩu",
    "密码",
    "密碼",
    "パスワード",
    "암호",
    "비밀번호",
];
/// What is said behind a question of an answer that will not be seen.
const HIDDEN: [&str; 8] = [
    "be hidden",
    "not echo",
    "no echo",
    "not be echoed",
    "not be shown",
    "not be displayed",
    "won't be shown",
    "input hidden",
];
/// Words after which a secret's name means something about it.
const ABOUT: [&str; 46] = [
    "file",
    "files",
    "manager",
    "expired",
    "changed",
    "updated",
    "length",
    "strength",
    "policy",
    "age",
    "expiration",
    "expiry",
    "expires",
    "inactive",
    "warning",
    "hint",
    "name",
    "names",
    "type",
    "types",
    "id",
    "ids",
    "url",
    "uri",
    "lifetime",
    "ttl",
    "duration",
    "count",
    "history",
    "days",
    "hash",
    "hashing",
    "algorithm",
    "method",
    "generator",
    "store",
    "database",
    "strategy",
    "provider",
    "validity",
    "period",
    "category",
    "management",
    "rules",
    "helper",
    "process",
];

/// The line asks for something that has the name of a secret.
pub(in crate::domain::prompt) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    // `Key: (repeat) `, `Passphrase (again) `.
    let noted = lower.ends_with(')') && view.line.makes_room() && lower.contains('(') && !lower.contains('?');
    // `What is your API key? (Get it here: https://…)`
    let remarked = lower.ends_with(')').then(|| lower.find("? (")).flatten();
    let remarked = remarked.filter(|at| !super::action::asks(last_clause(&lower[..=*at])));
    // `Choose a password: ***`, while it is typed.
    let unmasked = lower.trim_end_matches(['*', '•', '●']).trim_end();
    let masked = unmasked.len() < lower.len() && unmasked.ends_with([':', '?', '›']);
    let asks = lower.ends_with([':', '?', '>', '：', '›', '»', '…', '=']) || lower.ends_with("]") || noted || masked;
    let asks = asks || remarked.is_some();
    let decorated = lower.starts_with(['?', '◆', '◇']) || lower.starts_with("[?]");
    // `Password (min. 6 letters):`
    let told = lower.ends_with("):").then(|| lower.rfind('(')).flatten().filter(|at| lower[*at..].contains(". "));
    let told = told.or(remarked);
    let clause = told.map_or_else(|| last_clause(lower), |at| last_clause(&lower[..at]));
    if asks && asks_again(view) {
        return Some(Guess::new(PromptKind::Password, "password.again", Strength::Likely));
    }
    if noted && HIDDEN.iter().any(|words| lower.contains(words))
        || asks && (lower.contains("hidden)") || lower.contains("not echo)"))
    {
        return Some(Guess::new(PromptKind::Password, "password.hidden", Strength::Likely));
    }
    if asks && lower.starts_with('(') && view.above().next().is_some_and(|row| names_secret(&row.to_lowercase())) {
        return Some(Guess::new(PromptKind::Password, "password.noted", Strength::Fair));
    }
    if !names_secret(clause) || !(asks || decorated || view.line.makes_room()) {
        return None;
    }
    let short = clause.chars().count() <= 120;
    // `What is the path to your private key file?`
    if clause.contains("path to ") || clause.contains("path of ") {
        return None;
    }
    let strength = match (asks, short) {
        (true, true) => Strength::Sure,
        (false, true) if decorated => Strength::Likely,
        (true, false) => Strength::Likely,
        (false, _) => Strength::Weak,
    };
    Some(Guess::new(PromptKind::Password, "password.words", strength))
}

/// `Enter it again:`, right below a question for a secret: the same once more.
fn asks_again(view: View<'_>) -> bool {
    let again: Vec<&str> = words(&view.line.lower).collect();
    let says =
        again.iter().any(|word| matches!(*word, "again" | "repeat" | "retype" | "re-enter" | "reenter" | "verify"));
    let small = again.len() <= 5 && again.iter().all(|word| word.len() <= 12);
    says && small && view.above().next().is_some_and(|row| row.len() <= 120 && names_secret(&row.to_lowercase()))
}

/// Whether a text, in lower case, names a secret.
pub(in crate::domain::prompt) fn names_secret(lower: &str) -> bool {
    // `Passphrase age:`, of a program of that name: of no passphrase is its age asked.
    let spaced = || lower.contains('_') && NAMING.any_in(lower.replace('_', " "));
    if NAMING.any_in(lower) || spaced() || lower.contains("passphrase age") {
        return true;
    }
    // `TELEGRAM_BOT_TOKEN`
    let last = |word: &'_ str| {
        word.rsplit('_').next().filter(|last| last.len() < word.len()).map_or(0, |last| LEXICON.lists_of(last))
    };
    let mut found = words(lower).map(|word| LEXICON.lists_of(word) | last(word) & NAMES).peekable();
    let mut named = false;
    while let Some(lists) = found.next() {
        if lists & NAMES != 0 {
            if found.peek().is_some_and(|next| next & TELLS_ABOUT != 0) {
                return false;
            }
            named = true;
        }
    }
    named
}

/// Whether it is worth looking closer at what was printed, in any case: each name of a secret has one of these in it.
/// What is not ASCII is reason enough.
pub(in crate::domain::prompt) fn may_name_secret(bytes: &[u8]) -> bool {
    !bytes.is_ascii() || CORES.any_in(bytes)
}

/// The lists of the lexicon.
const NAMES: Lists = 1;
const TELLS_ABOUT: Lists = 1 << 1;

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let names = WORDS.iter().map(|word| (NAMES, *word));
    Lexicon::new(names.chain(ABOUT.iter().map(|word| (TELLS_ABOUT, *word))))
});
static NAMING: LazyLock<Stretches> = LazyLock::new(|| Stretches::new(STRETCHES));
static CORES: LazyLock<Stretches> = LazyLock::new(|| Stretches::in_any_case(IN_NAMES));

/// Every name of a secret that is ASCII has one of these in it. None is longer than [`LONGEST_CORE`].
const IN_NAMES: [&str; 41] = [
    "hub pat", "pass", "pin", "otp", "2fa", "mfa", "secret", "token", "pwd", "wort", "key", "contra", "clave", "senha",
    "wacht", "heslo", "adgang", "sala", "parola", "code", "phrase", "factor", "kata", "frase", "recovery", "cred",
    "bearer", "mnemonic", "psk", "puk", "cvv", "cvc", "ssn", "social", "card", "karten", "answer", "maiden", "cookie",
    "seed", "chave",
];
/// The most bytes of a part of a name that stands in every such name.
pub(in crate::domain::prompt) const LONGEST_CORE: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_names_a_secret_is_worth_a_closer_look() {
        for name in WORDS.iter().chain(&STRETCHES) {
            assert!(may_name_secret(name.as_bytes()), "{name}");
            assert!(may_name_secret(format!("in a {} line", name.to_uppercase()).as_bytes()), "{name}");
            assert!(names_secret(name), "{name}");
        }
        assert!(IN_NAMES.iter().all(|core| core.len() <= LONGEST_CORE));
        assert!(!may_name_secret(b"Compiling callboard v0.1.0"));
    }
}
