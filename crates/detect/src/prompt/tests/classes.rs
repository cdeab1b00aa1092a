//! Classes of danger, each beside what only looks like it: a pair that harms together, an effect that is told, a way
//! back that is missing, what is left for later.

use super::super::*;
use super::danger::all;

#[test]
fn a_verb_harms_what_is_named_for_it() {
    all(
        true,
        &[
            "Make the page public? (y/N) ",
            "Deploy to production? (y/N) ",
            "Publishing release 3. Proceed? [yN] ",
            "Give bob root rights? (y/N) ",
            "Disable two-factor authentication? (y/N) ",
            "The system will be restarted. Continue? [y/N] ",
            "This would make the device unbootable. Continue? (y/n) ",
            "It will take the database off-line. Continue? (y/n) ",
            "Create it for $20/month? (y/N) ",
            "Estimated cost: €3.10/hour. [y/N] ",
            "Transfer ownership to bob? (y/N) ",
            "It replaces every setting. Continue? (y/N) ",
            "Write new label?: [y] ",
        ],
    );
    all(
        false,
        &[
            "Make a backup? (y/N) ",
            "Make a public key? (y/N) ",
            "Deploy to the test cluster? (y/N) ",
            "Give it a name? (y/N) ",
            "Disable colours? (y/N) ",
            "The service will be restarted. Continue? [y/N] ",
            "Use $HOME/month? (y/N) ",
            "Is this the release? (y/N) ",
            "Is the disk empty? (y/n) ",
            "Do you like the format? (y/n) ",
        ],
    );
}

#[test]
fn that_there_is_no_way_back_is_said_in_many_ways() {
    all(
        true,
        &[
            "It can not be easily undone. Continue? (y/n) ",
            "It can never be changed later. Continue? (y/n) ",
            "Nothing can be recovered. Continue? (y/n) ",
            "The tables will no longer be accessible. Continue? (y/n) ",
            "The disk will not be readable. Continue? (y/n) ",
            "It will be stored, and can't be removed later. Continue? (y/n) ",
        ],
    );
    all(
        false,
        &[
            "It can be undone. Continue? (y/n) ",
            "It can be changed later. Continue? (y/n) ",
            "It cannot be found. Continue? (y/n) ",
            "It will not be long. Continue? (y/n) ",
            "To be or not to be? (y/n) ",
            "Is that all it cannot be? (y/n) ",
            "Learn more about data loss prevention? (y/n) ",
            "Read about data loss protection? (y/n) ",
            "Archive it rather than removing it for good? (y/n) ",
        ],
    );
}

#[test]
fn an_effect_is_told_in_the_present() {
    all(
        true,
        &[
            "You are deleting the last user.\nContinue? (y/n) ",
            "Unlocking it wipes the card.\nContinue? (y/n) ",
            "This stops the machine.\nContinue? (y/n) ",
            "Local settings are discarded.\nProceed? (y/N) ",
            "1. Erase the disk\n2. Copy the system\nContinue? (y/n) ",
            "Completely erase everything\nContinue? (y/n) ",
            "5 to remove.\nGo on with it? [y/N] ",
            "Packages to remove: foo\nReady for it? [Y/n] ",
            "foo-1.0_1 remove\nContinue? (y/n) ",
            "Found ext4 filesystem\nContinue? (y/n) ",
            "/dev/sdb is entire device, not a partition\nContinue? (y/n) ",
            "Keep the machine on a power source.\nPerform operation? [Y|n]: ",
        ],
    );
    all(
        false,
        &[
            "Files that are deleted stay in the list.\nContinue? (y/n) ",
            "Temporary files are deleted when it ends.\nContinue? (y/n) ",
            "Each run deletes its own files.\nContinue? (y/n) ",
            "0 to remove.\nGo on with it? [y/N] ",
            "The function foo will be removed in a future release.\nContinue? (y/n) ",
            "Found 3 users\nContinue? (y/n) ",
            "Wait for the pods that are terminating? (y/n) ",
        ],
    );
}

