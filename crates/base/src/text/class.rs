//! Which characters are dropped, and which of the zero-width ones hold an emoji together.

use super::Removed;

/// Joins emoji to one: a family, a profession, a flag.
pub(super) const JOINER: char = '\u{200D}';
/// Asks for the coloured form of the character before it.
pub(super) const EMOJI_STYLE: char = '\u{FE0F}';
/// Asks for the plain form of the character before it.
pub(super) const TEXT_STYLE: char = '\u{FE0E}';
/// Draws a key around the digit before it.
pub(super) const KEYCAP: char = '\u{20E3}';

/// Why a character is dropped wherever it stands; `None` when it stays, or when its neighbours decide.
pub(super) const fn banned(c: char) -> Option<Removed> {
    match c {
        '\n' | '\t' => None,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => Some(Removed::Control),
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Some(Removed::Direction)
        }
        '\u{E0000}'..='\u{E007F}' => Some(Removed::Tag),
        '\u{AD}'
        | '\u{34F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'
        | '\u{200C}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FE00}'..='\u{FE0D}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0080}'..='\u{E0FFF}' => Some(Removed::ZeroWidth),
        _ => None,
    }
}

/// Whether a zero-width character that only its neighbours justify is justified.
///
/// `before` is what was kept last, `after` what follows. A joiner stands between two emoji; a style follows an emoji,
/// or stands between a digit and its key.
pub(super) fn is_held(c: char, before: Option<char>, after: Option<char>) -> bool {
    match c {
        JOINER => before.is_some_and(ends_emoji) && after.is_some_and(is_emoji),
        EMOJI_STYLE | TEXT_STYLE => {
            before.is_some_and(is_emoji) || (before.is_some_and(is_key) && after == Some(KEYCAP))
        }
        _ => true,
    }
}

fn ends_emoji(c: char) -> bool {
    c == EMOJI_STYLE || is_emoji(c)
}

const fn is_key(c: char) -> bool {
    matches!(c, '0'..='9' | '#' | '*')
}

/// Whether a character may be drawn as an emoji. Whole blocks where a block holds mostly such: this decides only
/// whether an invisible neighbour stays.
const fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2934}' | '\u{2935}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1FAFF}')
}
