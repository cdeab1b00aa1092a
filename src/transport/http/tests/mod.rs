//! The door, held to what it promises: the guard by requests without a socket, the accept loop by true sockets.

mod accept;
mod clocks;
mod comments;
mod evidence;
mod guard;
mod guarded_hub;
mod hooks;
mod keys;
mod login;
mod mailboxes;
mod rights;
mod room;
mod schedules;
mod tokens;
mod unread;
mod webhooks;
mod ws;