#[test]
fn what_is_spoken_of_or_left_for_later_is_not_asked() {
    all(
        false,
        &[
            "You can remove it at any time. Install it? [Y/n] ",
            "You may cancel the jobs whenever you like. Start? [Y/n] ",
            "To delete it later, use rm. Create it? [Y/n] ",
            "You can delete any of the files whenever it suits you. Start? [Y/n] ",
            "Deletion of the volume failed. Try again? (y/n) ",
            "Overwriting is forbidden. Continue? (y/n) ",
            "Is the revocation certificate there? (y/n) ",
            "Protect it from deletion? [Y/n] ",
            "Learn how to delete a user? (y/n) ",
            "Is \"drop\" the word? (y/n) ",
            "Send a reminder to reboot? [y/N] ",
            "Config exists. Use it here? (If no, you will be prompted to overwrite it) [Y/n]: ",
        ],
    );
    all(
        true,
        &[
            "You are about to delete key 3.\nContinue? (y/n) ",
            "It needs a reboot to complete. Start it? (y/n) ",
            "Delete policy 3? (y/n) ",
            "Replace it with the new one? (y/n) ",
            "It is not recommended to uninstall/disable it.\nContinue? (y/n) ",
            "The old ones, which are erased with it, are many.\nContinue? (y/n) ",
            "Exit with uncommitted changes? (y/n) ",
        ],
    );
}

#[test]
fn a_sentence_may_be_longer_than_its_row() {
    all(
        true,
        &[
            "WARNING: it is mounted. If it goes on, the check will\ncause severe damage.\nReally continue<n>? ",
            "Undo information will be lost. Reload the file? (y/n) ",
            "Replace the running rules by the ones in /etc? (y/N) ",
        ],
    );
    all(
        false,
        &[
            "It comes with no warranty; it may destroy your data.\nDo you accept the terms? (y/n) ",
            "Add (a), change (c), delete (d) or quit (q)? ",
            "Remove the leading '/' from names? [Y/n] ",
            "Delete none, fetch all? (y/n) ",
            "All this is what the program itself will not do.\ncause damage.\nContinue? (y/n) ",
        ],
    );
}

#[test]
fn what_is_typed_to_the_letter_confirms_what_stands_above() {
    all(
        true,
        &[
            "This will remove the stack!\nPlease confirm that it is meant by typing `dev`: ",
            "You are about to remove all of it, please type: \"Yes I am aware\": ",
            "Please confirm the cluster name to remove: ",
            "This command will destroy x.\nTo proceed, type \"x\"\n> ",
            "It erases the drive.\nType the number of the drive to go ahead: ",
            "Type DELETE to confirm: ",
            "Please type in the name of the machine to reboot: ",
        ],
    );
    all(
        false,
        &[
            "Commands are listed.\nType one\n> ",
            "Please confirm the password to remove: ",
            "Type the name of the file to open: ",
        ],
    );
}

#[test]
fn a_menu_takes_the_place_of_what_is_there() {
    all(
        true,
        &[
            "? Folder x already exists. What now? (Use arrow keys)\n❯ Overwrite\n  Merge\n  Cancel\n",
            "? The folder is not empty: (Use arrow keys)\n❯ Remove existing files\n  Ignore them\n",
            "? What now? (Use arrow keys)\n❯ Overwrite\n  Merge\n",
            "? What do you want to do?\n  Edit \n❯ Delete \n",
            "? What do you want to do?\n  [updated] Check packages \n❯ [publish] Publish packages \n",
            "1 - Kill cmos\n2 - Kill cmos (keep the date)\n0 - Abort\nChoice : ",
            "Main Menu\n   📝 Edit lines\n▶  🔌 Uninstall from the shell\n   🚪 Exit\n",
            "Keep foo? [Ynpsq?], [H]elp: ",
            "? 🚀  this will overwrite your current text with what we found in the folder. Are yo\n\
             u sure? (Use arrow keys)\n❯ No \n  Yes\n",
        ],
    );
    all(
        false,
        &[
            "? What now? (Use arrow keys)\n  Overwrite\n❯ Merge\n",
            "? What do you want to do?\n❯ Edit \n  Delete \n",
            "1 - Kill cmos\n2 - Show cmos\n0 - Abort\nChoice : ",
            "1 - Skip\n0 - Abort\nChoice : ",
            "Press any keys - Ctrl-D will terminate this program\n",
            "? Clear which cache? (Use arrow keys)\n❯ Remove nothing\n  Refresh it\n",
            "? Exists. What now? (Use arrow keys)\n❯ Go\n  No\n",
        ],
    );
}

#[test]
fn a_full_screen_draws_its_question_over_another_row() {
    let sight = ScreenView { alternate: true, ..ScreenView::of_text("a.txt\nb.txt\ndelete 'a.txt' ? [y/N]2 07:29:55") };
    let found = detect(&sight, &Moment::default()).unwrap();
    assert_eq!((&*found.matched_pattern.to_string(), found.is_dangerous), ("yes_no.brackets", true));
    assert_eq!(found.prompt_text, "delete 'a.txt' ? [y/n]");
}

