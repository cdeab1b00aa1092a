//! The real binary as a child process: `callboard serve` on a free port with a data directory of its own.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use super::{TIMEOUT, plain_http};

/// A running hub; killed when dropped.
pub(crate) struct HubProcess {
    child: Child,
    data_dir: PathBuf,
    port: u16,
}

impl HubProcess {
    /// Starts a hub on `data_dir`, and returns once it serves. Its log goes to `hub.log` there.
    pub(crate) fn start(data_dir: &Path) -> Self {
        Self::start_with(data_dir, &[])
    }

    /// The same with more arguments for `callboard serve`.
    pub(crate) fn start_with(data_dir: &Path, arguments: &[&str]) -> Self {
        Self::begin(callboard(data_dir).args(["serve", "--listen", "127.0.0.1:0"]).args(arguments), data_dir)
    }

    /// Starts a hub with this folder of settings and a token for Discord.
    pub(crate) fn start_on_discord(data_dir: &Path, config: &Path) -> Self {
        let mut command = callboard(data_dir);
        command.env("DISCORD_TOKEN", "a.test.token").args(["serve", "--listen", "127.0.0.1:0", "--config"]).arg(config);
        Self::begin(&mut command, data_dir)
    }

    /// Starts one where an earlier one listened.
    pub(crate) fn start_at(data_dir: &Path, port: u16) -> Self {
        Self::start_at_with(data_dir, port, &[])
    }

    /// The same with more arguments for `callboard serve`.
    pub(crate) fn start_at_with(data_dir: &Path, port: u16, arguments: &[&str]) -> Self {
        let listen = format!("127.0.0.1:{port}");
        Self::begin(callboard(data_dir).args(["serve", "--listen", &listen]).args(arguments), data_dir)
    }

    /// Starts a hub whose files can be capped while it runs: a write past the cap fails, and ends nobody.
    pub(crate) fn start_to_be_capped(data_dir: &Path) -> Self {
        let ignoring = r#"trap "" XFSZ; exec "$@" serve --listen 127.0.0.1:0"#;
        let mut shell = clean(Command::new("sh"), data_dir);
        Self::begin(shell.args(["-c", ignoring, "sh", env!("CARGO_BIN_EXE_callboard")]), data_dir)
    }

    /// Starts a hub under a shell that would let everybody read and write what it makes, on a folder that it has to
    /// make. Its log goes to `hub.log` in `outside`.
    pub(crate) fn start_generous(outside: &Path, data_dir: &Path) -> Self {
        let generous = r#"umask 0; exec "$@" serve --listen 127.0.0.1:0"#;
        let mut shell = clean(Command::new("sh"), data_dir);
        Self::begin(shell.args(["-c", generous, "sh", env!("CARGO_BIN_EXE_callboard")]), outside)
    }

