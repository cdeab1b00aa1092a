//! Who may come in: tokens, what each allows, and how one is known again.
//!
//! A token is `cb_a_` (agent), `cb_h_` (host), `cb_u_` (person) or `cb_s_` (service, or a session of the page), 12
//! characters of public id, `_`, 43 characters of secret (256 bits), 6 characters of checksum. The checksum tells a
//! mistyped token from an unknown one without looking anything up, and lets secret scanners find tokens.
//!
//! What is kept is an HMAC-SHA-256 of the secret under a key of this store's own. No slow hash is needed for 256
//! random bits, and one would be a lever to wear the hub down.

mod aside;
mod format;
mod login;
mod run;
mod session;
mod store;
mod table;
mod view;

#[cfg(test)]
mod tests;

pub use format::TokenKind;
pub use login::CodeRefusal;
pub use session::{LoginCode, LoginError, Opened, Redeemed, SESSION_LASTS};
pub use store::{NewToken, TokenError, TokenRefusal, TokenStore};
pub use table::Credential;
pub use view::TokenView;
