//! Leaves rules and lists out, by their names, to find out what they are worth (`tests/corpus/ablate`). Only with the
//! feature `ablation`; otherwise nothing is left out.

#[cfg(feature = "ablation")]
static LEFT_OUT: std::sync::OnceLock<std::collections::BTreeSet<String>> = std::sync::OnceLock::new();

/// Leaves these out, before anything is looked at for the first time. Whoever calls it again changes nothing.
#[cfg(feature = "ablation")]
pub fn leave_out(names: impl IntoIterator<Item = String>) {
    LEFT_OUT.get_or_init(|| names.into_iter().collect());
}

/// Whether what has this name is left out.
#[cfg(feature = "ablation")]
pub(crate) fn is_left_out(name: impl std::fmt::Display) -> bool {
    LEFT_OUT.get().is_some_and(|names| !names.is_empty() && names.contains(&name.to_string()))
}

#[cfg(not(feature = "ablation"))]
pub(crate) const fn is_left_out<T: Copy>(_: T) -> bool {
    false
}
