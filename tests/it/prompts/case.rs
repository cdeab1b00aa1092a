//! A recording: what a program printed, and at which moments it waited for what.

use std::fs;
use std::path::Path;
use std::time::Duration;

use callboard::domain::danger::command_destroys;
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
    #[serde(default)]
    command: String,
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
                let destroys = command_destroys(last(&file.command));
                let mut states: Vec<State> = file.states.into_iter().map(State::from).collect();
                states.iter_mut().for_each(|state| state.host.destroys = destroys);
                states.sort_by_key(|state| state.at);
                let output = fs::read(scenario.join("output.raw")).unwrap();
                found.push(Self { program: file.program, name, rows: file.rows, cols: file.cols, output, states });
            }
        }
        assert!(!found.is_empty(), "no recordings in `{}`", root.display());
        found
    }
}

/// What a host would read of the program that asks: the last command of a scenario's script, without what it is sent.
fn last(script: &str) -> &str {
    let command = script.strip_prefix("bash --norc -c ").unwrap_or(script);
    let ends = ["; ", "&& ", "|| ", "| ", "\n"];
    let command = command.trim_end_matches([';', ' ', '\n']);
    let from = ends.iter().filter_map(|end| command.rfind(end).map(|at| at + end.len())).max().unwrap_or(0);
    command[from..].split(['<', '"', '\'']).next().unwrap_or_default().trim()
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
            host: Host { reader, echo: file.host.echo, canonical: file.host.canonical, destroys: false },
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
    /// It was recorded and labelled by people who had not read the rules; half of it was sealed for long.
    Fifth,
    /// As the fifth, and recorded later.
    Sixth,
    /// As the sixth, recorded later, and not to be looked at.
    Seventh,
    /// As the seventh, and may be looked at.
    SeventhOpen,
    /// As the seventh, and recorded later.
    Eighth,
    /// As the eighth, and may be looked at.
    EighthOpen,
}

/// Programs that were recorded and labelled by people who had not read the rules.
const FIFTH: &str = "\
    Singular a2dissite add-apt-repository advent apropos apt-cdrom aria2c b2 bar bean-query blkdiscard briefcase \
    btrfs buffer bvi bw bwbasic cbc ccmake cdk certutil changeset chronyc chronyd coffee column comm \
    create-docusaurus create-next-app create-playwright create-vue cvc5 dcfldd ddrescue debsign debsums \
    detect-secrets devtodo dhex diceware dnf dnsmasq dopewars doveadm drbdmeta dselect dtrx duplicity ecasound \
    echo elinks entr etckeeper exiv2 expand fail2ban-client fatresize fetchmail ffmpeg fkill flit flock fmt fold \
    freesweep fsck.exfat fsck.f2fs fsck.gfs2 fsck.reiser4 fsck.vfat gawk gdebi gemini git-annex git-clear \
    git-clear-soft git-flow gitmoji gocryptfs gopher gpasswd gpgsm grpck grub-mkpasswd-pbkdf2 gsi hashalot \
    hashdeep hdparm head hf http http-server hub hugs hygen ia imediff imv instmodsh ipmitool irssi isql-fb iwctl \
    jed jimsh john json-server kak kermit keytool khard knotd knsupdate kpasswd ktutil ldappasswd ldapsearch \
    ldapvi lektor license-generator lighttpd lighty-enable-mod link-parser linode-cli llm login logrotate look \
    luksmeta lvm lvremove mail.mailutils makeself mariadb-admin mariadb-secure-installation mariadbd mdadm \
    menuconfig minicom mkfs.gfs2 mkfs.nilfs2 mkfs.ocfs2 mkfs.reiser4 mkpasswd mksh mkswap modutil \
    monero-wallet-cli mount.davfs mr msmtp mtr ncu ne neomutt nest nethack newlisp nft ngspice nikola nl nmap \
    nologin np nstat nudoku nvi nvim nvme oathtool oci oldconfig openvpn pacman pam-auth-update par2 partclone.dd \
    passwordmaker paste perlbug pgcli pinentry-curses pinentry-tty pio pod2text pr prerelease printf pwck pwgen \
    pwman3 qpdf readme-md-generator rename.ul restore rev rhino rmlint rsbackup samba-tool sash sc scanimage sdcv \
    sdiff sg_format shred skopeo slappasswd smartctl smbclient smbpasswd softhsm2-util stg strings stty swaks \
    systemd-ask-password systemd-firstboot tac tcplay timeout trash-empty twistd tzselect update-alternatives \
    upscmd userdel uvicorn vd vdirsyncer vvp wdiff weechat when wipefs wodim wpa_cli wpa_passphrase wscat xfs_db \
    xkcdpass xxd yash yo yoyo z3 zgrep zile zipcloak zypper";

