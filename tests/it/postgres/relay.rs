//! A way to the database that can be cut: a socket of its own that hands on what comes.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::pause;

const SOCKET: &str = ".s.PGSQL.5432";

/// Lives as long as the process; its threads end with the connections.
pub(super) struct Relay {
    pub(super) folder: PathBuf,
    cut: Arc<AtomicBool>,
}

impl Relay {
    /// Makes `folder`, and in it a way to the server whose socket is in `to`.
    pub(super) fn start(folder: PathBuf, to: &Path) -> Self {
        std::fs::create_dir(&folder).unwrap();
        let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
        let (cut, to) = (Arc::new(AtomicBool::new(false)), to.join(SOCKET));
        let is_cut = Arc::clone(&cut);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                // Refused by a server that is not there: so is this connection.
                let Ok(far) = UnixStream::connect(&to) else { continue };
                let (back, there) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                let (one, other) = (Arc::clone(&is_cut), Arc::clone(&is_cut));
                thread::spawn(move || hands_on(near, there, &one));
                thread::spawn(move || hands_on(far, back, &other));
            }
        });
        Self { folder, cut }
    }

    /// Nothing passes, and nobody is told; what was sent arrives late.
    pub(super) fn is_cut_for(&self, span: Duration) {
        self.cut.store(true, Ordering::SeqCst);
        pause(u64::try_from(span.as_millis()).unwrap());
        self.cut.store(false, Ordering::SeqCst);
    }
}

fn hands_on(mut from: UnixStream, mut to: UnixStream, cut: &AtomicBool) {
    let mut bytes = [0; 16_384];
    loop {
        let read = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        while cut.load(Ordering::SeqCst) {
            pause(5);
        }
        if to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
