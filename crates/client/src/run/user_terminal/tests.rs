//! What `user_terminal` does, tried.

use rustix::termios::{LocalModes, OutputModes};

use super::*;

fn terminal() -> (pty_process::blocking::Pty, pty_process::blocking::Pts) {
    let (pty, pts) = pty_process::blocking::open().unwrap();
    pty.resize(pty_process::Size::new(30, 90)).unwrap();
    (pty, pts)
}

fn echoes(pts: &pty_process::blocking::Pts) -> bool {
    tcgetattr(pts).unwrap().local_modes.contains(LocalModes::ECHO)
}

#[test]
fn a_panic_leaves_the_terminal_as_it_was() {
    let (_pty, pts) = terminal();
    let panicked = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let mut seat = UserTerminal::of(pts.as_fd(), pts.as_fd(), pts.as_fd());
        seat.go_raw().unwrap();
        assert!(!echoes(&pts));
        panic::resume_unwind(Box::new("on purpose"));
    }));
    assert!(panicked.is_err());
    assert!(echoes(&pts));
}

#[test]
fn a_terminal_that_others_print_to_keeps_how_it_prints() {
    let (_pty, pts) = terminal();
    let file = std::fs::File::open("/dev/null").unwrap();
    let prints = || tcgetattr(&pts).unwrap().output_modes.contains(OutputModes::OPOST);
    let mut seat = UserTerminal::of(pts.as_fd(), file.as_fd(), file.as_fd());
    seat.go_raw().unwrap();
    assert!(prints() && !echoes(&pts));
    drop(seat);
    let mut seat = UserTerminal::of(pts.as_fd(), pts.as_fd(), pts.as_fd());
    seat.go_raw().unwrap();
    assert!(!prints());
}

#[test]
fn the_size_is_that_of_the_terminal_or_of_none() {
    let (_pty, pts) = terminal();
    let file = std::fs::File::open("/dev/null").unwrap();
    let size = UserTerminal::of(file.as_fd(), file.as_fd(), pts.as_fd()).size();
    assert_eq!((size.ws_row, size.ws_col), (30, 90));
    let size = UserTerminal::of(file.as_fd(), file.as_fd(), file.as_fd()).size();
    assert_eq!((size.ws_row, size.ws_col), (24, 80));
}
