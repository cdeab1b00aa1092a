//! Which person may do what to whose work: one table, which every door asks.
//!
//! A credential's scope says what a caller may do at all; what `people.yaml` says of a person narrows it to agents and
//! roles. So each thing that a person does is a [`Deed`], each deed needs a [`Right`], and [`PersonRights::decide`]
//! holds the two against whoever the thing belongs to. Agents do not stand in this table: what they may do with a task
//! follows from who holds it and who asked for it, and whom they may hand work to from `routing`.
//!
//! ```text
//!  a door ─► Deed (of the order itself, so that no door can name another) ─► Right ─► canX of the person, less `deny`
//! ```

mod deed;
mod person;
mod whose;

#[cfg(test)]
mod tests;

pub use deed::{Deed, Right};
pub use person::{Denied, PersonRights};
pub use whose::Whose;
