//! What must never be written down. Called before anything of an answer reaches journal, event, log or error.

use std::borrow::Cow;

use super::kind::PromptKind;
use super::rule::{names_secret, says_only_harmless};
use super::screen_view::Host;

/// What stands where a secret stood.
pub const REDACTED: &str = "[REDACTED]";

/// Whether the answer to this prompt is a secret: by its kind, by its words, or because the terminal hid it.
#[must_use]
pub fn is_secret(prompt_text: &str, kind: Option<PromptKind>, host: Host) -> bool {
    kind == Some(PromptKind::Password) || host.hides() || names_secret(&prompt_text.to_lowercase())
}

/// Whether a prompt of this kind is known to ask for no secret.
///
/// It has answers to choose from, asks for a path, or says nothing but what everybody may hear. A word that is unknown
/// may be that of a secret in some language.
#[must_use]
pub fn is_harmless(prompt_text: &str, kind: PromptKind) -> bool {
    match kind {
        PromptKind::YesNo | PromptKind::Choice | PromptKind::Path => true,
        PromptKind::Password => false,
        PromptKind::Text | PromptKind::Command | PromptKind::Unknown => says_only_harmless(&prompt_text.to_lowercase()),
    }
}

/// The answer as it may be kept: as it was, or [`REDACTED`]. An answer of the shape of a token is a secret
/// whatever was asked.
#[must_use]
pub fn kept_input<'a>(prompt_text: &str, input: &'a str, kind: Option<PromptKind>, host: Host) -> Cow<'a, str> {
    if is_secret(prompt_text, kind, host) || callboard_base::text::holds_secret(input) {
        return Cow::Borrowed(REDACTED);
    }
    Cow::Borrowed(input)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::prompt::Patterns;

    #[rstest]
    #[case::names_its_answers("Continue? [y/N] ", true)]
    #[case::keys("Stage this hunk [y,n,q,a,d,e,?]? ", true)]
    #[case::a_path("Path to the file: ", true)]
    #[case::known_words("Which port? ", true)]
    #[case::a_default("Port [8080]: ", true)]
    #[case::a_secret("Password: ", false)]
    #[case::an_unknown_word("Zauberspruch: ", false)]
    #[case::an_unknown_word_beside_known("Your wachtzin: ", false)]
    #[case::no_word("> ", false)]
    #[case::a_shell("ada@host:~$ ", false)]
    #[case::a_security_question("Name of your first pet: ", false)]
    fn a_prompt_is_harmless_where_it_is_known_to_be(#[case] prompt: &str, #[case] harmless: bool) {
        assert_eq!(is_harmless(prompt, Patterns::NONE.judge(prompt).0), harmless, "{prompt}");
    }

    /// How programs ask for a password in some languages of which little else is known here.
    #[rstest]
    #[case("口令: ")]
    #[case("用户 ada 的口令：")]
    #[case("Parool: ")]
    #[case("Geslo: ")]
    #[case("Vnesite geslo: ")]
    #[case("Парола: ")]
    #[case("Новата парола: ")]
    #[case("كلمة المرور: ")]
    #[case("كلمة السر: ")]
    #[case("Slaptažodis: ")]
    #[case("[sudo] lozinka za ada: ")]
    #[case("[sudo] პაროლი ada-სთვის: ")]
    #[case("Contrasenya: ")]
    #[case("รหัสผ่าน: ")]
    #[case("गुप्तशब्द: ")]
    #[case("Mật khẩu : ")]
    fn secrets_are_known_by_the_names_that_programs_give_them(#[case] prompt: &str) {
        assert_eq!(Patterns::NONE.judge(prompt).0, PromptKind::Password, "{prompt}");
        assert_eq!(kept_input(prompt, "hunter2", None, Host::default()), REDACTED, "{prompt}");
    }
}
