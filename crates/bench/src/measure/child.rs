//! A server of its own process: the hub that was built beside this program, or this program as a bare server. It is
//! looked at through `/proc`, and ended with its handle.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::error::BenchError;
use super::server::ServerKind;

/// Ticks of the kernel's clock in a second, as `/proc/PID/stat` counts them; 100 on every Linux of today.
const TICKS: f64 = 100.0;

/// The child process.
#[derive(Debug)]
pub(super) struct Child {
    process: std::process::Child,
    /// Where its errors go; none for a bare server.
    log: Option<PathBuf>,
    /// Where it listens.
    pub(super) address: SocketAddr,
}

impl Child {
    /// `callboard serve` with this environment, on a port that is free now. It may not serve yet.
    pub(super) fn hub(data: &Path, config: &Path, environment: &[(&str, String)]) -> Result<Self, BenchError> {
        let address = free_port()?;
        // A hub that is killed says so in its log; that is no news here. Why it did not start is.
        let log = data.join("bench.log");
        let errors = File::create(&log).map_err(BenchError::io(format!("make `{}`", log.display())))?;
        let mut command = Command::new(program()?);
        command
            .stdin(Stdio::null())
            .arg("serve")
            .env("CALLBOARD_DATA_DIR", data)
            .env("CALLBOARD_CONFIG", config)
            .env("CALLBOARD_LISTEN", address.to_string())
            .env("CALLBOARD_LOG_LEVEL", "error")
            .stderr(errors)
            .envs(environment.iter().map(|(name, value)| (*name, value.as_str())))
            .stdout(Stdio::null());
        let process = command.spawn().map_err(BenchError::io("start `callboard serve`"))?;
        Ok(Self { process, log: Some(log), address })
    }

    /// A bare server; it listens when this returns.
    pub(super) fn bare(kind: ServerKind, data: &Path, append_bytes: usize) -> Result<Self, BenchError> {
        let name = format!("server {kind}");
        let mut command = Command::new(this_program()?);
        command.stdin(Stdio::null());
        let bytes = append_bytes.to_string();
        command.args(["server", kind.name(), "--append-bytes", &bytes, "--dir"]).arg(data).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(BenchError::io(format!("start `{name}`")))?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(BenchError::io(format!("hear from `{name}`")))?;
        }
        match line.trim().parse() {
            Ok(address) => Ok(Self { process, log: None, address }),
            Err(_) => {
                drop(process.kill());
                drop(process.wait());
                Err(BenchError::Start { server: name, reason: "it named no address".to_owned() })
            }
        }
    }

    /// Whether it ended by itself, with what it said by its exit code and in its last line.
    pub(super) fn ended(&mut self) -> Option<String> {
        let status = self.process.try_wait().ok().flatten()?;
        let said = self.log.as_ref().and_then(|log| fs::read_to_string(log).ok()).unwrap_or_default();
        Some(match said.trim().lines().last() {
            Some(line) => format!("{status}: {}", line.trim()),
            None => status.to_string(),
        })
    }

    /// Its resident memory, in bytes.
    pub(super) fn resident(&self) -> Result<f64, BenchError> {
        Ok(resident(&self.process.id().to_string())? * 1024.0)
    }

    /// How long it has run on a core since it started.
    pub(super) fn busy(&self) -> Result<Duration, BenchError> {
        let path = format!("/proc/{}/stat", self.process.id());
        let stat = fs::read_to_string(&path).map_err(BenchError::io(format!("read `{path}`")))?;
        // After the name in brackets, which may hold blanks, utime and stime are the 12th and the 13th field.
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
        let ticks: f64 = fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
        Ok(Duration::from_secs_f64(ticks / TICKS))
    }
}

impl Child {
    /// How many bytes it has sent to a disk since it started.
    pub(super) fn written(&self) -> Result<f64, BenchError> {
        let path = format!("/proc/{}/io", self.process.id());
        let io = fs::read_to_string(&path).map_err(BenchError::io(format!("read `{path}`")))?;
        let bytes = io.lines().find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok());
        Ok(bytes.unwrap_or_default())
    }
}

/// The resident memory of a process, in kilobytes; `self` is this one.
pub(super) fn resident(process: &str) -> Result<f64, BenchError> {
    let path = format!("/proc/{process}/status");
    let status = fs::read_to_string(&path).map_err(BenchError::io(format!("read `{path}`")))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    Ok(kilobytes.unwrap_or_default())
}

impl Drop for Child {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Refuses to begin what the limit of open files would break off.
pub(super) fn check_files(needed: u64) -> Result<(), BenchError> {
    let limits = fs::read_to_string("/proc/self/limits").map_err(BenchError::io("read `/proc/self/limits`"))?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    // "unlimited" is no number, and enough.
    let allowed = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(u64::MAX);
    if allowed < needed { Err(BenchError::Files { needed, allowed }) } else { Ok(()) }
}

/// The `callboard` that was built beside this program, in the same profile.
///
/// # Errors
/// When there is none: it has to be built first.
pub(super) fn program() -> Result<PathBuf, BenchError> {
    let hub = this_program()?.with_file_name("callboard");
    if hub.is_file() { Ok(hub) } else { Err(BenchError::NoHub(hub)) }
}

fn this_program() -> Result<PathBuf, BenchError> {
    std::env::current_exe().map_err(BenchError::io("find this program"))
}

fn free_port() -> Result<SocketAddr, BenchError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(BenchError::io("find a free port"))?;
    listener.local_addr().map_err(BenchError::io("find a free port"))
}
