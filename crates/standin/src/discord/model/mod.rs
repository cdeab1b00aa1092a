//! What the stand-in remembers, without the rules: those lie in the files beside this folder.

pub(super) mod interaction;
pub(super) mod limits;
pub(super) mod message;
pub(super) mod options;
pub mod permission_bits;
pub(super) mod place;
pub(super) mod rest_fault;
pub(super) mod session;
pub(super) mod snowflake;
pub(super) mod world;
