//! The words of programs. A list of words is one text, because a list of so many lines is read by nobody.

use std::sync::LazyLock;

use crate::lexicon::{Lexicon, Lists, Stretches};

/// Destroy, wherever they stand.
pub(super) const VERBS: Lists = 1;
/// Destroy where a clause begins with them.
pub(super) const ORDERS: Lists = 1 << 1;
/// Destroy what is dear.
pub(super) const TOUCHING: Lists = 1 << 2;
/// What is dear to whoever owns a machine.
pub(super) const DEAR: Lists = 1 << 3;
/// What will have happened.
pub(super) const PASSIVE: Lists = 1 << 4;
/// Say that it is still to come.
pub(super) const COMING: Lists = 1 << 5;
/// Right behind a verb that no order begins with: only its name is spoken of.
pub(super) const NOT_DONE: Lists = 1 << 6;
/// Shortly before a verb: it is put off, reported, or somebody else's.
pub(super) const PUT_OFF: Lists = 1 << 7;
/// Stand before a question's verb without being what is asked.
pub(super) const POLITE: Lists = 1 << 8;
/// Say of what follows that it is going to happen.
pub(super) const ANNOUNCE: Lists = 1 << 9;
/// Are of no other language that we know.
pub(super) const ENGLISH: Lists = 1 << 10;
/// Say how something would be done, and not that it will be.
pub(super) const HINTS: Lists = 1 << 11;

/// Right behind a verb: it is done to nothing.
pub(super) const NOT_AT_ALL: Lists = 1 << 12;
/// Soon behind a verb: what may go without harm.
pub(super) const HARMLESS: Lists = 1 << 13;
/// Cost, where money is spoken of.
pub(super) const SPENDING: Lists = 1 << 14;
/// How much, and of what.
pub(super) const MONEY: Lists = 1 << 15;
/// Say of what follows that it may happen, unless somebody is told that he may do it.
pub(super) const PERHAPS: Lists = 1 << 16;
/// What is written to for good.
pub(super) const DISKS: Lists = 1 << 18;
/// Who may do it.
pub(super) const SOMEBODY: Lists = 1 << 17;
/// What is done where it is said to be: `the old ones are deleted`.
pub(super) const DONE: Lists = 1 << 19;
/// Say that it is done only then, or to those, or that it has been.
pub(super) const CONDITION: Lists = 1 << 20;

/// Which of these a word is in.
pub(super) static WORDS: LazyLock<Lexicon> = LazyLock::new(|| {
    let words = LISTS.iter().flat_map(|(list, words)| words.split_ascii_whitespace().map(|word| (*list, word)));
    Lexicon::new(words)
});
/// Parts of what a program shows: right behind a verb that begins a row they are named by it.
pub(super) const PARTS: Lists = 1 << 21;

