//! The stand-in with twilight as a client: a real library of Discord's finds what it expects.

mod faults;
mod gateway;
mod interactions;
mod kit;
mod rest;
