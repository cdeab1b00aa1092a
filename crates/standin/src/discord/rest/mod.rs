//! The REST API, version 10: one table of routes, each a function of the world and a request.

pub(super) mod call;
pub(super) mod channel;
pub(super) mod check;
pub(super) mod command;
pub(super) mod component;
pub(super) mod door;
pub(super) mod error;
pub(super) mod form;
pub(super) mod guild;
pub(super) mod interaction;
pub(super) mod message;
pub(super) mod modal;
pub(super) mod multipart;
pub(super) mod post;
pub(super) mod route;
pub(super) mod webhook;
