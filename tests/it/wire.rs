//! Real clients over real sockets.

mod cli;
mod connect;
mod demo;
mod doctor;
mod forge_check;
mod tls;
