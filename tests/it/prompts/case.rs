//! A recording: what a program printed, and at which moments it waited for what.

use std::fs;
use std::path::Path;
use std::time::Duration;

use callboard::domain::prompt::{Host, PromptKind, Reader};
use serde::Deserialize;

/// A scenario of a program.
pub(super) struct Case {
    pub(super) program: String,
    pub(super) name: String,
    pub(super) rows: u16,
    pub(super) cols: u16,
    pub(super) output: Vec<u8>,
    pub(super) states: Vec<State>,
}

/// A moment of it, with its label.
pub(super) struct State {
    /// How many bytes were printed by then.
    pub(super) at: usize,
    pub(super) quiet: Duration,
    pub(super) answered: bool,
    pub(super) host: Host,
    pub(super) waiting: bool,
    /// The kind, and others that are as good; the first is the best.
    pub(super) kinds: Vec<PromptKind>,
    pub(super) dangerous: bool,
}

#[derive(Deserialize)]
struct File {
    program: String,
    rows: u16,
    cols: u16,
    states: Vec<FileState>,
}

#[derive(Deserialize)]
struct FileState {
    at: usize,
    quiet_ms: u64,
    answered: bool,
    host: FileHost,
    waiting: bool,
    kinds: Vec<String>,
    dangerous: bool,
}

#[derive(Deserialize)]
struct FileHost {
    reader: String,
    echo: Option<bool>,
    canonical: Option<bool>,
}

impl Case {
    /// Every recording, by program and name.
    pub(super) fn all() -> Vec<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/prompts");
        let mut found = Vec::new();
        for program in folders(&root) {
            for scenario in folders(&program) {
                let text = fs::read_to_string(scenario.join("case.json")).unwrap();
                let file: File = serde_json::from_str(&text).unwrap();
                let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
                let mut states: Vec<State> = file.states.into_iter().map(State::from).collect();
                states.sort_by_key(|state| state.at);
                let output = fs::read(scenario.join("output.raw")).unwrap();
                found.push(Self { program: file.program, name, rows: file.rows, cols: file.cols, output, states });
            }
        }
        assert!(!found.is_empty(), "no recordings in `{}`", root.display());
        found
    }
}

fn folders(of: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    let mut found: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

impl From<FileState> for State {
    fn from(file: FileState) -> Self {
        let reader = match file.host.reader.as_str() {
            "reads" => Reader::Reads,
            "polls" => Reader::Polls,
            "busy" => Reader::Busy,
            "gone" => Reader::Gone,
            "unknown" => Reader::Unknown,
            other => panic!("there is no reader `{other}`"),
        };
        Self {
            at: file.at,
            quiet: Duration::from_millis(file.quiet_ms),
            answered: file.answered,
            host: Host { reader, echo: file.host.echo, canonical: file.host.canonical },
            waiting: file.waiting,
            kinds: file.kinds.iter().map(|kind| PromptKind::parse(kind).unwrap()).collect(),
            dangerous: file.dangerous,
        }
    }
}

/// What was known of a program when the rules were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// It was looked at.
    Visible,
    /// It was there, and was not looked at.
    HeldOut,
    /// It was recorded afterwards.
    Later,
    /// It was recorded when the rules had been mended for those.
    Fourth,
}

/// Programs that were recorded when the rules had been mended for `LATER`.
const FOURTH: &str = "\
    R abook alpine arc beet bower brz bsd-mailx buku bundler calcurse celery certbot cgdisk checkinstall composer \
    compress cribbage crontab csi debfoster dh_make docker dropbear dropuser dvc easyrsa elvish encfs fixparts gap \
    gem genius gh gnugo gprolog hexedit htpasswd hunspell isort jrnl jupyter-kernelspec kadmin.local kdb5_util \
    keepassxc-cli khal kpcli ledger lf lldb luarocks lz4 mcrypt mdeltree mg micro minisign mit-scheme mkfs.jfs \
    mkreiserfs mysqladmin ncftp newsboat nmh notmuch npkill npx ntfsresize octave opam pelican-quickstart phalanx \
    pigz pil podman poly puttygen qalc qemu rc rclone rcup reiserfsck reportbug rimraf rmf s3cmd sail screen scrypt \
    signify slrn sqlmap ssss-split steghide supervisorctl surge testdisk tftp timew tin todo-txt trek ufw unison \
    unshar vcsh virsh watson wcalc xorriso ytree";

/// Programs that were recorded after the rules were written.
const LATER: [&str; 44] = [
    "aptitude",
    "arithmetic",
    "arj",
    "aspell",
    "at",
    "battlestar",
    "ccrypt",
    "certtool",
    "chage",
    "cpio",
    "cvs",
    "dar",
    "debugfs",
    "fdupes",
    "frotz",
    "fzy",
    "gforth",
    "gnuchess",
    "go-fish",
    "hledger",
    "jdupes",
    "lhasa",
    "lrzip",
    "maxima",
    "mmv",
    "monop",
    "nnn",
    "nslookup",
    "pax",
    "quiz",
    "rcs",
    "s-nail",
    "scrub",
    "select-editor",
    "sfdisk",
    "smenu",
    "trash-restore",
    "tune2fs",
    "unar",
    "vifm",
    "visudo",
    "wipe",
    "wump",
    "yacas",
];

impl Group {
    pub(super) const ALL: [Self; 4] = [Self::Visible, Self::HeldOut, Self::Later, Self::Fourth];

    pub(super) fn of(program: &str) -> Self {
        if FOURTH.split_ascii_whitespace().any(|name| name == program) {
            return Self::Fourth;
        }
        match (LATER.contains(&program), held_out(program)) {
            (true, _) => Self::Later,
            (false, true) => Self::HeldOut,
            (false, false) => Self::Visible,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::HeldOut => "held out",
            Self::Later => "later",
            Self::Fourth => "fourth",
        }
    }
}

/// A third of the programs, by FNV-1a of their names: the same function as in the script that records.
fn held_out(program: &str) -> bool {
    let hash = program
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 32)) % 3 == 0
}
