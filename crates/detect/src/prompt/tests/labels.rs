//! Labels before a sign, answers half in brackets, and what may be left out.

use std::time::Duration;

use super::super::*;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };

fn seen(text: &str) -> InputPrompt {
    let moment = Moment { host: LINES, quiet: Some(Duration::from_secs(1)), answered: false };
    detect(&ScreenView::of_text(text), &moment).unwrap_or_else(|| panic!("{text:?}"))
}

#[test]
fn what_stands_before_a_sign_is_a_label_or_an_interpreter() {
    for (text, rule) in [
        ("Project Name [My Project]> ", "text.behind_sign"),
        ("Database connection string [sqlite:db/trac.db]> ", "text.behind_sign"),
        ("DuckDB v1.5.6 (Variegata)\nEnter \".help\" for usage hints.\nshop D ", "command.interpreter"),
        ("a: accept, r: reject, s: skip\n>>> ", "choice.under"),
        ("> show\na: one, b: two\n> ", "command.angle"),
        ("a: 1, b: 2\n> ", "command.angle"),
        ("> show\nDefault: /srv/data\n> ", "command.angle"),
        ("How would you like it?\n    1. Raw\n    2. Boiled\n: ", "choice.under"),
        ("Which one would you like?\n[1] duckdb\n\n(Is yours not there?)\n\nEnter a number: ", "choice.list"),
        ("Break 1 [2]> ", "command.angle"),
        ("MariaDB [(none)]> ", "command.angle"),
        ("  Role > ", "text.behind_sign"),
        ("  Your goal > ", "text.behind_sign"),
        ("Role > ", "command.angle"),
        ("  SQL > ", "command.angle"),
        ("debugfs.ocfs2 1.8.7\ndebugfs: ", "command.banner"),
        ("debugfs.ocfs2 1.8.7\nother: ", "text.colon"),
        ("Input file? (one of yours)\n@ ", "path.under"),
        ("What's its name?\n(Organization::Service)\n>> ", "text.under"),
        ("A place for it.\n\nDefault: /home/ada/data\n> ", "path.under"),
        ("A name for it.\n\nDefault: ada\n> ", "text.under"),
    ] {
        assert_eq!(seen(text).matched_pattern.to_string(), rule, "{text:?}");
    }
}

#[test]
fn answers_may_stand_half_in_brackets() {
    for (text, rule, dangerous) in [
        ("[?] Do you want to proceed with removing these 1 links?\n    y/[n]: ", "yes_no.half", true),
        ("Keep the old one? [yes]/no: ", "yes_no.half", false),
        ("Do you wish to erase slot 1 on d? [ynYN] ", "yes_no.letters", true),
        ("This will erase any changes.\nDo you want to continue? [yN]\" ", "yes_no.brackets", true),
        ("Should I make a simple project? [default: y] ", "yes_no.default", false),
        ("Are you sure you want to clean all changes & sync with 'origin/main'? [y/N]: ", "yes_no.brackets", true),
        ("Are you sure? (Yy/Nn) ", "yes_no.brackets", false),
        ("Are you sure you want to join all (14, 9 of them old) with all (2) Questions?\n", "yes_no.question", false),
        ("Scrivi 'SÌ' per confermare: ", "yes_no.typed", false),
        (
            "Delete all old data in:\n  /srv/a\nType y to go on, anything else to cancel and exit: ",
            "yes_no.typed",
            true,
        ),
        ("Proceed with LIVE migration? [y/N] ", "yes_no.brackets", true),
        ("Server running. Press any key to terminate.\n", "unknown.any_key_above", false),
        ("Send this email? ([y]es|[n]o|[e]dit|[q]uit|[a]ll): ", "choice.brackets", true),
        ("Quit [q], confirm [y], or change [menu] settings: ", "choice.keys", false),
    ] {
        let found = seen(text);
        assert_eq!((found.matched_pattern.to_string().as_str(), found.is_dangerous), (rule, dangerous), "{text:?}");
    }
}

#[test]
fn a_menu_of_what_would_be_done_may_do_it() {
    let menu = "Would remove the following items:\n  b  c\n*** Commands ***\n    1: clean    2: filter by pattern\n    \
                3: ask each   4: quit\nWhat now> ";
    let found = seen(menu);
    assert_eq!((found.prompt_type, found.is_dangerous), (PromptKind::Choice, true), "{found:?}");
    assert!(!seen(&menu.replace("remove", "list")).is_dangerous);
}

