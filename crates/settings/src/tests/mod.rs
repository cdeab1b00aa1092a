//! The settings as a whole: what ships, what lies over what, and what is refused.

mod layers;
mod refusals;
mod shipped;
