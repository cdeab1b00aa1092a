//! How the cases of an enum are written: one table for whatever reads or writes their names.

/// `ALL`, `as_str`, `parse` and `Display` of an enum, from a table of its cases; `ALL` has the order of the table.
macro_rules! names {
    ($type:ident { $($case:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$case),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$case => $name),+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|case| case.as_str() == text)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use names;