#[test]
fn what_may_be_left_out_is_asked_for() {
    for (text, rule) in [
        ("CA certificate filename (or enter to create)\n", "path.optional"),
        ("The name of it (or press enter for none)\n", "text.optional"),
        ("Pass phrase (or enter to leave it out)\n", "password.optional"),
        ("a) one\nb) two\nPlease choose one (<Enter> to abort):", "choice.list"),
        ("Output alignment [a.needle]: ", "path.words"),
        ("Insert disk #1 of 2 and hit return: ", "unknown.any_key"),
        ("1. keep it\n2. take the new one\nWhat should be done with it? 2", "choice.prefilled"),
        ("1st input name (<ENTER> to finish): ", "text.colon"),
        ("Enter a name for your project (letters, digits, underscore): ", "text.colon"),
        ("Base path (return=/home/ada/websites/) : ", "path.words"),
        ("Profile name to [default]: ", "text.colon"),
        ("What is the full path to your private key file? ", "path.words"),
        ("1. Remote scanning\n2. Interface scanning\nYour choice: 1\nRemotes (separated by a ','): ", "text.colon"),
        ("/usr/bin/bashbug: Do you want to give up? ", "yes_no.question"),
        ("--> What is the name of the package?: ", "text.colon"),
        ("? ID ", "text.decorated"),
        ("Enter argument (will not echo):", "password.hidden"),
        ("Enter otpauth:// URI for shop:", "password.words"),
        ("Password: \nRepeat for confirmation: ", "password.again"),
        ("Passphrase age: ", "password.words"),
        ("Maximum password age: ", "text.colon"),
        ("? Presiona Enter para continuar... ", "unknown.any_key"),
        ("Please enter the path to your files or enter 'q' to quit.\n", "text.told"),
        ("Enter your URL:\nFormat: https://example.org/NAME\n> ", "text.under"),
        ("Choose a number from below\n 1 / one\n   \\ (1)\n 2 / two\n   \\ (2)\nStorage> ", "choice.numbered"),
        ("Search Base DN [dc=example,dc=com]:", "text.colon"),
        ("Choose an instance [mastodon.social]: ", "text.colon"),
    ] {
        assert_eq!(seen(text).matched_pattern.to_string(), rule, "{text:?}");
    }
}

#[test]
fn what_is_nearly_such_a_form_is_another_one() {
    for (text, rule) in [
        ("Something\n > ", "command.angle"),
        (" Something set in\n > ", "command.angle"),
        ("Press ENTER to see\n>>> ", "command.interpreter"),
        ("a: accept, r: reject\n", "text.silent"),
        ("Name?\n[ada]: ", "text.colon"),
        ("Go on?\n[no]: ", "yes_no.under"),
        ("Remove it (or enter to keep)\n", "text.optional"),
        ("(or enter to create)\n", "text.silent"),
        ("The one (or what else)\n", "text.silent"),
        ("Keep it? [ynyy] ", "text.default"),
        ("Keep it? [YNYN] ", "text.default"),
        ("Really? [confirm] ", "yes_no.confirm"),
        ("Really: [confirm] ", "text.default"),
        ("Take [default: y]: ", "text.colon"),
        ("Take it? [default: 5]: ", "text.colon"),
        ("Which? [y/n, Return cancels, i for more] ", "yes_no.brackets"),
        ("Which? [one two three four/b/c] ", "text.default"),
        ("1 / one\n2 / two\nYour choice: ", "choice.list"),
        ("a / one\nb / two\nYour choice: ", "choice.words"),
        ("12345 - one\nYour choice: ", "choice.words"),
        ("Output name [a.]: ", "text.colon"),
        ("Output name [a.b1]: ", "text.colon"),
        ("Output name [.txt]: ", "text.colon"),
        ("Save it (http://a.b/c): ", "text.colon"),
        ("It (/srv/a or /srv/b): ", "text.colon"),
        ("1. keep it\n2. take it\nWhat now? 7", "text.labelled"),
        (": abc", "text.labelled"),
        ("name (<ENTER> to finish): ", "unknown.any_key"),
        ("? Press any key ", "text.decorated"),
        ("casa <a> ", "command.no_room"),
        ("casa <> ", "command.no_room"),
        ("a <1> ", "command.angle"),
        ("x(1): ", "text.colon"),
        ("abc(x): ", "text.colon"),
        ("kadmin.local: ", "command.name"),
        ("kadmin.lo: ", "text.colon"),
        ("In[x]:= ", "text.labelled"),
        ("db 2 -> ", "command.angle"),
        ("db x -> ", "command.no_room"),
        ("Coq < ", "command.sign"),
        ("C < ", "text.labelled"),
        ("Quit [q], confirm [y], change [menu]: ", "text.colon"),
        ("Red, green, or b2? ", "text.question"),
        ("Are you sure (a)bout (b)oth? ", "choice.keys"),
        ("Enter it. Format: DD/MM\n", "text.told"),
        ("Enter its name or 'q' to quit or 'x' to exit\n", "text.told"),
        ("Enter 'q' or 'x' to exit\n", "choice.told"),
        ("shop2 D ", "text.labelled"),
        ("Project [My Project]> ", "command.angle"),
        ("  GOAL > ", "command.angle"),
        ("  a > ", "command.angle"),
        ("  One two three four > ", "command.angle"),
    ] {
        assert_eq!(seen(text).matched_pattern.to_string(), rule, "{text:?}");
    }
}
