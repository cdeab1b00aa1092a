//! Keys in, output out: each on a thread of its own.
//!
//! The user's terminal is shared with others, so it may not be made non-blocking; and it may stand still, which must
//! keep no key from the program. Both ways are bounded, so that whoever is slow slows only what feeds it.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::thread;

use bytes::{Bytes, BytesMut};
use pty_process::ReadPty;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::termios::isatty;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Duration, timeout};

use super::modes::Modes;

/// How many pieces may be on their way.
const PIECES: usize = 8;
/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// How long a terminal that a program left open behind it may be silent before it counts as done.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// What comes in at standard input, until it ends.
pub(super) fn keys() -> io::Result<mpsc::Receiver<Bytes>> {
    let mut input = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (send, keys) = mpsc::channel(PIECES);
    thread::Builder::new().name("keys".into()).spawn(move || {
        let mut buffer = [0; 4096];
        loop {
            match input.read(&mut buffer) {
                Ok(0) => return,
                Ok(length) => {
                    if send.blocking_send(Bytes::copy_from_slice(&buffer[..length])).is_err() {
                        return;
                    }
                }
                Err(error) if waits(&input, PollFlags::IN, &error) => {}
                Err(_) => return,
            }
        }
    })?;
    Ok(keys)
}

pub(super) struct Display {
    pieces: mpsc::Sender<Bytes>,
    shown: oneshot::Receiver<()>,
    buffer: BytesMut,
    modes: Modes,
    is_gone: bool,
}

impl Display {
    /// Takes what the program prints.
    pub(super) fn open() -> io::Result<Self> {
        let mut output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        let (pieces, mut receive) = mpsc::channel::<Bytes>(PIECES);
        let (done, shown) = oneshot::channel();
        thread::Builder::new().name("display".into()).spawn(move || {
            while let Some(piece) = receive.blocking_recv() {
                if show(&mut output, &piece).is_err() {
                    break;
                }
            }
            drop(receive);
            let _ended = done.send(());
        })?;
        Ok(Self { pieces, shown, buffer: BytesMut::new(), modes: Modes::default(), is_gone: false })
    }

    /// Shows the next piece of what the program prints. Safe to drop half-way. Once there is nobody to show it to, that
    /// is said, and what is printed is taken all the same: a program that cleans up must not wait for a reader.
    pub(super) async fn next(&mut self, program: &mut ReadPty<'_>, has_ended: bool) -> Printed {
        let room = if self.is_gone { None } else { self.pieces.reserve().await.ok() };
        if room.is_none() && !std::mem::replace(&mut self.is_gone, true) {
            return Printed::ToNobody;
        }
        self.buffer.reserve(PIECE);
        let read = program.read_buf(&mut self.buffer);
        let read = if has_ended {
            let Ok(read) = timeout(LAST_WORDS, read).await else { return Printed::All };
            read
        } else {
            read.await
        };
        match read {
            // A terminal that nobody has open any more is at its end, whether it says so by an error or by nothing.
            Ok(0) | Err(_) => Printed::All,
            Ok(_) => {
                let piece = self.buffer.split().freeze();
                self.modes.read(&piece);
                if let Some(room) = room {
                    room.send(piece.clone());
                }
                Printed::Piece(piece)
            }
        }
    }

    /// The user's terminal is put back as to its modes, for a program that could not do so itself.
    pub(super) async fn put_back(&mut self) {
        let sequences = self.modes.put_back();
        if !sequences.is_empty() && isatty(io::stdout()) {
            // One that is gone needs nothing.
            let _gone = self.pieces.send(sequences.into()).await;
        }
    }

    pub(super) async fn close(self) {
        drop(self.pieces);
        drop(self.shown.await);
    }
}

/// What a look at the program's output finds.
pub(super) enum Printed {
    Piece(Bytes),
    /// It will print no more.
    All,
    /// Standard output is gone. Said once.
    ToNobody,
}

fn show(output: &mut File, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        match output.write(piece) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(length) => piece = &piece[length..],
            Err(error) if waits(output, PollFlags::OUT, &error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether it is worth another try, once there is something: somebody else may have made the terminal non-blocking.
fn waits(file: &File, wanted: PollFlags, error: &io::Error) -> bool {
    let full_or_empty = error.kind() == io::ErrorKind::WouldBlock;
    error.kind() == io::ErrorKind::Interrupted || full_or_empty && poll(&mut [PollFd::new(file, wanted)], None).is_ok()
}