/// Programs that were recorded and labelled by people who had not read the rules: mostly such as ask before they act.
const SIXTH: &str = "\
    all-contributors aunpack az bibin bumpp bun bup byobu-select-backend cadaver cards careful_rm cargo-clean-all \
    clean-modules clex colordiff colrm commitlint conan consola contentful create-jest create-preact \
    create-tauri-app cryptmount-setup cut dagster delete-untracked-git-branches deno doas docsify dotdrop \
    dpkg-reconfigure dpkg-source drizzle-kit dte dub ecryptfs-manager ember espefuse ewfacquire ferm fossil \
    gdbmtool git-lfs git-machete git-remote-gcrypt git-secret gitlint gomoku gpart hexdump hivexsh hnb \
    homesick ikiwiki iredis iselect join jove jupyter-server just karma keychain kondo le lzop mackup make-bcache \
    mcom mille mix mksquashfs mkudffs mlabel modclean moria mosquitto mosquitto_passwd mpop nala needrestart ng \
    node-red-admin nohup od papis peco perlbrew pinfo pip-autoremove plzip psftp ptx ranger rdiff-backup reset_db \
    rip rpl sam snapraid sqitch sqlmesh sshd stdbuf thefuck thin_repair tmuxinator tmuxp todo topydo towncrier tr \
    trash twadmin ubiformat ul uniq unsquashfs vile virt-xml wandb wargames webpack wrangler yadm";

/// Programs that were recorded and labelled by people who had not read the rules: a mix as terminals show it.
const SEVENTH: &str = "\
    a2enconf a2enmod ablog aerich aespipe aideinit aider airflow ant aptly archivebox asciinema atftp auto ava \
    axel backgammon bandit base64 batcat batch bats behave bmon boggle bowler bsdtar bump2version c8 cabextract \
    canfield cfn chalice changelogen ci claude clearml-init cloc clojure clush cmake co codemod codex \
    concurrently cordova cppcheck create-discord-bot create-expo-app create-gatsby create-hono \
    create-nx-workspace create-quasar create-qwik create-react-router create-rspack create-slidev create-solid \
    create-stencil create-strapi-app create-turbo create-umi create-vite-extra cruft cryfs cupt date ddgr \
    debuild degit df dig doit dos2unix doxygen dput du duk e3 eb ecryptfs-wrap-passphrase edbrowse errbot \
    esphome eyaml fab fastify fdfind figlet file firebase flake8 free fscrypt funzip gatsby gcc gh-pages ghost \
    gimme-aws-creds git-bulk git-fresh-branch git-repl git-review git-revise git-summary git-sync git-undo \
    gopass gretlcli gtypist guild gulp gunicorn hcloud heroku hexo homebridge htdigest hyperfine icloudpd ij \
    info inotifywait instaloader integritysetup inv ionic ipdb iperf3 ipset iptables-apply irb jarsigner jasmine \
    javac javap jdb jekyll jigdo-lite jupp kedro knex ldapwhoami levee license lint-staged ls lynis mathomatic \
    mcabber mcedit mdel mdir memcached meson metaflow mitmdump mitmproxy mkwsgiinstance mocha mongosh mujs mycli \
    mypy nanoc netlify newgrp nickle ninja nltk nox npm-check nsupdate nuxi nyc ods-enforcer-db-setup organize \
    pandoc parallel parallel-ssh parcel pdftk perlcritic perltidy pg_dump phpunit piccolo pike ping pkcs11-tool \
    pm2 prefect profanity projen prove pry ps pspg pstree puppet pur pyenv pyinstaller pylint qmv quasar racket \
    rake raku rbt register_new_matrix_user reuse rg rnpkeys rollup roundup-admin rspec ruff rustup sails \
    salt-key saslpasswd2 sassc sceptre scons scrapy sequelize serverless sftp sgpt sha256sum shellcheck \
    smbclient.py snake snmpconf sopel sqlfluff sqlite-utils sqlline srptool ssh-add standard stat strace \
    stress-ng supybot-wizard sv sysbench tasksel tasksh tdbtool tilde toot tox trac-admin tree tty-clock twtxt \
    typeorm uv vacuumdb vagrant valgrind verdaccio vidir vimdiff vis vit vmstat vsce wagtail wajig wc \
    wordgrinder wp-create-block xmllint yabasic yafc yokadi yt-dlp zappa zmore zulip-term";

