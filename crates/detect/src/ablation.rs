//! Leaves rules, lists and entries of lists out, by their names in `PROMPT_WITHOUT`, to find out what they are worth
//! (`tests/corpus/ablate`). Only with the feature `ablation`; otherwise nothing is left out.

/// Whether what has this name is left out.
#[cfg(feature = "ablation")]
pub(crate) fn is_left_out(name: impl std::fmt::Display) -> bool {
    use std::collections::BTreeSet;
    use std::sync::LazyLock;

    static LEFT_OUT: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let named = std::env::var("PROMPT_WITHOUT").unwrap_or_default();
        named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    });
    !LEFT_OUT.is_empty() && LEFT_OUT.contains(&name.to_string())
}

#[cfg(not(feature = "ablation"))]
pub(crate) const fn is_left_out<T: Copy>(_: T) -> bool {
    false
}
