//! What a code is.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// The stable text, as `TASK_NOT_FOUND`.
    pub code: &'static str,
    /// What plain HTTP answers with.
    pub status: u16,
    /// What it means, for the API description.
    pub meaning: &'static str,
    /// What to do instead, where nothing better is known of the case: the hub's words.
    pub advice: &'static str,
}

pub(super) const fn row(code: &'static str, status: u16, meaning: &'static str, advice: &'static str) -> Code {
    Code { code, status, meaning, advice }
}
