//! Keys to the program, its output to the user, signals to both, until the program ends.

use std::process::ExitStatus;

use bytes::Bytes;
use pty_process::WritePty;
use rustix::process::Signal;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::child_process::{ChildControl, ChildProcess, stop_host};
use super::ending::{self, Ending};
use super::pipes::{Display, Printed, keys};
use super::system_signal::{Signals, SystemSignal};
use super::tap::{Injection, Seen, Tap};
use super::user_terminal::UserTerminal;
use crate::problem::Problem;

/// Where what happens can be seen, and where orders to type come from.
pub(super) struct Sidelines {
    pub(super) tap: Tap,
    pub(super) injections: mpsc::Receiver<Injection>,
}

/// Returns how the program ended, once all that it printed was shown.
pub(super) async fn until_it_ends(
    guest: ChildProcess,
    seat: &mut UserTerminal,
    mut signals: Signals,
    sidelines: Sidelines,
) -> Result<ExitStatus, Problem> {
    let Sidelines { tap, injections } = sidelines;
    let ChildProcess { mut pty, mut child, mut line } = guest;
    let (mut output, input) = pty.split();
    let mut display = Display::open()?;
    seat.go_raw()?;
    let mut ending = Ending::default();
    let mut prints = true;
    let mut types = true;
    let status = {
        let typing = type_in(keys()?, injections, input, &line, &tap);
        tokio::pin!(typing);
        loop {
            let due = ending.due();
            tokio::select! {
                status = child.wait() => break status,
                printed = display.next(&mut output, false), if prints => match printed {
                    Printed::Piece(bytes) => tap.printed(&bytes),
                    Printed::All => prints = false,
                    Printed::ToNobody => ending.leave(&line, Instant::now()),
                },
                () = &mut typing, if types => types = false,
                told = signals.next() => obey(told, &line, seat, &tap, &mut ending)?,
                // A deadline and no pause: a program that does not end is asked more firmly.
                () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    ending.insist(&line, Instant::now());
                }
            }
        }
    };
    let status = line.ended(status)?;
    let last_words = async {
        let mut more = prints;
        while more {
            match display.next(&mut output, true).await {
                Printed::Piece(bytes) => tap.printed(&bytes),
                Printed::ToNobody => {}
                Printed::All => more = false,
            }
        }
        tap.show(Seen::Ended(ending::code(status)));
        if ending.is_asked() {
            display.put_back().await;
        }
        display.close().await;
    };
    // A terminal that stands still keeps nobody from ending the host.
    tokio::select! {
        () = last_words => {}
        () = signals.end() => {}
    }
    Ok(status)
}

/// Types what comes in into the program's terminal, until there is no more, or nobody to read it.
async fn type_in(
    mut keys: mpsc::Receiver<Bytes>,
    mut injections: mpsc::Receiver<Injection>,
    mut input: WritePty<'_>,
    line: &ChildControl,
    tap: &Tap,
) {
    let mut in_a_line = false;
    let mut has_keys = true;
    loop {
        let bytes = tokio::select! {
            biased;
            bytes = keys.recv(), if has_keys => match bytes {
                Some(bytes) => bytes,
                None => {
                    has_keys = false;
                    Bytes::from(line.end_of_input(in_a_line))
                }
            },
            Some(injection) = injections.recv() => {
                // Judged safe a moment ago; whatever happened since then takes that back.
                let safe = tap.count() == injection.judged_at && keys.is_empty() && !line.has_printed();
                // Whoever asked may be gone: then nobody is told.
                let _unheard = injection.done.send(safe);
                if !safe {
                    continue;
                }
                tap.injected(&injection.keys, injection.by_person);
                if input.write_all(&injection.keys).await.is_err() {
                    return;
                }
                continue;
            },
            else => return,
        };
        in_a_line = bytes.last().is_some_and(|last| !matches!(last, b'\n' | b'\r'));
        tap.typed(&bytes, line.hides());
        let stops = line.is_asked_to_stop(&bytes);
        if input.write_all(&bytes).await.is_err() {
            return;
        }
        if stops {
            line.stops_by_itself().await;
        }
    }
}

fn obey(
    told: SystemSignal,
    line: &ChildControl,
    seat: &mut UserTerminal,
    tap: &Tap,
    ending: &mut Ending,
) -> Result<(), Problem> {
    match told {
        SystemSignal::Resized => resize(line, seat, tap),
        SystemSignal::Typed(signal) => line.signal_foreground(signal),
        SystemSignal::End(signal) => ending.ask(line, signal, Instant::now()),
        SystemSignal::Stop => {
            line.ask_to_stop();
            stand_still(line, seat, tap)?;
        }
        SystemSignal::Child if line.was_stopped() => stand_still(line, seat, tap)?,
        SystemSignal::Child => {}
        // The kernel tells it with a hangup, too: then there is no terminal to make raw any more.
        SystemSignal::GoOn => match seat.go_raw() {
            Ok(()) => resize(line, seat, tap),
            Err(_) => ending.leave(line, Instant::now()),
        },
    }
    Ok(())
}

/// The user gets the terminal back until the host is fetched again, and then the program goes on, too. Where nobody
/// could fetch it, it goes on at once.
fn stand_still(line: &ChildControl, seat: &mut UserTerminal, tap: &Tap) -> Result<(), Problem> {
    seat.restore();
    stop_host();
    seat.go_raw()?;
    resize(line, seat, tap);
    line.signal_all(Signal::CONT);
    Ok(())
}

fn resize(line: &ChildControl, seat: &UserTerminal, tap: &Tap) {
    let size = seat.size();
    line.resize(size);
    tap.show(Seen::Resized(size));
}
