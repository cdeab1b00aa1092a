//! Which questions destroy: in as many words as programs have for it, and beside them what only sounds like it.

use super::super::*;

fn is_dangerous(text: &str) -> bool {
    let moment = Moment { quiet: Some(std::time::Duration::from_secs(1)), ..Moment::default() };
    detect(&ScreenView::of_text(text), &moment).is_some_and(|prompt| prompt.is_dangerous)
}

#[track_caller]
pub(super) fn all(dangerous: bool, table: &[&str]) {
    let wrong: Vec<_> = table.iter().filter(|text| is_dangerous(text) != dangerous).collect();
    assert!(wrong.is_empty(), "dangerous should be {dangerous}: {wrong:#?}");
}

#[test]
fn an_order_to_destroy_counts_wherever_it_stands() {
    all(
        true,
        &[
            "writable x exists; remove it? [ny](n): ",
            "x.tmp: still there, unlink it? (y/n) ",
            "Found 3 stale locks. Kill their owners? [y/N] ",
            "You are about to drop the index. Sure? (yes/no) ",
            "Release (and delete) directory `m'? ",
            "Are you sure you want to release (and delete) directory `m': ",
            "Do you really want to reformat it? (y/n) ",
            "Proceed with the removal of 12 packages? [y/N] ",
            "Confirm deletion (y/n): ",
            "Deletion of volume 3: go on? (y/N) ",
            "Ready to purge. Continue? [Y/n] ",
            "Shall I discard what you typed? (y-n) ",
            "Revoke this token? [y|N] ",
            "Prune 4 branches? {y/n} ",
            "Uninstall gem? [yN] ",
            "foo: zap it (y/n)? ",
            "Kill session 3? (y/n) ",
            "Terminate all 5 jobs? [y,n] ",
            "Evict the tenant? (y/n) ",
            "Undeploy the app? [y/n]: ",
            "Really empty the trash? (y/N) ",
            "Empty the trash can? (y/N) ",
            "Replace b.txt? (y/n) ",
            "b.txt exists. Replace? [y/N] ",
            "Reset? (y/n) ",
            "Abandon this change? (y/n) ",
            "Trash 3 items? [y/N] ",
            "Format the volume? (y/n) ",
            "Wipe it? [y/n]: ",
            "Send 0.5 coins: pay now? (yes/no) ",
            "Forget this remote and all its branches? [y/N] ",
            "Clear all the messages? (y/n) ",
            "Flush the firewall rules? (y/n) ",
            "Stop the server? (y/n) ",
            "Unregister the machine? (y/n) ",
            "Really shut the remote process down y/N? ",
            "Tear the stack down? (y/n) ",
            "Roll back? This is a rollback of 3 steps (y/n) ",
            "Confirm 'kill-pane'? (y/n) ",
            "< rm ... ./b > ? ",
        ],
    );
}

#[test]
fn what_will_be_lost_is_danger_and_so_is_what_cannot_be_taken_back() {
    all(
        true,
        &[
            "All data on x.img will be lost! Continue? (y/n) ",
            "The old key will be overwritten. Go on? (y/n) ",
            "3 files to be removed. OK? [Y/n] ",
            "This cannot be undone. Continue? (y/n) ",
            "This action is irreversible, continue? (y/n) ",
            "There is no undo. Sure? [y/N] ",
            "It may cause data loss. Go on? [y/N] ",
            "You will lose all your changes. Continue? (y/n) ",
            "Permanently? (y/n) ",
            "The session is going to be terminated, ok? (y/n) ",
            "Everything in the folder is about to be erased. Proceed? [y/N] ",
            "Your settings get reset. Continue? (y/n) ",
            "The machine will be powered off: power off now? (y/n) ",
            "Shut down 2 guests? (y/n) ",
            "Write the partition table to disk? (yes/no) ",
            "Write changes to disk? [y/N] ",
            "The operation is destructive. Continue? [y/N] ",
        ],
    );
}

