//! Which rule found a prompt: the kind of what it waits for, and the form that its screen has.
//!
//! A rule is a pair of both, `yes_no.brackets` on the wire. What may be typed there hangs on the form alone, and each
//! form says it: one that is added does not compile until it does.

use std::fmt;

use callboard_base::as_text;

use super::kind::PromptKind;

macro_rules! forms {
    ($($form:ident = $name:literal $typing:ident,)*) => {
        /// The form of a screen, or of a line, that a prompt was known by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Form {
            $($form,)*
            /// The end of the line that an operator added (`patterns.yaml`).
            Own,
        }

        impl Form {
            /// Every form that is ours.
            pub const ALL: &[Self] = &[$(Self::$form),*];

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$form => $name,)*
                    Self::Own => "patterns",
                }
            }

            pub const fn typing(self) -> Typing {
                match self {
                    $(Self::$form => Typing::$typing,)*
                    Self::Own => Typing::Line,
                }
            }
        }
    };
}

forms! {
    Again = "again" Line, Angle = "angle" Line, AnyKey = "any_key" Line, AnyKeyAbove = "any_key_above" Line,
    Arrow = "arrow" Line, Banner = "banner" Line, BehindSign = "behind_sign" Line, Below = "below" Line,
    Box = "box" Elsewhere, Boxed = "boxed" LineIfSure, Brackets = "brackets" Line, Buttons = "buttons" Line,
    Colon = "colon" Line, Confirm = "confirm" Line, Counted = "counted" Line, Debugger = "debugger" Line,
    Decorated = "decorated" Line, Default = "default" Line, Dialog = "dialog" Line, EchoOff = "echo_off" Line,
    Editor = "editor" Line, Filter = "filter" Line, ForHelp = "for_help" Line, Framed = "framed" Line,
    FullScreen = "full_screen" Unasked, Half = "half" Line, Helped = "helped" Line, Hidden = "hidden" Line,
    Hinted = "hinted" Line, HostKey = "host_key" Line, InputBox = "input_box" Line, Instructed = "instructed" Line,
    Interpreter = "interpreter" Line, Keyed = "keyed" Line, Keys = "keys" Line, Labelled = "labelled" LineIfSure,
    LastRow = "last_row" Elsewhere, Letters = "letters" Line, List = "list" Line, Marked = "marked" LineIfSure,
    Menu = "menu" Line, Missing = "missing" Line, Name = "name" Line, Named = "named" Line,
    NoRoom = "no_room" LineIfSure, Noted = "noted" Line, Numbered = "numbered" Line, Offered = "offered" LineIfSure,
    Optional = "optional" Line, Or = "or" Line, Pager = "pager" Keys, PagerFile = "pager_file" Keys,
    Prefilled = "prefilled" Elsewhere, Question = "question" Line, Range = "range" Line, Select = "select" Line,
    ShellMark = "shell_mark" Line, Sign = "sign" Line, Silent = "silent" Unasked, Slashes = "slashes" Line,
    Sure = "sure" Line, Switch = "switch" Line, Titled = "titled" Line, Toggle = "toggle" Line,
    Told = "told" LineIfSure, Typed = "typed" Line, TypedConfirmation = "typed_confirmation" Line,
    Typing = "typing" Line, Under = "under" Line, WhatNow = "what_now" Line, Words = "words" Line,
}

/// What may be typed at a prompt, by the form that it was known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    Line,
    /// A line, unless the rule has no more than weak signs: that is enough to say what waits, and not to type into it.
    LineIfSure,
    Keys,
    /// Nothing: nobody asked in words, and it may be a dialog.
    Unasked,
    /// Nothing: what is typed would go elsewhere, or behind what stands there already.
    Elsewhere,
}

impl Form {
    pub(super) const fn is_drawn(self) -> bool {
        matches!(
            self,
            Self::Box
                | Self::Buttons
                | Self::Dialog
                | Self::Filter
                | Self::Framed
                | Self::LastRow
                | Self::Menu
                | Self::Toggle
        )
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RuleId {
    /// One of ours: what is waited for, by which form.
    Built(PromptKind, Form),
    /// A prompt of `patterns.yaml`, by its name there: `patterns.NAME`.
    Own(String),
    /// One that this version does not know, as it is written in older records.
    Other(String),
}

impl RuleId {
    /// The rule of a full screen that nothing else is known of: it takes keys, as an editor or a pager does.
    pub const FULL_SCREEN: Self = Self::Built(PromptKind::Command, Form::FullScreen);
    /// What begins the name of an operator's prompt.
    const OWN: &str = "patterns.";

    pub fn parse(name: &str) -> Self {
        if name.starts_with(Self::OWN) {
            return Self::Own(name.to_owned());
        }
        let known = name.split_once('.').and_then(|(kind, form)| {
            let form = Form::ALL.iter().find(|known| known.name() == form)?;
            Some(Self::Built(PromptKind::parse(kind)?, *form))
        });
        known.unwrap_or_else(|| Self::Other(name.to_owned()))
    }

    /// Whether it is of what nobody asked for in words: it may be a dialog after all.
    pub const fn is_unasked(&self) -> bool {
        matches!(self, Self::Built(_, Form::Silent) | Self::Built(PromptKind::Command, Form::FullScreen))
    }

    /// Whether a program that waits so takes lines, as far as the rule tells.
    pub const fn takes_lines(&self) -> bool {
        match self {
            Self::Built(_, form) => !matches!(form.typing(), Typing::Keys),
            Self::Own(_) => true,
            Self::Other(_) => false,
        }
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Built(kind, form) => write!(f, "{kind}.{}", form.name()),
            Self::Own(name) | Self::Other(name) => f.write_str(name),
        }
    }
}

impl From<&str> for RuleId {
    fn from(name: &str) -> Self {
        Self::parse(name)
    }
}

as_text!(@ RuleId, |name: &str| Ok::<_, std::convert::Infallible>(Self::parse(name)));

#[cfg(test)]
mod tests;
