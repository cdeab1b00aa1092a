//! Verbs that do harm only together with what is named here: to make something is harmless, to make it public is not.

use std::sync::LazyLock;

use crate::lexicon::{Lexicon, Lists};

/// Verbs, and what they do harm to when it stands in the same clause.
const PAIRS: [(&str, &str); 42] = [
    // From then on everybody sees it.
    ("make makes making", "public world-readable world-writable"),
    ("visibility", "public"),
    ("expose exposes exposing", "internet public world everyone everybody anyone"),
    ("allow allows allowing let lets letting", "everyone everybody anyone"),
    ("publishing publishes", "package packages release releases version versions public registry following"),
    ("deploy deploys deploying push pushing promote promotes promoting roll", "production prod live mainnet"),
    ("release releases releasing", "customers everyone everybody public production npm pypi"),
    ("transfer transfers transferring", "ownership"),
    // Somebody may do everything.
    (
        "grant grants granting give gives giving",
        "admin administrator administrators root superuser sudo owner ownership rights everyone everybody anyone",
    ),
    // What guards no longer does.
    (
        "disable disables disabling bypass bypasses bypassing weaken weakens",
        "firewall firewalld ufw two-factor 2fa mfa protection authentication encryption selinux apparmor antivirus \
         verification tls ssl signature signatures",
    ),
    ("skip skips skipping", "signature signatures checksum checksums tls ssl"),
    ("break breaks breaking steal steals stealing", "lock locks lease leases"),
    // Whatever runs there ends. A program that is started again is no machine.
    (
        "restart restarts restarted restarting reload reloads reloading",
        "system computer machine host pc laptop switch router device devices",
    ),
    // What lies there is made into something else.
    ("migrate migrates migrating", "database databases db schema schemas data production"),
    ("downgrade downgrades downgrading", "migration migrations revision revisions schema schemas version versions"),
    // It is there, and of no use.
    (
        "render renders rendering make makes making leave leaves become becomes",
        "unusable unbootable useless unreadable inaccessible unavailable void invalid",
    ),
    (
        "clean cleans cleaning",
        "project projects modules changes path paths directory directories folder folders workspace everything \
         images containers volumes networks dependencies",
    ),
    ("modify modifies modifying change changes changing migration", "production prod live"),
    // Nobody is there any more.
    (
        "disconnect disconnects disconnecting logout kick kicks kicking",
        "everyone everybody clients users sessions players members others",
    ),
    ("disconnect disconnects disconnecting logout", "all"),
    ("scale scales scaling", "0 zero"),
    ("release releases releasing", "ip ips address addresses eip lease leases"),
    ("abort aborts aborting", "transaction transactions"),
    // Who was in charge is so no more.
    ("promote promotes promoting demote demotes demoting", "primary standby replica master slave leader"),
    ("take takes taking bring brings bringing", "offline off-line"),
    // What is there has to give way.
    ("replace replaces replacing", "current existing previous"),
    ("replaces", "all every your"),
    ("override overrides overriding", "existing current previous local your all"),
    ("rewrite rewrites rewriting", "original originals it them file files"),
    ("write writes writing fill fills filling", "zeros zeroes"),
    // What is there now gives way to what was.
    ("restore restores restoring recover recovers recovering", "backup backups snapshot snapshots dump"),
    // It goes where nobody looks for it.
    ("move moves moving put puts send sends", "trash trashcan wastebasket dustbin recycle"),
    // What others hold is of no use any more.
    (
        "rotate rotates rotating regenerate regenerates regenerating reissue",
        "key keys secret secrets credential credentials token tokens password passwords",
    ),
    ("squash squashes squashing strip strips stripping undo", "commit commits changeset changesets revision revisions"),
    ("yank yanks yanking", "version versions release releases gem crate package"),
    // Somebody is kept out.
    (
        "lock locks locking suspend suspends suspending block blocks blocking",
        "account accounts user users contact contacts",
    ),
    // What was sent stays so.
    ("submit submits submitting place places placing", "order orders transaction transactions"),
    ("broadcast broadcasts broadcasting sign signs signing send sends sending", "transaction transactions"),
    // It costs from then on.
    ("begin begins beginning", "billing"),
    // It cannot be called back.
    ("send sends sending", "email emails e-mail e-mails mail mails"),
    ("upload uploads uploading", "file files package packages release"),
    // A price is said.
    (
        "create creates upgrade upgrades subscribe renew renews register registers start starts enable add rent",
        "$1* $2* $3* $4* $5* $6* $7* $8* $9* €1* €2* €3* €4* €5* €6* €7* €8* €9* £1* £2* £3* £4* £5* £6* £7* £8* £9*",
    ),
];

static VERBS: LazyLock<Lexicon> = LazyLock::new(|| lexicon(PAIRS.map(|(verbs, _)| verbs)));
static THINGS: LazyLock<Lexicon> = LazyLock::new(|| lexicon(PAIRS.map(|(_, things)| things)));

fn lexicon(lists: [&'static str; PAIRS.len()]) -> Lexicon {
    let numbered = (0..).map(|at| 1 << at).zip(lists);
    Lexicon::new(numbered.flat_map(|(list, words): (Lists, _)| words.split_whitespace().map(move |word| (list, word))))
}

/// To which verbs a clause has what they do harm to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Things(Lists);

impl Things {
    /// Those of a clause.
    pub(super) fn of(clause: &[&str]) -> Self {
        let next = clause.iter().skip(1).map(Some).chain([None]);
        let named = clause.iter().zip(next).filter(|(word, next)| {
            // Everybody may see the public half of a key.
            **word != "public" || !next.is_some_and(|next| next.starts_with("key"))
        });
        Self(named.fold(0, |all, (word, _)| all | THINGS.lists_of(word)))
    }

    /// Whether one of them is a machine, or guards one.
    pub(super) fn are_a_machine_or_guard(self) -> bool {
        self.are_harmed_by("restart") || self.are_harmed_by("disable")
    }

    /// Whether a verb does harm to one of them.
    pub(super) fn are_harmed_by(self, verb: &str) -> bool {
        self.0 != 0 && VERBS.lists_of(verb) & self.0 != 0
    }
}
