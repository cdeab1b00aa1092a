//! What is told without a question mark or a colon, where a host says that somebody waits.

use std::time::Duration;

use super::super::*;

const LINES: Host = Host { reader: Reader::Reads, echo: Some(true), canonical: Some(true), destroys: false };
const KEYS: Host = Host { reader: Reader::Reads, echo: Some(false), canonical: Some(false), destroys: false };

fn looked_at(sight: &ScreenView, host: Host) -> Option<InputPrompt> {
    detect(sight, &Moment { host, quiet: Some(Duration::from_secs(1)), answered: false })
}

fn seen(text: &str, host: Host) -> InputPrompt {
    looked_at(&ScreenView::of_text(text), host).unwrap_or_else(|| panic!("{text:?}"))
}

/// A full screen, its cursor at its end.
fn full(text: &str) -> ScreenView {
    ScreenView { alternate: true, ..ScreenView::of_text(text) }
}

#[test]
fn what_a_row_tells_is_what_is_asked() {
    for (text, rule) in [
        ("Enter the number of players\n", "text.told"),
        ("Please type your name and go on\n", "text.told"),
        ("Now, guess a number between 1 and 100!\n", "text.told"),
        ("Geben Sie bitte Ihren Namen ein\n", "text.told"),
        ("Bitte Namen eingeben\n", "text.told"),
        ("Farbe auswählen\n", "choice.told"),
        ("Ingrese su edad\n", "text.told"),
        ("请输入您的姓名\n", "text.told"),
        ("Enter the path of the file to read\n", "text.told"),
        ("Type the name of the folder\n\n", "text.told"),
        ("Enter your password\n", "password.told"),
        ("Enter the token that was sent to you.\n", "password.told"),
        ("If you want to do this, type y and hit it.\n", "yes_no.typed"),
        ("If you want to do this, press y here\n", "yes_no.told"),
        ("Would anybody do this, y or n\n", "yes_no.told"),
        ("Select a colour\n", "choice.told"),
        ("选择一种颜色\n", "choice.told"),
        ("1. red\n2. green\nEnter the one that you like\n", "choice.told"),
        ("Enter a command\n", "text.told"),
        ("This goes over two rows, because it is long, so\nthat you enter your name here\n", "text.silent"),
        ("Enter what you want to have, be it as long as it\nmay be.\n", "text.told"),
        ("He said that they would enter\n", "text.silent"),
        ("Selected 3 of 4\n", "text.silent"),
        ("Delete 3 tables? (yes/no): no\nbash-5.2# cat\n", "text.silent"),
        ("Delete 3 tables? (yes/no): no\n", "text.silent"),
        ("Enter the path of the file to read\nada@box:~$ cat\n", "text.silent"),
        ("Name of it", "text.labelled"),
        ("name: ada", "text.prefilled"),
        ("", "text.silent"),
    ] {
        let found = seen(text, LINES);
        assert_eq!(found.matched_pattern.to_string(), rule, "{text:?}: {found:?}");
        assert!(!found.safe_to_type || !rule.ends_with("told") && rule != "text.labelled", "{text:?}");
    }
}

#[test]
fn a_list_that_fills_the_screen_is_for_choosing() {
    for (text, rule) in [
        ("  Select a layout\n\n  alpha\n  beta\n", "choice.full_screen"),
        ("   ┌ Select a label ───┐\n   │ gpt │\n", "choice.full_screen"),
        ("Please choose one of these\nalpha\nbeta\n", "choice.full_screen"),
        ("* 0. [A]ccess  how\n  1. [U]pdate  what\n  2. [S]elect  which\n", "choice.full_screen"),
        ("  1) red one\n  2) green one\n  3) blue one\n", "choice.full_screen"),
        ("  1) red one\n  2) green one\n  4) blue one\n", "command.full_screen"),
        ("  7) red one\n  8) green one\n  9) blue one\n", "command.full_screen"),
        ("Save it?\n (Y)es  (N)o  (C)ancel\n", "command.full_screen"),
        ("What of it?\n [A]dd [D]iscard\n", "command.full_screen"),
        ("Select: Enter\nalpha\n", "command.full_screen"),
        ("Selected files\nalpha\n", "command.full_screen"),
    ] {
        let found = looked_at(&full(text), KEYS).unwrap();
        assert_eq!((&*found.matched_pattern.to_string(), found.safe_to_type), (rule, false), "{text:?}");
    }
}