#[test]
fn what_a_verb_is_done_to_says_whether_it_harms() {
    all(
        true,
        &[
            "Rotate the signing keys? [y/N] ",
            "Move 3 files to the trash? [Y/n] ",
            "Squash 3 commits? [y/N] ",
            "Yank version 1.2? [y/N] ",
            "Lock the account of bob? (y/n) ",
            "Submit 3 orders? (yes/no) ",
            "Sign and broadcast the transaction? [y/N] ",
            "The previous version will be replaced: this replaces the previous one. Continue? [y/N] ",
            "You are about to rewrite all original files. Sure? [y/N] ",
            "Shrink /dev/sdb1? [y/N] ",
            "Burn the image to /dev/sr0? [y/N] ",
            "Stop process 42? [y/N] ",
            "Reload the switch? [yes/no]: ",
            "Migrate the database? [y/N] ",
            "Override the folder? [y/N] ",
            "Turn off the firewall? [y/N] ",
            "Proceed with this payment? [y/N] ",
            "Cancel 12 queued downloads? [y/N] ",
            "Keep the first and remove the others? [y/n] ",
            "Write zeros to it? [y/N] ",
            "You will no longer be able to change it. Continue? [y/N] ",
            "It is a one-way operation. Continue? [y/N] ",
            "Remove script: a.sh\nAre you sure? [y/N] ",
        ],
    );
    all(
        false,
        &[
            "Rotate the page? [y/N] ",
            "Move 3 files to ./src? [Y/n] ",
            "Push 3 commits to origin/topic? [Y/n] ",
            "Lock the screen? (y/n) ",
            "Initialize a repository? (y/n) ",
            "Reduce the quality to save data? [y/N] ",
            "Reload the page? [y/N] ",
            "Migrate the settings? [y/N] ",
            "Override the default port? [y/N] ",
            "Turn off colours? [y/N] ",
            "Detach from this session? (y/n) ",
            "Clear the search? (y/n) ",
            "Replace this occurrence? (y/n) ",
            "Stop at the first error? [y/N] ",
            "Keep the old ones? [y/N] ",
            "Delete key: removes a letter\nContinue? [y/N] ",
        ],
    );
}

#[test]
fn what_is_true_of_every_secret_licence_and_rehearsal_happens_to_nothing_now() {
    all(
        false,
        &[
            "If you lose this key your data cannot be recovered.\nHave you written it down? (y/n) ",
            "Losing your password means that all data is lost. Continue? [y/N] ",
            "Passwords cannot be recovered if you forget them.\nCreate one? [y/N] ",
            "The code can not be shown again.\nDone? [y/N] ",
            "Permanently add it to the list? [y/N] ",
            "This licence ends when you destroy all copies.\nDo you accept? (yes/no) ",
            "3 files would be deleted (dry run).\nShow them? [y/N] ",
            "3 files would be deleted (dry-run).\nShow them? [y/N] ",
            "Dry-run: would delete 3 files\nShow them? [y/N] ",
            "Simulating: delete 3 files\nShow them? [y/N] ",
        ],
    );
    all(
        true,
        &[
            "If you go on you lose all keys. Continue? [y/N] ",
            "This cannot be undone later. Continue? [y/N] ",
            "Permanently delete it? [y/N] ",
        ],
    );
}

#[test]
fn other_languages_leave_without_saving_and_restart_machines_too() {
    all(
        true,
        &[
            "Ohne Speichern beenden? (j/n) ",
            "Rechner jetzt neu starten? (j/n) ",
            "Quitter sans enregistrer ? (o/n) ",
            "¿Salir sin guardar? (s/n) ",
            "¿Reiniciar el equipo? (s/n) ",
            "Sair sem salvar? (s/n) ",
            "Uscire senza salvare? (s/n) ",
            "Tutti i dati andranno persi. Continuare? (s/n) ",
            "Afsluiten zonder op te slaan? (j/n) ",
            "Выйти без сохранения? (д/н) ",
            "放弃更改并退出？[y/n] ",
            "保存せずに終了しますか？ [y/n] ",
        ],
    );
    all(
        false,
        &[
            "Änderungen speichern? (j/n) ", "Redémarrer le service ? (o/n) ", "是否保存更改？[y/n] ",
            "¿Guardar los cambios? (s/n) ",
        ],
    );
}

#[test]
fn what_is_sent_to_a_tracker_cannot_be_taken_back() {
    all(
        true,
        &[
            "Send bug report to bugs@example.org? [y/n] ",
            "Do you want to go ahead and submit the bug report now? (y/n) ",
            "Confirm bug submission (Y/n)? ",
        ],
    );
    all(
        false,
        &["Please send bug reports to bugs@example.org.\nPress enter to continue:", "Read the bug report? [y/n] "],
    );
}