#[test]
fn a_question_that_says_nothing_leans_on_what_stands_above_it() {
    all(
        true,
        &[
            "Warning! All data on x.img will be lost!\n\nContinue? (Y/N) ",
            "WARNING: This will remove:\n  - all images\n  - all volumes\nAre you sure? [y/N] ",
            "These actions will be performed:\n  - remove a 1.0\n  - remove b 2.0\nDo you want to continue? [Y/n] ",
            "Removing:\n a\n b\nIs this ok [y/N]: ",
            "You are about to delete the realm.\n\nType the word 'yes' to continue: ",
            "Resetting all rules to their defaults.\nProceed with operation (y|n)? ",
            "A backup of your files is recommended.\n\nDo you want to continue? [y/N]: ",
            "This will permanently delete 3 items\nPress ENTER to continue or Ctrl-C to abort",
            "These files go away for good:\n a\n b\nTo continue, type 'Yes, I know': ",
            "I was asked to completely delete the archive.\nContinue? (y/n) ",
        ],
    );
    all(
        false,
        &[
            "Installing:\n a\n b\nIs this ok [y/N]: ",
            "3 upgraded, 2 newly installed, 0 to remove and 4 not upgraded.\nDo you want to continue? [Y/n] ",
            "d   delete a partition\nn   add a partition\nDo you want to see more? (y/n) ",
            "Deleted 3 old files.\nContinue? [y/N] ",
            "(use \"x rm\" to remove one)\nContinue? [y/N] ",
            "Removed a.\nRemoved b.\nInstall c? [Y/n] ",
            "Press d to delete.\nUse colours? [y/N] ",
        ],
    );
}

#[test]
fn what_is_there_already_would_be_replaced() {
    all(
        true,
        &[
            "a.txt exists.\n(r)ename, (o)verwrite, (s)kip, (q)uit? ",
            "a.txt already exists. [o]verwrite, [s]kip, [r]ename? ",
            "File exists: overwrite/skip/rename? [overwrite,skip,rename]: ",
            "overwrite x [no, yes, all, quit]? ",
            "b: already there -- overwrite (y/n)? ",
            "Output file exists; do you wish to overwrite (y or n)? ",
            "Set 1 of 2: keep which files? (1 - 3, [a]ll, [n]one): ",
            "Set 1 of 2, preserve files [1 - 3, all, quit]: ",
        ],
    );
    all(
        false,
        &[
            "(A)dd, (D)elete, (E)dit, (Q)uit? ", "What next [add,delete,list,quit]? ",
            "1) add\n2) delete\nYour choice: ",
        ],
    );
}

#[test]
fn to_leave_without_saving_loses_what_was_typed() {
    all(
        true,
        &[
            "Modified buffers exist; really exit? (y or n) ",
            "Buffer modified; kill anyway? (y or n) ",
            "The text was modified. Quit anyway? (y/n) ",
            "Quit without saving? (y/n) ",
            "Exit without writing changes? [y/N] ",
            "There are unsaved changes. Really close? (y/n) ",
        ],
    );
    all(
        false,
        &[
            "Save modified buffer? (y/n) ",
            "Save unsaved changes? (y/n) ",
            "Really quit? (y/n) ",
            "Do you want to exit? (y/n) ",
            "Save changes to a.txt before closing? (y,n,esc) ",
        ],
    );
}

#[test]
fn what_is_negated_named_reported_or_taken_back_destroys_nothing() {
    all(
        false,
        &[
            "A backup was written to a.bak.\nDo you want to continue? [y/N]: ",
            "Undo delete? [y/N] ",
            "Restore the deleted files? (y/n) ",
            "Cancel the removal? (y/n) ",
            "Abort the deletion? (y/n) ",
            "Keep the old files (nothing will be deleted)? [Y/n] ",
            "No files will be removed. Continue? [Y/n] ",
            "Continue without deleting anything? (y/n) ",
            "Do not overwrite: use another name? (y/n) ",
            "Never delete. Is that understood? (y/n) ",
            "Does the backspace key send delete key codes? (y/n) ",
            "Use the delete button? (y/n) ",
            "Ask before deleting? [Y/n] ",
            "Confirm before overwriting files? [Y/n] ",
            "Warn before removing a folder? [Y/n] ",
            "Failed to remove the lock. Try again? [y/N] ",
            "Could not delete a: try once more? (y/n) ",
            "Unable to kill 123. Continue? (y/n) ",
            "Error removing a. Ignore it? (y/n) ",
            "Enable deletion protection? [Y/n] ",
            "Drop privileges? [Y/n] ",
            "Drop to a shell? (y/n) ",
            "Drop into the debugger? [y/N] ",
            "Add a \"delete\" rule? (y/n) ",
            "The word is `erase`. Right? (y/n) ",
            "The package was removed yesterday. Install it again? [y/N] ",
            "Has the disk been formatted? (y/n) ",
            "Retry? Files already deleted stay so (y/n) ",
            "Clear the screen? (y/n) ",
            "Format the code? (y/n) ",
            "Replace tabs by blanks? (y/n) ",
            "Use the existing data? [Y/n] ",
            "Create a new table? (y/n) ",
            "Continue? [y/N] ",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "Install these packages? [Y/n] ",
            "Restart the service? (y/n) ",
            "Do you really want to restart execution? (type y or n): ",
            "Enter password to delete the account: ",
            "Delete which file: ",
            "Is it safe to remove the drive? (y/n) ",
        ],
    );
}