#[test]
fn keys_of_answers_that_stand_above_are_enough() {
    let asked = seen("Do you really want to delete the key of Ada?\n  Delete key\n[d]?", KEYS);
    assert_eq!((&*asked.matched_pattern.to_string(), asked.is_dangerous), ("choice.keyed", true), "{asked:?}");
    assert_eq!(
        (asked.prompt_text.as_str(), &*asked.choices),
        ("Do you really want to delete the key of Ada?", &["Delete key".to_owned()][..])
    );
    let asked = seen("A word is short.\n  Take it all the same\n  Enter a new one\n[te]?", KEYS);
    assert_eq!(
        (&*asked.matched_pattern.to_string(), asked.is_dangerous, asked.choices.len()),
        ("choice.keyed", false, 2)
    );
    assert_ne!(
        seen("Which one\nred\n[d]?", KEYS).matched_pattern.to_string(),
        "choice.keyed",
        "an answer begins with blanks"
    );
    assert_ne!(seen("Which one\n[D4]?", KEYS).matched_pattern.to_string(), "choice.keyed");
}

#[test]
fn an_answer_is_told_in_many_ways() {
    for (text, rule) in [
        ("Please type y to accept, n otherwise: ", "yes_no.typed"),
        ("Enter y or n, or nothing: ", "yes_no.instructed"),
        ("Empty y or nature: ", "text.colon"),
        ("Are you sure you want to remove it all? Type DELETE: ", "text.typed_confirmation"),
        ("It is gone then. Type \"gone\": ", "text.typed_confirmation"),
        ("It is gone then. Type it: ", "text.colon"),
        ("'q <enter>' to abort, or <enter> to continue: ", "unknown.any_key"),
        ("Type any string to continue, or end it here\n", "unknown.any_key_above"),
        ("Enter ? for a list of commands\n\nCoin:", "command.name"),
        ("It does what it does\n\nCoin: ", "text.colon"),
        ("dav:/docs/? ", "command.sign"),
        ("dav:/ docs/? ", "text.question"),
        ("You are in a maze.\n> quit\n\nDo you really want to quit now?\n\n> ", "yes_no.under"),
        ("You are in a maze.\n> look\n\nIs it dark?\n\n> ", "command.angle"),
        ("    conflict  /home/ada/.zshrc exists\n [Ynaqdhm] ", "choice.letters"),
    ] {
        let found = detect(&ScreenView::of_text(text), &Moment { quiet: None, ..Moment::default() })
            .map(|found| found.matched_pattern.to_string());
        assert_eq!(found.as_deref(), Some(rule), "{text:?}");
    }
    assert!(seen("    conflict  /home/ada/.zshrc exists\n [Ynaqdhm] ", KEYS).is_dangerous);
    assert!(
        seen("This script will delete some files.\n   $ rmlint .\nType any string to continue\n", LINES).is_dangerous
    );
    assert!(!looked_at(&full("You will delete it all.\nPress any key"), KEYS).unwrap().is_dangerous);
}

#[test]
fn where_keys_are_read_a_label_must_look_like_one() {
    for (text, rule) in [
        ("Name of it ada", "text.labelled"),
        ("Name", "command.silent"),
        ("name of it", "command.silent"),
        ("X = 1", "command.silent"),
        ("VALUE of it", "command.silent"),
    ] {
        assert_eq!(seen(text, KEYS).matched_pattern.to_string(), rule, "{text:?}");
    }
}

fn by_words(text: &str) -> (String, PromptKind, bool) {
    let found = detect(&ScreenView::of_text(text), &Moment::default()).unwrap_or_else(|| panic!("{text:?}"));
    (found.matched_pattern.to_string(), found.prompt_type, found.is_dangerous)
}

#[test]
fn lists_and_keys_are_drawn_in_many_ways() {
    for (text, rule) in [
        ("0.Quit\n1.play a game\nWhat now: ", "choice.numbered"),
        ("1、周一\n2、周二\n请选择一个：", "choice.list"),
        ("1.- Si\n2.- No\nSeleccione una opción: ", "choice.list"),
        ("|  1) Add one   |\n|  2) Quit      |\n|***************|\nEnter your choice: ", "choice.list"),
        ("Voltage      [2]\nResistance   [3]\nBitte eingeben: ", "choice.numbered"),
        ("Voltage [2]\nResistance [3]\nBitte eingeben: ", "text.colon"),
        ("1. be fair\n2. have fun\nEnter the word : ", "text.colon"),
        ("1: /usr/a.h\n2: /usr/b.h\nWhich file? ", "choice.numbered"),
        ("Choose a title: ", "text.colon"),
        ("Choose a shape: ", "choice.words"),
        ("Save as TXT or CSV? ", "choice.or"),
        ("Type 1, 2, or 3: ", "choice.or"),
        ("Type 1.5 or 2.5: ", "text.colon"),
        ("By day (1) or by month (2)? ", "choice.keys"),
        ("Do you want to edit (e) or delete (d)? ", "choice.keys"),
        ("Press [p] for a photo (or [q] to quit): ", "choice.keys"),
        ("Play again? (y)Ja (n)Nein ", "yes_no.keys"),
        ("Annuler ce coup ? [O]ui ou [N]on", "yes_no.keys"),
        ("The colour (red/green)? ", "text.question"),
        ("Which size do you take? (small/large) ", "choice.brackets"),
        ("Birthday (DD/MM/YYYY): ", "text.colon"),
        ("Enter how many (e.g. 1, 2, 6): ", "text.colon"),
        ("Las siglas (ej: AP, PL, FP): ", "text.colon"),
        ("? Press Enter to return to the list... ", "unknown.any_key"),
        ("msf6 auxiliary(scanner/http/login) > ", "command.angle"),
        ("Enter a number (n): ", "text.colon"),
        ("1) old.gz\n2) new.gz\nOr pick one from the list above:\nEnter backup number (or full path): ", "choice.list"),
    ] {
        assert_eq!(by_words(text).0, rule, "{text:?}");
    }
}

