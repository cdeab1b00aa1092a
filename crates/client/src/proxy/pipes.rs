//! Standard input, on a thread of its own: a client that does not read must not keep the proxy from hearing that it
//! ended, and nothing may wait for a pipe that somebody else holds open.

use std::io::{self, BufRead as _, Write as _};
use std::thread;

use tokio::sync::mpsc;

use crate::problem::Problem;

/// How many lines may be on their way in either direction before the other side has to wait.
pub(super) const LINES: usize = 64;

/// What a thread that only moves lines needs, in bytes.
pub(super) const STACK: usize = 128 * 1024;

/// The client's lines; ends with its input.
pub(super) fn input() -> Result<mpsc::Receiver<String>, Problem> {
    let (lines, heard) = mpsc::channel(LINES);
    let reads = move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            // What is no text is passed on as far as it is: the hub answers that it is no JSON.
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if !line.is_empty() && lines.blocking_send(line.to_owned()).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("stdin".to_owned()).stack_size(STACK).spawn(reads)?;
    Ok(heard)
}

/// Says something to people: what an MCP client keeps as its server's log.
pub(super) fn note(text: &str) {
    drop(writeln!(io::stderr(), "callboard proxy: {text}"));
}