const LISTS: [(Lists, &str); 22] = [
    (
        VERBS,
        "\
        delete deletes deleting deletion deletions erase erases erasing erasure wipe wipes wiping purge purges \
        purging destroy destroys destroying destruction overwrite overwrites overwriting clobber clobbers \
        clobbering truncate truncates truncating terminate terminates terminating obliterate nuke nuking shred \
        shreds shredding discard discards discarding uninstall uninstalls uninstalling autoremove expunge \
        annihilate eradicate unpublish unpublishing deprovision undeploy undeploying decommission revoke revokes \
        revoking revocation pay purchase buy refund remove removes removing removal unlink unlinks unlinking \
        drop drops dropping kill kills killing reformat reformatting zap zapping prune prunes pruning unregister \
        deregister poweroff reboot reboots rebooting rmdir evict resets resetting revert reverts reverting \
        abandon abandoning lose \
        loses losing dispose scrub overwrite-all hard-delete factory-reset force-push uncommit forget rollback \
        reinitialize reinitialise re-initialize re-initialise repartition invalidate deactivate cleanse \
        trashing unsubscribe deauthorize undefine unmerge unmerges unmerging deinstall deinstalls \
        deinstalling deinstallation uninstallation corrupt corrupts damage damages damaging termination unenroll \
        disenroll relinquish forfeit unprovision sigkill sigterm publish unrecord obliterates resign surrender \
        unfriend \
        vanish vanishes disappear disappears removals mdelete mrm force-update re-format re-formatting re-partition \
        failover \
        switchover eliminate eliminates eliminating rescind rescinds rescinding nullify \
        annul demolish dismantle dismantles dismantling dissolve dissolves dissolving disband disbands disbanding raze \
        razes razing reimage reimages reimaging incur incurs",
    ),
    (
        ORDERS,
        "replace reset flush descend rm empty expire halt shutdown recreate detach trash scrap clear kick ban expel \
        drain override force",
    ),
    (
        TOUCHING,
        "\
        clear clears clearing empty emptying empties flush flushes flushing replace replaces replacing format \
        formats formatting reset stop stops stopping halt halts cancel cancels disable rewrite rewriting rewrites \
        shrink shrinks shrinking reduce reduces reducing burn burns burning trim trims trimming \
        downgrade transfer charge zero zeroing initialize initialise initializing \
        initialising write writing writes clean cleaning cleanup recreate recreating expire expires detach shut \
        close throw blank blanking randomize label relabel demote demotes demoting interrupt interrupts \
        interrupting flash flashing reflash",
    ),
    (
        DEAR,
        "\
        table tables database databases db schema bucket buckets volume volumes disk disks drive drives \
        partition partitions partitioning device devices usb filesystem filesystems data records rows account \
        accounts backup backups snapshot snapshots history repository repo server servers cluster namespace \
        production instance instances vm vms machine machines container containers branch stash commits \
        certificate certificates firewall rules subscription everything queue queues topic environment nodes \
        messages mailbox logs trash contents mbr gpt sectors sector superblock journal media medium disc tape \
        registry wallet keyring keystore away domain domains pool pools array master existing credentials \
        credential passwords tokens secrets settings configuration configurations users accounts customers \
        members job jobs inbox archives firmware nvram eeprom bootloader profiles lv vg pv raid lun luns vault \
        contacts bookmarks notes photos cd cds \
        tenant tenants keys order orders booking reservation process processes chip dvd bios rom",
    ),
    (
        PASSIVE,
        "\
        deleted erased wiped purged destroyed overwritten truncated terminated discarded revoked dropped charged \
        lost removed uninstalled shredded formatted reformatted killed cleared emptied flushed replaced unlinked \
        zeroed pruned reset reverted trashed clobbered expunged forgotten abandoned unregistered deregistered \
        undefined downgraded rolled gone unrecoverable inaccessible unreadable invalidated expired nuked \
        scrubbed thrown damaged corrupted ruined unmerged deinstalled zapped unpublished deactivated \
        evicted detached kicked banned rebooted blanked burned billed debited stopped cancelled canceled rewritten \
        eliminated rescinded retracted dismantled demolished dissolved disbanded overridden fenced suspended",
    ),
    (COMING, "be being get gets getting"),
    (
        NOT_DONE,
        "\
        key keys: button buttons command commands flag flags option options marker character characters bit \
        hook hooks permission date icon dialog keyword shortcut menu handler endpoint \
        function ring switch method link \
        form markers log list links workflow workflows event events request requests input script rule test tests \
        label reason comment report reports \
        policy policies prompt prompts warning warnings notifications tool tools utility utilities",
    ),
    (
        NOT_AT_ALL,
        "\
        to into with by in out down time support protection mode confirmation confirmations caused none nothing",
    ),
    (
        HARMLESS,
        "\
        whitespace spaces blanks colors colours color colour screen cursor terminal zoom filter filters layout \
        indentation highlighting selection attention privileges privilege shell font theme bugs clipboard \
        characters blank width widths shadow shadows favourites favorites view leading trailing",
    ),
    (
        PUT_OFF,
        "\
        before after while when failed failure fails unable couldn't cannot can't error errors problem problems \
        trouble instead rather protect protects against tried trying safe safely refusing refuses refused skip \
        skipping skipped disallow forbid prohibit enable soft simulate simulated preview contain contains show how \
        prompted remind reminded reminder reminders",
    ),
    (
        POLITE,
        "\
        confirm shall should i we do you want to really are sure would like ok okay please and then so also wish \
        ready about may can will the now permanently just still proceed continue go ahead that this is it fine \
        or completely entirely fully secure securely recursively immediately irreversibly automatically forcefully",
    ),
    (ANNOUNCE, "will would going about shall must"),
    (ENGLISH, "the you this your with and be these are shall nothing before from make"),
    (HINTS, "use press run type try enter see hit how key keys option command"),
    (
        SPENDING,
        "\
        order orders send sends sending transfer transfers withdraw donate sell spend spends cost costs charge \
        charges bill bills billed",
    ),
    (
        MONEY,
        "\
        $* €* £* eur usd gbp chf jpy btc eth xmr ltc sat sats satoshi satoshis coin coins dollar dollars euro euros \
        money funds card invoice shares stocks credits",
    ),
    (
        DISKS,
        "\
        disk disks drive drives device devices partition partitions table gpt mbr sector sectors superblock \
        bootloader \
        firmware nvram eeprom flash tape media label chip bios rom \
        volume volumes filesystem filesystems lv vg array pool",
    ),
    (PERHAPS, "may might could can"),
    (SOMEBODY, "you we i they"),
    (
        DONE,
        "deleted erased wiped purged destroyed overwritten truncated discarded revoked dropped removed uninstalled \
        pruned replaced terminated",
    ),
    (
        CONDITION,
        "that which who what how if when whenever while where whether already after before once until unless yet \
        automatically daily weekly monthly every",
    ),
    (
        PARTS,
        "key key: keys button buttons command commands flag flags option options icon dialog keyword shortcut menu",
    ),
];

