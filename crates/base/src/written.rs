//! How a type is written as text: once for whatever reads or writes it.

/// `ALL`, `as_str`, `parse` and `Display` of an enum, from a table of its cases; `ALL` has the order of the table.
#[macro_export]
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

/// Writes a type as its `Display` does, and reads it by `parse`, which says what is wrong, or where it gives
/// an `Option`, is helped by `$what`: `a text is not $what`. In a schema it is any text.
#[macro_export]
macro_rules! as_text {
    ($type:ident, $what:literal) => {
        $crate::as_text!(@ $type, |text: &str| Self::parse(text).ok_or_else(|| format!("`{text}` is not {}", $what)));
    };
    ($type:ident) => {
        $crate::as_text!(@ $type, Self::parse);
    };
    (@ $type:ident, $parse:expr) => {
        impl ::serde::Serialize for $type {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $type {
            fn deserialize<D: ::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                ($parse)(&*text).map_err(::serde::de::Error::custom)
            }
        }

        impl ::schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(generator: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}
