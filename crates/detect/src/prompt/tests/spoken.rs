//! How programs ask in words that lists of verbs do not have: titles, announced lists, names to be typed, languages.

use super::danger::all;
use super::words::rule;

#[test]
fn what_is_announced_above_a_list_is_said_of_each_of_its_items() {
    all(
        true,
        &[
            "This will:\n  - Discard every local change\n  - Start the service\n\nProceed with the deployment? [y/N] ",
            "The following will be:\n  * removed from the index\n\nGo on with it? [y/N] ",
            "Cache reset: Clear 12 records and 3 exceptions\nAre you sure you want to proceed? [y/N] ",
            "make: removing the following directories:\n./out\nProceed? [y/N] ",
            "changed since reading it!\nDo you really want to write to it (y/n)?",
        ],
    );
    all(
        false,
        &[
            "This will:\n  - Start the service\n  - Show its log\n\nProceed with the deployment? [y/N] ",
            "Usage: delete FILE\nContinue? [y/N] ",
            "Note: remove the card when you are done\nContinue? [y/N] ",
            "Save it? (empty fields are kept) [Y/n] ",
        ],
    );
}

#[test]
fn who_types_a_name_shows_that_he_knows_what_goes() {
    all(true, &["Type \"ghost\" to confirm: ", "Please type the name of the site to confirm: "]);
    all(false, &["Type \"continue\" to confirm: ", "Type your mail address again to confirm: "]);
    assert_eq!(rule("To go on, type \"dev\" or run this\nagain with --yes\n\n> "), "text.typed_confirmation");
}

#[test]
fn the_word_to_type_is_told_in_other_languages_too() {
    assert_eq!(rule("Escriba BORRAR para continuar: "), "text.typed_confirmation");
    for text in ["Tapez \"oui\" pour confirmer : ", "Введите \"да\" для подтверждения: "] {
        assert_eq!(rule(text), "yes_no.typed", "{text}");
    }
    assert_ne!(rule("Escriba su nombre para continuar: "), "text.typed_confirmation");
    all(true, &["Esto BORRARÁ el disco. Escriba BORRAR para continuar: "]);
}

#[test]
fn one_key_may_stand_in_brackets_and_the_other_without() {
    for text in
        ["Format it? [Y]/N:", "enable access for windows? [y]/n", "Connect it now? (y)es or no:", "Go on? yes/[no] "]
    {
        assert_eq!(rule(text), "yes_no.half", "{text}");
    }
    assert_eq!(rule("? Proceed? (ynH) "), "yes_no.letters");
    assert_eq!(rule("a.txt has changed\ndiff/overwrite/skip/quit? "), "choice.slashes");
    assert_eq!(rule("src/domain/task? "), "text.question");
    assert_eq!(rule("Go on? (y/n) Default is n. "), "yes_no.brackets");
    assert_eq!(rule("Really delete it?> "), "yes_no.sure");
    assert_eq!(rule("Remove it?\n(anything other than 'yes' will cancel) > "), "yes_no.typed");
}

#[test]
fn what_is_asked_for_is_not_the_key_that_ends_it_nor_the_file_that_is_listed() {
    assert_eq!(rule("Type your password and press [Return]: "), "password.words");
    assert_eq!(rule("Select a type:\n   1:  a.conf\n   2:  b.conf\n\nSelect File: "), "choice.list");
    assert_eq!(rule("What is its name?\n(one of Group::Thing)\n>> "), "text.under");
    assert_ne!(rule("Please enter the URL of your file: "), "path.words");
}

#[test]
fn an_answer_is_asked_for_under_the_question() {
    all(true, &["Le dossier existe déjà. Voulez-vous le supprimer ? (o/n)\nVotre choix : "]);
    assert_eq!(rule("Start it now? (y/n)\nYour answer: "), "yes_no.under");
}

#[test]
fn danger_is_known_in_more_languages() {
    all(
        true,
        &[
            "Er du sikker på at du vil slette databasen? (j/n): ",
            "Vill du radera filen? [j/n] ",
            "Czy na pewno usunąć plik? [t/n] ",
            "Opravdu smazat soubor? [a/N] ",
            "Ви дійсно хочете видалити файл? [y/n] ",
            "Dosya silinsin mi? [e/H] ",
            "볼륨을 삭제하면 데이터가 사라집니다. 계속? [y/N] ",
            "Die Datei wird geloescht.\nFortfahren? [j/n] ",
            "確定要刪除這個檔案嗎？ [y/n]: ",
            "Вы уверены, что хотите очистить конфиг? [y/N]: ",
        ],
    );
    all(
        false,
        &[
            "Vil du fortsette? (j/n): ",
            "Czy chcesz zainstalować pakiet? [t/n] ",
            "Devam edilsin mi? [e/H] ",
            "계속하시겠습니까? [y/N] ",
            "파일을 삭제하지 않고 계속할까요? [y/N] ",
            "Для удаления отмечено 0 пакетов.\nПродолжить? [y/N] ",
            "Este script configura todas las opciones para la casa.\n¿Desea continuar? (S/n): ",
        ],
    );
}