/// Say that there is no way back.
pub(super) const FINAL: &[&str] = &[
    "cannot be undone",
    "changed since reading",
    "can't be undone",
    "can not be undone",
    "not be undone",
    "cannot undo",
    "can't undo",
    "irreversib",
    "irrevocab",
    "unrecoverab",
    "not reversible",
    "non-reversible",
    "no undo",
    "not undoable",
    "n't undoable",
    "no way back",
    "no going back",
    "no turning back",
    "point of no return",
    "permanently",
    "data loss",
    "loss of data",
    "corruption of",
    "cause corruption",
    "cause data corruption",
    "loss of all",
    "be recoverable",
    "lose all",
    "lose any",
    "lose your",
    "is lost",
    "are lost",
    "get rid of",
    "start from scratch",
    "for good",
    "destructive",
    "partition table to",
    "changes to disk",
    "changes to the disk",
    "exit anyway",
    "quit anyway",
    "kill anyway",
    "write anyway",
    "copy anyway",
    "push anyway",
    "publish anyway",
    "deploy anyway",
    "leave anyway",
    "close anyway",
    "force push",
    "force-with-lease",
    "reset --hard",
    "shut down",
    "power off",
    "tear down",
    "take down",
    "factory default",
    "factory settings",
    "blow away",
    "wiped clean",
    "rewrite history",
    "make unusable",
    "become unusable",
    "roll back",
    "without a backup",
    "place the order",
    "throw away",
    "powered off",
    "powered down",
    "powering off",
    "shutting down",
    "torn down",
    "tearing down",
    "wipe out",
    "blank out",
    "wipes out",
    "wiping out",
    "wiped out",
    "by force",
    "forcibly",
    "confirm payment",
    "confirm the payment",
    "confirm your payment",
    "confirm the order",
    "confirm your order",
    "place your order",
    "submit the order",
    "transaction fee",
    "for ever",
    "blown away",
    "lose access",
    "hard reset",
    "the loss of",
    "brick the",
    "brick your",
    "is permanent",
    "last chance",
    "dangerous",
    "risky",
    "fail to boot",
    "harmful",
    "fee of",
    "total fee",
    "stops working",
    "stop working",
    "no way to take",
    "void the warranty",
    "voids the warranty",
    "void your warranty",
    "will go away",
    "are gone",
    "is gone",
    "not survive",
    "thrown away",
    "switched off",
    "goes down",
    "going down for",
    "go live",
    "one-time operation",
    "in its place",
    "without where",
    "without a where",
    "factory reset",
    "is one-way",
    "one-way operation",
    "one-way migration",
    "one-way change",
    "about to release",
    "with publishing",
    "with payment",
    "with this payment",
    "with the payment",
    "start billing",
    "starts billing",
    "record over",
    "write over",
    "written over",
    "save over",
    "not be kept",
    "are not kept",
    "is not kept",
    "not preserved",
    "not be preserved",
    "without making a backup",
    "with reload",
    "with the reload",
];

/// Kept as it is: `permanently add it to the list`.
pub(super) const KEPT: [&str; 13] = [
    "add", "added", "allow", "accept", "trust", "store", "save", "enable", "install", "mount", "remember", "use",
    "keep",
];

/// Whether any of these is in a text.
pub(super) static IS_FINAL: LazyLock<Stretches> = LazyLock::new(|| Stretches::new(FINAL.iter().copied()));

/// Verbs in two parts, with what they are done to between them: `shut the server down`.
pub(super) const SPLIT: [(&str, &str); 11] = [
    ("shut", "down"),
    ("tear", "down"),
    ("take", "down"),
    ("bring", "down"),
    ("throw", "away"),
    ("turn", "off"),
    ("switch", "off"),
    ("power", "off"),
    ("roll", "back"),
    ("rolling", "back"),
    ("wipe", "out"),
];