#[test]
fn a_nought_counts_where_it_is_a_number_and_not_a_name() {
    all(
        true,
        &[
            "Disk 0 will be erased. Continue? [y/N] ",
            "All data on drive 0 will be destroyed. Proceed? (y/n) ",
            "Volume group 0 will be removed. Continue? [y/N]: ",
            "Controller 0, unit 0 will be formatted. Are you sure? (y/n) ",
            "Delete RAID 0 array? [y/N] ",
            "festplatte 0 löschen? [j/N] ",
        ],
    );
    all(
        false,
        &[
            "3 upgraded, 2 newly installed, 0 to remove and 4 not upgraded. Continue? [Y/n] ",
            "0 files will be removed. Continue? [y/N] ",
            "5 added and 0 will be deleted. Continue? [y/N] ",
        ],
    );
}

#[test]
fn who_is_shown_something_first_may_still_lose_it_then() {
    all(true, &["Show the plan and delete the volume? [y/N] ", "Print the list, then erase all files? (y/n) "]);
    all(false, &["Show the list of files to delete? [y/N] ", "Display all 2000 possibilities? (y or n)"]);
}

#[test]
fn what_is_opened_to_all_or_taken_from_others_is_danger_and_what_a_program_shall_do_is_not() {
    all(
        true,
        &[
            "Change visibility to public? (y/N) ",
            "Expose port 22 to the internet? [y/N] ",
            "Allow everyone to read this bucket? [y/N] ",
            "Skip verification of the signature? [y/N] ",
            "Break lock? [y/N] ",
            "Disconnect 3 clients? [y/N] ",
            "Block this contact? (y/n) ",
            "Release v2.0.0 to npm? (Y/n) ",
            "Downgrade 4 migrations? [y/N] ",
            "Rolling back to the one before. Are you sure? [y/N]: ",
            "Restore will overwrite the current database. Continue? (y/N) ",
            "Blank out MBR? (Y/N): ",
            "Burn this CD? [y/N] ",
            "Are you sure? (Type 'yes' in capital letters): ",
            "To confirm, type the project name (acme-web): ",
            "Revoke the certificate for example.org. Continue? (Y)es/(N)o: ",
            "Fetch it, and empty the trash? [y/N] ",
            "Destination is mounted. Write anyway? (y/N) ",
            "Undo the last 3 commits? [y/N] ",
            "APPLICATION IN PRODUCTION.\r\n\r\nDo you want to continue? [y/N] ",
        ],
    );
    all(
        false,
        &[
            "Restore the deleted files? (y/N) ",
            "Should users be able to delete their account? (y/N) ",
            "Do you plan to publish this package? [Y/n] ",
            "Generate a form to remove users? (Y/n) ",
            "Track removals? [y/N] ",
            "Add drop shadow? [y/N] ",
            "Set up a publish workflow? [Y/n] ",
            "Initialize empty repository? (Y/n) ",
            "Allow empty passwords? [y/N] ",
            "Skip the tests? [y/N] ",
            "Undo the last edit? [y/N] ",
            "Allow cookies? [y/N] ",
        ],
    );
}