/// Programs that were recorded and labelled by people who had not read the rules: a mix as terminals show it.
const EIGHTH: &str = "\
    7zr CA.pl aicommits aim aircrack-ng alasql anaconda angband ansible-config ansible-console ansible-doc \
    ansible-galaxy ansible-inventory ansible-playbook apg apify appwrite apt-cache apt-config apt-dater \
    apt-listchanges apt-mark atc atop aws-shell awstats_configure.pl awsume-configure b2sum b4 badblocks basexclient \
    basexserver bastet bentoml berkeley-abc better-branch better-commits bipmkpw blkid borgmatic browsr bsh \
    btrfstune bubblewrap bump-my-version bumpver byebug byobu-config byobu-ctrl-a bzcat bzip2 cabal cal calcure cap \
    castero cavezofphear ccdecrypt ccencrypt cdargs chainlit check-manifest checkly chezscheme chronic circusctl \
    circusd clasp cleanpy clevis clifolio clips clustalw cmp cn cobib codeceptjs codespell colcrt \
    commit-and-tag-version console-data cookieninja cowsay cpanm cpanp cpp create-adonisjs create-astro \
    create-cloudflare create-directus-extension create-expo-module create-figma-plugin create-instantsearch-app \
    create-llama create-medusa-app create-nuxt-app create-plasmo create-react-native-library \
    create-react-native-module create-redwood-app create-remix create-start-app create-stylelint create-svelte \
    create-tamagui create-video create-vuepress create-waku crewai cucumber-js cvsd cylc czg danetool dar_cp \
    dar_manager dar_xform databricks datasette db5.3_sql dbclient debconf-show deborphan debugfs.ocfs2 depcheck det \
    devmoji devpi dh_listpackages diff diff3 dlocate doitlive dooit dotbot dotenv-vault dotenvx dpigs dpkg-deb \
    dpkg-parsechangelog dpkg-query dramatiq duc dump.f2fs dumpe2fs dvtm dynaconf dzil eas ecl egrep eleventy elia \
    envinfo envsubst epic5 equivs-build erb etcdctl ex factor fastapi fcrackzip fdclone feathers findmnt folder \
    forever fping frogmouth fsck.ext4 ftp-ssl fuser g++ gallery-dl gammu gammu-config gandi gbp gcal gcalcli \
    genisoimage getent gettextize ggshield gh-release ghc ghci git-cliff git-cz git-dmb git-fame git-filter-repo \
    git-ignore git-imerge git-removed-branches gita gjs gnubg gnutls-cli goaccess google-authenticator \
    gpg-connect-agent gpg-key2ps gpsim gptme graphile-migrate greed groonga gunzip h2-shell haxelib haxor-news hd \
    hexcurse hexeditor hexer honcho honkit howdoi htdbm hte http-prompt huey_consumer hy hydra-wizard hyphy icinga2 \
    id im-config install-mh interdiff ip ipt iptraf-ng isoinfo ispell isympy jest jfs_debugfs jhsdb journalctl jstar \
    jtag jupyter-book jupyter-console jupyter-notebook jupytext kaggle kid3-cli killall konch kpsewhich krb5-config \
    langchain langgraph lb4 lchfn lchsh ldapdelete ldapmodify ldd leafnode legendary legit lesspass lhci links2 \
    linphonec live-server lnav locale localepurge loginctl lpasswd lpc lpe lsblk lsc lscpu lsdiff luigi luksformat \
    lzip m365 m4 madge mafft marimo mathjs maturin mawk mb mcp md5sum mdb-sql mdspell meltano mh-comp mkfs \
    mkfs.btrfs mkfs.ext4 mkfs.xfs mlmmj-make-ml mln mlt mmd mnamer modal module-assistant molecule molly-guard \
    moon-buggy morse mp3blaster mpcenc mpg123 mpremote msgcat msgfmt mspdebug msw mtype mu multitail mysql mysqldump \
    mysqlshow mysqltuner myst n nbb nbdkit nbdsh ncdc needle net netrik nettoe newman ngircd ni nightwatch nim \
    nimble ninjahelper ninvaders nitropy nm nmblookup nmon node-pg-migrate nr nroff nslcd ntl numfmt objdump oco \
    openfortivpn osc otpclient-cli p11tool p7zip packer pacman4console pal pamtester particle passpy pathchk pdb3 \
    pdbpp pdftex pdl2 pdp11 pdsh percol perldoc pew pforth pgrep pgxn ph photorec phylip-dnadist phylip-dnapars pico \
    picocom pipx pk12util please plink ploomber pm-uninstall poe polyaxon pom popularity-contest pppconfig pppoeconf \
    pre-commit prettier primes printenv prosodyctl pscp pspp pt-show-grants publish-please pudb pulp putup pvcreate \
    pvremove pwqgen pyclean pydoc3 pyftpdlib pyinfra pypy3 pyserial-miniterm pzstd qbittorrent-nox qemu-img qemu-io \
    qwen ray rcconf readelf redbot-setup refile remake remind renamer reno reply resize2fs rgrep ri rigctl rmm \
    robotfindskitten rolo ropper rotctl rshell runghc rush s-tui scaffdog scan scapy scheme48 scp screenie scriv \
    seccure-key semantic-release semver sensors sensors-detect sentry-cli sentry-wizard seqret sfte sg shed shelldap \
    shipjs shntool shodan signac size skill sl slashem slcli smbget sml snakemake snow sox soxi spatialite spim \
    spotdl ss ssh-copy-id ssss-combine standard-version storyblok streamlink streamlit stryker stylelint sum \
    syncpack sysctl systemd-analyze tarantool task-master taze tbl tbump tccli tcpdump testparm tetris-bsd tex \
    textual tiged tigervncpasswd timetagger tincd tio tl tldr tnftp toxic transeq tree-puzzle ts tsort tsql tsx tudu \
    tunefs.ocfs2 tweak twilio tx typespeed typos ucf ucfq uname unattended-upgrades uncompress uncompress.real unlz4 \
    unpigz unzstd uptime urlscan urlview utop utt uudecode vbackup-wizard vbindiff vercel view vimtutor vitepress \
    vlock vpnc vue w wavpack wcd wcd.exec wdio web-ext whereis wireshark-common wlc workbox worm wossname wvtag \
    wvunpack wyrd x11vnc xapers xfs_info xfs_io xfs_repair xgettext yosys you-get zcat zenml zipsplit znc zstdmt zx";

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
    pub(super) const ALL: [Self; 10] = [
        Self::Visible,
        Self::HeldOut,
        Self::Later,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::SeventhOpen,
        Self::Eighth,
        Self::EighthOpen,
    ];

    pub(super) fn of(program: &str) -> Self {
        if FOURTH.split_ascii_whitespace().any(|name| name == program) {
            return Self::Fourth;
        }
        if FIFTH.split_ascii_whitespace().any(|name| name == program) {
            return Self::Fifth;
        }
        if SIXTH.split_ascii_whitespace().any(|name| name == program) {
            return Self::Sixth;
        }
        if SEVENTH.split_ascii_whitespace().any(|name| name == program) {
            return if sealed(program) { Self::Seventh } else { Self::SeventhOpen };
        }
        if EIGHTH.split_ascii_whitespace().any(|name| name == program) {
            return if sealed(program) { Self::Eighth } else { Self::EighthOpen };
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
            Self::Fifth => "fifth",
            Self::Sixth => "sixth",
            Self::Seventh => "seventh, sealed",
            Self::SeventhOpen => "seventh, open",
            Self::Eighth => "eighth, sealed",
            Self::EighthOpen => "eighth, open",
        }
    }
}

/// A third of the programs, by FNV-1a of their names: the same function as in the script that records.
fn held_out(program: &str) -> bool {
    hash(program).is_multiple_of(3)
}

/// Half of the seventh group and of the eighth, by the same hash.
fn sealed(program: &str) -> bool {
    hash(program).is_multiple_of(2)
}

fn hash(program: &str) -> u64 {
    let hash = program
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash ^ (hash >> 32)
}
