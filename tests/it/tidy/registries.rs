//! The names of package registries, put together from halves, so that this file does not hold them.

/// Package registries, of which neither our files nor our recordings speak.
pub(crate) const REGISTRIES: [&str; 6] = [
    concat!("registry.", "npmjs"),
    concat!("registry.", "yarnpkg"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("static.", "crates.io"),
    concat!("deb.", "debian.org"),
];