    fn begin(command: &mut Command, data_dir: &Path) -> Self {
        let log = data_dir.join("hub.log");
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(File::options().create(true).append(true).open(&log).unwrap())
            .spawn()
            .expect("the binary was built");
        let (send, receive) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().unwrap());
        // Reads to the end, so that a hub that says more is never blocked by a full pipe.
        thread::spawn(move || out.lines().map_while(Result::ok).for_each(|line| drop(send.send(line))));
        let port = loop {
            match receive.recv_timeout(TIMEOUT) {
                Ok(line) => {
                    if let Some(port) = port_in(&line) {
                        break port;
                    }
                }
                Err(reason) => {
                    drop(child.kill());
                    panic!("the hub does not serve ({reason}); it said:\n{}", fs::read_to_string(&log).unwrap());
                }
            }
        };
        Self { child, data_dir: data_dir.to_owned(), port }
    }

    /// Runs `callboard serve` with arguments that it has to refuse, and returns how it ended.
    pub(crate) fn never_serves(data_dir: &Path, arguments: &[&str]) -> Output {
        Self::refuses(callboard(data_dir).arg("serve").args(arguments))
    }

    /// The same where none of its files may grow.
    pub(crate) fn never_serves_capped(data_dir: &Path) -> Output {
        let capped = r#"trap "" XFSZ; ulimit -S -f 0; exec "$@" serve --listen 127.0.0.1:0"#;
        let mut shell = clean(Command::new("sh"), data_dir);
        Self::refuses(shell.args(["-c", capped, "sh", env!("CARGO_BIN_EXE_callboard")]))
    }

    fn refuses(command: &mut Command) -> Output {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the binary was built");
        let mut words = child.stderr.take().unwrap();
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut stderr = Vec::new();
            drop(words.read_to_end(&mut stderr));
            drop(send.send(stderr));
        });
        // Its end closes the pipe, so waiting for the words is waiting for the end.
        let stderr = receive.recv_timeout(TIMEOUT);
        drop(child.kill());
        let status = child.wait().unwrap();
        Output { status, stdout: Vec::new(), stderr: stderr.expect("it serves what it should refuse") }
    }

    /// The token that the first start wrote, readable by its owner alone.
    pub(crate) fn operator_token(&self) -> String {
        fs::read_to_string(self.token_file()).unwrap().trim().to_owned()
    }

    /// The file that holds it.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.data_dir.join("operator.token")
    }

    /// A command of the same binary that talks to this hub.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = callboard(&self.data_dir);
        command.env("CALLBOARD_URL", format!("http://127.0.0.1:{}", self.port)).args(arguments);
        command
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where it listens, on the loopback.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// GET as the operator.
    pub(crate) fn get(&self, path: &str) -> (u16, Value) {
        self.get_as(&self.operator_token(), path)
    }

    /// GET with a token.
    pub(crate) fn get_as(&self, token: &str, path: &str) -> (u16, Value) {
        plain_http::send(self.port, "GET", path, token, &Value::Null).unwrap()
    }

    /// POST as the operator.
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_as(&self.operator_token(), path, body)
    }

    /// POST with a token.
    pub(crate) fn post_as(&self, token: &str, path: &str, body: &Value) -> (u16, Value) {
        plain_http::send(self.port, "POST", path, token, body).unwrap()
    }

    /// From now on no file of the hub may grow past so many bytes; `None` lifts that.
    pub(crate) fn caps_files(&self, bytes: Option<u64>) {
        let cap = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
        let pid = self.child.id().to_string();
        let capped = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={cap}:")]).status();
        assert!(capped.expect("prlimit is there").success());
    }

    /// SIGHUP: the hub reads its settings again.
    pub(crate) fn reads_its_settings(&self) {
        self.is_sent("-HUP");
    }

    /// SIGTERM: from here on the hub drains.
    pub(crate) fn is_told_to_end(&self) {
        self.is_sent("-TERM");
    }

    fn is_sent(&self, signal: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    }

    /// SIGHUP: the hub reads its settings and system prompts again.
    pub(crate) fn is_told_to_read_again(&self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-HUP", &pid]).status().unwrap().success());
    }

    /// SIGTERM: the hub drains, and says by its code how it ended.
    pub(crate) fn terminate(self) -> ExitStatus {
        self.is_told_to_end();
        self.ends()
    }

    /// How it ended, once it has.
    pub(crate) fn ends(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        let (send, receive) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| send.send(self.child.wait().unwrap()));
            receive.recv_timeout(TIMEOUT).unwrap_or_else(|_| {
                drop(Command::new("kill").args(["-KILL", &pid]).status());
                panic!("the hub did not end within {TIMEOUT:?} after SIGTERM")
            })
        })
    }

    /// SIGKILL: as a crash, at any instant.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for HubProcess {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A command of the binary, free of what the developer's own environment would tell it.
pub(crate) fn callboard(data_dir: &Path) -> Command {
    clean(Command::new(env!("CARGO_BIN_EXE_callboard")), data_dir)
}

fn clean(mut command: Command, data_dir: &Path) -> Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CALLBOARD_")) {
        command.env_remove(name);
    }
    command.env_remove("DISCORD_TOKEN").env_remove("DISCORD_TOKEN_FILE");
    command.env("NO_COLOR", "1").env("CALLBOARD_DATA_DIR", data_dir);
    command
}

fn port_in(line: &str) -> Option<u16> {
    let rest = line.split_once("://127.0.0.1:")?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn the_port_is_read_from_the_line_that_names_the_url() {
    assert_eq!(port_in("listening on http://127.0.0.1:7420"), Some(7420));
    assert_eq!(port_in("page: http://127.0.0.1:41337/#code"), Some(41337));
    assert_eq!(port_in("listening on https://127.0.0.1:7420"), Some(7420));
    assert_eq!(port_in("callboard 0.1.0"), None);
}
