//! What `echo` does, tried.

use proptest::prelude::*;
use rstest::rstest;

use super::*;

/// What is left of pieces that come one after the other.
fn strained(pieces: &[&str]) -> String {
    let (mut strainer, mut line, mut all) = (EchoStrainer::default(), String::new(), String::new());
    for piece in pieces {
        let kept = strainer.strain(&line, piece.as_bytes()).into_owned();
        let kept = String::from_utf8(kept).unwrap();
        line = format!("{line}{kept}").rsplit(['\n', '\r']).next().unwrap_or_default().to_owned();
        all.push_str(&kept);
    }
    all
}

#[rstest]
#[case(&["Password: ", "hunter2", "\r\n"], "Password: [REDACTED]\r\n")]
#[case(&["Password:", " ", "hun", "ter2", "\n$ "], "Password: [REDACTED]\n$ ")]
#[case(&["ok\n[sudo] password for dev: hunter2\nthanks\n"], "ok\n[sudo] password for dev: [REDACTED]\nthanks\n")]
#[case(&["Password:hunter2\n"], "Password:[REDACTED]\n")]
#[case(&["Enter passphrase for key '/home/dev/.ssh/id': ", "correct horse\n"],
           "Enter passphrase for key '/home/dev/.ssh/id': [REDACTED]\n")]
#[case(&["\u{1b}[1mPassword:\u{1b}[0m hunter2\n"], "\u{1b}[1mPassword:\u{1b}[0m [REDACTED]\n")]
#[case(&["ada@box's password: hunter2\r\n"], "ada@box's password: [REDACTED]\r\n")]
#[case(&["Passwort: ", "geheim\n"], "Passwort: [REDACTED]\n")]
#[case(&["client_secret = ", "h", "unter2\n"], "client_secret = [REDACTED]\n")]
#[case(&["DB_PASSWORD=", "hunter2\n"], "DB_PASSWORD=[REDACTED]\n")]
#[case(&["password [hunter]= ", "hunter2\n"], "password [hunter]= [REDACTED]\n")]
#[case(&["API_KEY = ", "hunter2\n"], "API_KEY = [REDACTED]\n")]
#[case(&["Password: ", "\r\n", "Name: ", "ada\r\n"], "Password: \r\nName: ada\r\n")]
fn an_echo_of_a_secret_is_taken_out(#[case] pieces: &[&str], #[case] left: &str) {
    assert_eq!(strained(pieces), left);
}

#[rstest]
#[case(&["Password: ", "\r\nSorry, try again.\r\nPassword: "])]
#[case(&["Password for 'https:", "//dev@host': "])]
#[case(&["Password for 'https://dev@host': "])]
#[case(&["Do you want to save the password? ", "[Y/n] "])]
#[case(&["Do you want to save the password? [Y/n] y\n"])]
#[case(&["2026-11-21T10:00:01Z  INFO hub: 3 tasks are queued, password: hidden\n"])]
#[case(&["The password must have 12 signs.\n"])]
#[case(&["Continue? (yes/no): ", "yes\n"])]
#[case(&["Password: \u{1b}[10;5H<OK>"])]
fn what_is_no_echo_stays(#[case] pieces: &[&str]) {
    assert_eq!(strained(pieces), pieces.concat());
}

proptest! {
    #[test]
    fn a_secret_behind_its_prompt_is_never_left_however_it_is_cut(
        prompt in proptest::sample::select(
            &["Password: ", "[sudo] password for dev: ", "Enter PIN: ", "Passphrase: ", "New password: "][..]),
        before in "[a-z .,\\n]{0,40}\\n",
        cuts in proptest::collection::vec(0_usize..80, 0..6),
    ) {
        let text = format!("{before}{prompt}XyZZy-canary\n");
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|cut| *cut < text.len()).collect();
        cuts.sort_unstable();
        let (mut from, mut pieces) = (0, Vec::new());
        for cut in cuts {
            pieces.push(&text[from..cut]);
            from = cut;
        }
        pieces.push(&text[from..]);
        let left = strained(&pieces);
        prop_assert!(!left.contains("canary") && !left.contains("XyZZy"), "{left:?}");
    }

    #[test]
    fn any_bytes_pass(pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..60), 0..6)) {
        let mut strainer = EchoStrainer::default();
        for piece in pieces {
            let _kept = strainer.strain("Password: ", &piece);
        }
    }
}
