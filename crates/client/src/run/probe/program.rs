//! What sort of program it is: one that would run a line as a command, or one that may be talked to.
//!
//! Told by names: of the file that runs, of its first word, and of the script that an interpreter was given. A name
//! that is not here says nothing, so this is never the only rule. In doubt it takes commands.

use crate::domain::danger::command_destroys;

/// Run each line; and what passes lines on to where nobody here can look.
const SHELLS: &str = "\
    sh bash dash zsh fish ksh mksh oksh csh tcsh ash rbash busybox toybox nu pwsh powershell elvish xonsh oil \
    osh ysh ion murex yash rc es scsh eshell cmd ssh mosh mosh-client telnet rlogin nc ncat socat docker podman \
    kubectl lxc nerdctl tmux screen zellij dtach abduco script sudo su doas runuser pkexec chroot nsenter \
    unshare machinectl xargs rlwrap expect watch";
/// Take commands of their own, or queries.
const CONSOLES: &str = "\
    ipython bpython ptpython ptipython jupyter irb pry ghci ghc iex erl scala sbt jshell groovysh clj clojure \
    lein guile racket sbcl clisp ccl ocaml utop swipl gforth octave octave-cli matlab maxima gnuplot tclsh wish \
    psql pgcli mysql mycli mariadb sqlite3 litecli redis-cli iredis mongo mongosh cqlsh clickhouse duckdb sqlcmd \
    gdb lldb rust-gdb rust-lldb dlv pdb ipdb bc dc ed ftp lftp sftp gpg nslookup fdisk parted";
/// Run a script that they are given, and take commands without one.
const INTERPRETERS: &str = "python pypy node nodejs bun deno ruby perl php lua luajit julia R java";
/// Options of theirs with a value of its own behind them.
const WITH_VALUE: &str = "-W -X -r --require --import --loader -I -cp";
/// Options and words that make them take commands, or run what nobody can look at.
const INTERACTIVE: &str = "-i --interactive -c -e --eval -p --print -d repl inspect console";

/// The name by which a program is known to take commands, from its words, the file before them where that is known.
pub(crate) fn takes_commands(words: &[String]) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let name = name_of(first);
    if is_among(SHELLS, name.as_str()) || is_among(CONSOLES, name.as_str()) {
        return Some(name);
    }
    if !is_among(INTERPRETERS, name.as_str()) {
        return None;
    }
    match script(rest) {
        Some(script) if !is_among(CONSOLES, name_of(script).as_str()) => None,
        Some(_) | None => Some(name),
    }
}

/// What an interpreter runs; none when it takes commands.
fn script(words: &[String]) -> Option<&str> {
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if is_among(INTERACTIVE, word) {
            return None;
        }
        match word {
            "-m" | "-jar" => return words.next().filter(|module| *module != "code"),
            "run" => {}
            _ if is_among(WITH_VALUE, word) => drop(words.next()),
            _ if word.starts_with('-') => {}
            _ => return Some(word),
        }
    }
    None
}

fn is_among(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known == name)
}

/// `/usr/bin/python3.11` is `python`, and `-bash` is `bash`.
fn name_of(word: &str) -> String {
    let name = word.rsplit('/').next().unwrap_or(word).trim_start_matches('-');
    let name = name.strip_suffix(" (deleted)").unwrap_or(name);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let versioned = is_among(INTERPRETERS, stem) || is_among(SHELLS, stem) || is_among(CONSOLES, stem);
    let name = if versioned { stem } else { name };
    for ending in [".exe", ".py", ".rb", ".js"] {
        if let Some(bare) = name.strip_suffix(ending) {
            return bare.to_owned();
        }
    }
    name.to_owned()
}

/// The words of a process, for [`takes_commands`]; none when it may not be asked. The file that runs says what it is,
/// except where a program named itself otherwise than its interpreter, as programs for `node` do.
#[cfg(target_os = "linux")]
pub(super) fn of_process(pid: i32) -> Option<Vec<String>> {
    let file = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let file = file.file_name()?.to_str()?.to_owned();
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let words: Vec<String> = line.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
    let renamed = is_among(INTERPRETERS, name_of(&file).as_str())
        && words.first().is_some_and(|first| !first.is_empty() && name_of(first) != name_of(&file));
    Some(if renamed { words } else { [file].into_iter().chain(words.into_iter().skip(1)).collect() })
}

/// Whether a command that destroys started a process. A word with blanks in it is what somebody says to the program.
#[cfg(target_os = "linux")]
pub(super) fn destroys(pid: i32) -> bool {
    let Ok(line) = std::fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    let line = String::from_utf8_lossy(&line);
    let words: Vec<&str> =
        line.split('\0').take_while(|word| !word.contains(char::is_whitespace)).take(FIRST).collect();
    command_destroys(&words.join(" "))
}

#[cfg(not(target_os = "linux"))]
pub(super) const fn destroys(_: i32) -> bool {
    false
}

/// How many words of a command line are looked at.
const FIRST: usize = 12;

#[cfg(test)]
mod tests;
