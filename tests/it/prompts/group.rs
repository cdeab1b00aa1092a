//! Which programs were looked at when the rules were written, and which were not.
//!
//! The names of each group's programs stand in `groups/`; programs that are in none of these were there from the
//! beginning.

/// What was known of a program when the rules were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// It was looked at.
    Visible,
    /// It was there, and was not looked at.
    HeldOut,
    /// It was recorded afterwards.
    Later,
    /// It was recorded when the rules had been mended for those.
    Fourth,
    /// It was recorded and labelled by people who had not read the rules; half of it was sealed for long.
    Fifth,
    /// As the fifth, and recorded later.
    Sixth,
    /// As the sixth, and recorded later.
    Seventh,
    /// As the seventh, and recorded later.
    Eighth,
    /// As the eighth, and recorded later.
    Ninth,
    /// As the ninth, and recorded later.
    Tenth,
    /// As the tenth, and recorded later.
    Eleventh,
    /// As the eleventh, and recorded later.
    Twelfth,
    /// As the twelfth, and recorded with it.
    Thirteenth,
    /// As the thirteenth, and recorded later, most of it because it asks before something is lost.
    Fourteenth,
    /// As the fourteenth, and recorded later.
    Fifteenth,
    /// As the fifteenth, and recorded later: as programs come, of Debian's, npm's and Python's.
    Sixteenth,
    /// Coding agents at work, at their dialogs and at rest: rules were written for most of them.
    Agents,
}

impl Group {
    pub(super) const ALL: [Self; 17] = [
        Self::Visible,
        Self::HeldOut,
        Self::Later,
        Self::Fourth,
        Self::Fifth,
        Self::Sixth,
        Self::Seventh,
        Self::Eighth,
        Self::Ninth,
        Self::Tenth,
        Self::Eleventh,
        Self::Twelfth,
        Self::Thirteenth,
        Self::Fourteenth,
        Self::Fifteenth,
        Self::Sixteenth,
        Self::Agents,
    ];

    /// Those that were recorded when there were rules, with the names of their programs.
    const RECORDED: [(Self, &str); 15] = [
        (Self::Later, include_str!("groups/later.txt")),
        (Self::Fourth, include_str!("groups/fourth.txt")),
        (Self::Fifth, include_str!("groups/fifth.txt")),
        (Self::Sixth, include_str!("groups/sixth.txt")),
        (Self::Seventh, include_str!("groups/seventh.txt")),
        (Self::Eighth, include_str!("groups/eighth.txt")),
        (Self::Ninth, include_str!("groups/ninth.txt")),
        (Self::Tenth, include_str!("groups/tenth.txt")),
        (Self::Eleventh, include_str!("groups/eleventh.txt")),
        (Self::Twelfth, include_str!("groups/twelfth.txt")),
        (Self::Thirteenth, include_str!("groups/thirteenth.txt")),
        (Self::Fourteenth, include_str!("groups/fourteenth.txt")),
        (Self::Fifteenth, include_str!("groups/fifteenth.txt")),
        (Self::Sixteenth, include_str!("groups/sixteenth.txt")),
        (Self::Agents, include_str!("groups/agents.txt")),
    ];

    pub(super) fn of(program: &str) -> Self {
        let recorded = Self::RECORDED.into_iter().find(|(_, names)| {
            // Names have no blanks.
            names.split_ascii_whitespace().any(|name| name == program)
        });
        match recorded {
            Some((group, _)) => group,
            None if held_out(program) => Self::HeldOut,
            None => Self::Visible,
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Visible => "visible",
            Self::HeldOut => "held out",
            Self::Later => "later",
            Self::Fourth => "fourth",
            Self::Fifth => "fifth",
            Self::Sixth => "sixth",
            Self::Seventh => "seventh",
            Self::Eighth => "eighth",
            Self::Ninth => "ninth",
            Self::Tenth => "tenth",
            Self::Eleventh => "eleventh",
            Self::Twelfth => "twelfth",
            Self::Thirteenth => "thirteenth",
            Self::Fourteenth => "fourteenth",
            Self::Fifteenth => "fifteenth",
            Self::Sixteenth => "sixteenth",
            Self::Agents => "agents",
        }
    }
}

/// A third of the programs, by FNV-1a of their names: the same function as in the script that records.
fn held_out(program: &str) -> bool {
    hash(program).is_multiple_of(3)
}

fn hash(program: &str) -> u64 {
    let hash = program
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash ^ (hash >> 32)
}
