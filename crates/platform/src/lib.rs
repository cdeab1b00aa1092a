//! What callboard takes from the machine that it runs on: the time, ids by chance, files that hold secrets, and
//! connections to others. Whatever stands above gets these as arguments, or from here.

use callboard_domain as domain;

pub mod clock;
pub mod ids;
pub mod private_file;
#[cfg(feature = "push")]
pub mod push;
#[cfg(feature = "tls")]
pub mod tls;
#[cfg(feature = "web")]
pub mod web_client;
