//! The codes of refusals, as tables.

/// `code` of a refusal, from a table of its cases.
macro_rules! codes {
    ($type:ident { $($case:ident = $code:literal),+ $(,)? }) => {
        impl $type {
            pub const fn code(&self) -> &'static str {
                match self {
                    $(Self::$case { .. } => $code),+
                }
            }
        }
    };
}

pub(crate) use callboard_base::{as_text, names};
pub(crate) use codes;
