//! What `redact` does, tried.

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
