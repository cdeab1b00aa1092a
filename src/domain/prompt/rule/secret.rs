//! Secrets by their names, in the languages that we know.

use super::super::kind::PromptKind;
use super::super::line::{last_clause, words};
use super::{Guess, Strength, View};

/// Words that name a secret by themselves.
const WORDS: [&str; 36] = [
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
];
/// Stretches of text that name a secret; some languages put no blanks between words.
const STRETCHES: [&str; 30] = [
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
/// Words after which a secret's name means something about it.
const ABOUT: [&str; 9] = ["file", "files", "manager", "expired", "changed", "updated", "length", "strength", "policy"];

/// The line asks for something that has the name of a secret.
pub(super) fn by_words(view: View<'_>) -> Option<Guess> {
    let lower = view.line.lower.as_str();
    let asks = lower.ends_with([':', '?', '>', '：', '›', '»', '…', '=']) || lower.ends_with("]");
    let decorated = lower.starts_with(['?', '◆', '◇']) || lower.starts_with("[?]");
    let clause = last_clause(lower);
    if !names_secret(clause) || !(asks || decorated || view.line.makes_room()) {
        return None;
    }
    let short = clause.chars().count() <= 120;
    let strength = match (asks, short) {
        (true, true) => Strength::Sure,
        (false, true) if decorated => Strength::Likely,
        (true, false) => Strength::Likely,
        (false, _) => Strength::Weak,
    };
    Some(Guess::new(PromptKind::Password, "password.words", strength))
}

/// Whether a text, in lower case, names a secret.
pub(in crate::domain::prompt) fn names_secret(lower: &str) -> bool {
    if STRETCHES.iter().any(|stretch| lower.contains(stretch)) {
        return true;
    }
    let mut named = false;
    for word in words(lower) {
        if named && ABOUT.contains(&word) {
            return false;
        }
        named |= WORDS.contains(&word);
    }
    named
}
