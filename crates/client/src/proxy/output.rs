//! Standard output: a thread of its own writes the lines for the client, another one notices that nobody reads any
//! more, and both sides know how much of it the client has taken.
//!
//! What was written is not yet read: a pipe holds 64 KiB, and a client may hang or be gone before it takes them. So a
//! task is acknowledged only when its bytes have left the kernel's buffer towards the client.
//!
//! | Output | How that is known |
//! |---|---|
//! | pipe | `FIONREAD`: the bytes that lie in it |
//! | socket | whether it is writable with the smallest send buffer: then next to nothing is unread |
//! | terminal | written, and drained as far as the system says |
//! | anything else | written |
//!
//! Sockets matter because Node gives its children socket pairs as their pipes. The exact number, `SIOCOUTQ`, needs an
//! ioctl for which there is no safe function. Linux counts a Unix socket as writable while at most a quarter of its
//! send buffer is unread, and never makes that buffer smaller than 4,608 bytes: so at most 1,152 bytes are unread then,
//! bookkeeping of the kernel included, and the line of a task is longer.

use std::io::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use rustix::io::{Errno, ioctl_fionread};
use rustix::stdio::stdout;
use rustix::termios::{isatty, tcdrain};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::pipes::{LINES, STACK};
use crate::problem::Problem;

/// Where lines for the client go.
#[derive(Debug)]
pub(super) struct Output {
    lines: mpsc::Sender<String>,
    /// Bytes that were given to the thread that writes.
    given: u64,
    /// How many of them the system has taken.
    written: Arc<AtomicU64>,
    /// How many of them the client is known to have taken.
    taken: u64,
    kind: FileType,
    /// Fires when nobody reads any more.
    gone: CancellationToken,
    done: oneshot::Receiver<()>,
}

impl Output {
    pub(super) fn open() -> Result<Self, Problem> {
        let kind = FileType::from_raw_mode(fstat(stdout()).map_err(io::Error::from)?.st_mode);
        let (lines, said) = mpsc::channel(LINES);
        let (tells_done, done) = oneshot::channel();
        let (written, gone) = (Arc::new(AtomicU64::new(0)), CancellationToken::new());
        let (counts, fails) = (Arc::clone(&written), gone.clone());
        let writes = move || {
            if writes(said, &counts).is_err() {
                fails.cancel();
            }
            let _ = tells_done.send(());
        };
        thread::Builder::new().name("stdout".to_owned()).stack_size(STACK).spawn(writes)?;
        let hears = gone.clone();
        let watches = move || {
            if has_ended(None) {
                hears.cancel();
            }
        };
        thread::Builder::new().name("stdout-end".to_owned()).stack_size(STACK).spawn(watches)?;
        Ok(Self { lines, given: 0, written, taken: 0, kind, gone, done })
    }

    /// Gives a line to the thread that writes; false when nobody reads any more.
    pub(super) async fn say(&mut self, line: String) -> bool {
        self.given += line.len() as u64 + 1;
        tokio::select! {
            sent = self.lines.send(line) => sent.is_ok(),
            () = self.gone.cancelled() => false,
        }
    }

    /// How many bytes were given so far.
    pub(super) const fn given(&self) -> u64 {
        self.given
    }

    /// How many bytes the client has taken so far, as far as that can be known.
    pub(super) fn taken(&mut self) -> u64 {
        // Read before the pipe is asked: what is written in between counts as unread.
        let written = self.written.load(Ordering::Acquire);
        let taken = if self.kind == FileType::Fifo {
            ioctl_fionread(stdout()).map_or(written, |unread| written.saturating_sub(unread))
        } else if self.kind == FileType::Socket && is_unread() {
            self.taken
        } else {
            written
        };
        // Asked last: of one that nobody reads any more, all looks taken.
        if !has_ended(Some(&AT_ONCE)) {
            self.taken = taken;
        }
        self.taken
    }

    /// Resolves when nobody reads any more.
    pub(super) async fn is_gone(&self) {
        self.gone.cancelled().await;
    }

    /// That was all: resolves when every line is written, or nobody reads any more.
    pub(super) async fn ends(self) {
        let Self { lines, done, gone, .. } = self;
        drop(lines);
        tokio::select! { _ = done => {}, () = gone.cancelled() => {} }
    }
}

fn writes(mut said: mpsc::Receiver<String>, written: &AtomicU64) -> io::Result<()> {
    let mut output = io::stdout().lock();
    let is_terminal = isatty(stdout());
    while let Some(mut line) = said.blocking_recv() {
        line.push('\n');
        output.write_all(line.as_bytes()).and_then(|()| output.flush())?;
        if is_terminal {
            tcdrain(stdout())?;
        }
        written.fetch_add(line.len() as u64, Ordering::Release);
    }
    Ok(())
}

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Whether the other side is gone, once the system says something of the output or the time is over; without a time it
/// may be never. The system may be unable to say.
fn has_ended(within: Option<&Timespec>) -> bool {
    // Asked for nothing, the system tells of errors and hang-ups alone.
    let mut asked = [PollFd::from_borrowed_fd(stdout(), PollFlags::empty())];
    loop {
        match poll(&mut asked, within) {
            Ok(_) => return asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP),
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Whether something lies in the socket that its other side has not read; false where that cannot be known.
#[cfg(target_os = "linux")]
fn is_unread() -> bool {
    use rustix::net::sockopt::{set_socket_send_buffer_size, socket_send_buffer_size};

    let Ok(size) = socket_send_buffer_size(stdout()) else { return false };
    if set_socket_send_buffer_size(stdout(), 1).is_err() {
        return false;
    }
    let mut asked = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
    let looked = poll(&mut asked, Some(&AT_ONCE));
    // The system doubles what is set, and tells the double. A buffer that stays small is only slower.
    let _ = set_socket_send_buffer_size(stdout(), size / 2);
    looked.is_ok_and(|ready| ready == 0)
}

#[cfg(not(target_os = "linux"))]
const fn is_unread() -> bool {
    false
}