#[test]
fn a_wizard_asks_above_its_sign_again_and_again() {
    for (text, rule) in [
        ("Connection name:\n> ada\nThe port of it:\n> ", "text.under"),
        ("Your key, please:\n >> a.pem\nThe file you wish to send:\n >> ", "path.under"),
        ("[INPUT] 組織名を入力してください：\n> A\n[INPUT] 名前を入力してください：\n> ", "text.under"),
        ("> help\nThe commands are:\n> ", "command.angle"),
        (" Name of it:\n > ada\n\n Which one?:\n  [a] red\n  [b] green\n > ", "choice.under"),
        (" Name of it:\n > ada\n\n Your mail?:\n > ", "text.under"),
        (" Go on with it? [Y/n] [n]:\n > ", "yes_no.under"),
        ("Go on?\n  [a] red\n  [b] green\n > ", "choice.under"),
        ("Are you sure?\n>>> ", "yes_no.under"),
        ("Is it dark?\n>>> ", "command.interpreter"),
    ] {
        assert_eq!(by_words(text).0, rule, "{text:?}");
    }
}

#[test]
fn other_languages_ask_the_same() {
    for (text, kind, dangerous) in [
        ("Tem certeza que deseja remover este usuário? (S/N): ", PromptKind::YesNo, true),
        ("Das Blatt nicht entfernen? (j/n) ", PromptKind::YesNo, false),
        ("Você escolheu remover: conta2\nTem certeza? (s/n): ", PromptKind::YesNo, true),
        ("Sei sicuro di voler proseguire? (Sì/No): ", PromptKind::YesNo, false),
        ("Sei sicuro di voler eliminare tutti i movimenti: ", PromptKind::YesNo, true),
        (
            "Este cliente se va.\n¿Está seguro de dar de baja al cliente?\n1. Si\n2. No\nOpción: ",
            PromptKind::Choice,
            true,
        ),
        ("Questa opzione cancellerà tutto.\nScrivi 'SÌ' per confermare: ", PromptKind::YesNo, true),
        ("Nome do arquivo: ", PromptKind::Path, false),
        ("Введите путь: ", PromptKind::Path, false),
        ("Zielverzeichnis: ", PromptKind::Path, false),
        ("出力ファイルのパスを入力してください: ", PromptKind::Path, false),
        ("Example: /path/to/it\nSource: ", PromptKind::Path, false),
        ("Пароль панели (мин. 6 символов): ", PromptKind::Password, false),
        ("Hub admin key (input hidden): ", PromptKind::Password, false),
        ("Eski ayarlara donulsun mu [E,H]?", PromptKind::YesNo, false),
        ("Wählen Sie eine Option: ", PromptKind::Choice, false),
    ] {
        let (rule, found, danger) = by_words(text);
        assert_eq!((found, danger), (kind, dangerous), "{text:?} by {rule}");
    }
}

#[test]
fn danger_is_read_as_far_as_it_goes() {
    for (text, dangerous) in [
        ("This will tag the commit and delete the branch. Continue? (y/n) ", true),
        ("Delete the record [yes]/[n]o: y\nType the full word 'yes' to confirm: ", true),
        ("Show the record [yes]/[n]o: y\nType the full word 'yes' to confirm: ", false),
        ("Are you sure you want to delete this record? [Y(y) / N(n)]: ", true),
        ("Do you want to promote this standby to primary? (yes/no): ", true),
        ("Clean the project directories shown above? [y/n] ", true),
        ("The database will be dropped.\nPress any key within 10 seconds to CANCEL the wipe...", false),
        ("Press any key for more or 'q' to terminate!", false),
        ("This modified the live database:\nProceed? [y/N] ", false),
        ("This will modify the LIVE database:\nProceed? [y/N] ", true),
    ] {
        assert_eq!(by_words(text).2, dangerous, "{text:?}");
    }
}
