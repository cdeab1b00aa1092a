//! Terminal escape sequences, found whole: an `ESC` taken away alone would leave `[31m` behind for people to read.

/// Where string sequences end, remembered: a text of many unterminated ones must not be searched again for each.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    /// Up to here it is known that no string sequence ends.
    unterminated_to: usize,
}

impl Sequences {
    /// The number of characters of the sequence that begins at `at`; 0 when none begins there.
    ///
    /// A sequence that is not finished counts as its introducer alone: what follows is then ordinary text, and stays.
    pub(super) fn length_at(&mut self, text: &[char], at: usize) -> usize {
        match text[at] {
            '\u{1B}' => match text.get(at + 1) {
                Some('[') => 2 + control_length(&text[at + 2..]),
                Some(']' | 'P' | 'X' | '^' | '_') => 2 + self.string_length(text, at + 2),
                Some(' '..='/') => 1 + escape_length(&text[at + 1..]),
                Some('0'..='~') => 2,
                Some(_) | None => 1,
            },
            '\u{9B}' => 1 + control_length(&text[at + 1..]),
            '\u{90}' | '\u{98}' | '\u{9D}' | '\u{9E}' | '\u{9F}' => 1 + self.string_length(text, at + 1),
            _ => 0,
        }
    }

    /// The rest of a string sequence with its end: `BEL`, `ST` or `ESC \`, on the same line.
    fn string_length(&mut self, text: &[char], from: usize) -> usize {
        if from < self.unterminated_to {
            return 0;
        }
        for (offset, c) in text[from..].iter().enumerate() {
            let at = from + offset;
            match c {
                '\u{7}' | '\u{9C}' => return offset + 1,
                '\u{1B}' if text.get(at + 1) == Some(&'\\') => return offset + 2,
                '\n' => {
                    self.unterminated_to = at;
                    return 0;
                }
                _ => {}
            }
        }
        self.unterminated_to = text.len();
        0
    }
}

/// Parameters, intermediates and the final character after `ESC [`; 0 when they do not end well.
fn control_length(rest: &[char]) -> usize {
    let parameters = rest.iter().take_while(|c| matches!(c, '0'..='?')).count();
    let between = rest[parameters..].iter().take_while(|c| matches!(c, ' '..='/')).count();
    match rest.get(parameters + between) {
        Some('@'..='~') => parameters + between + 1,
        Some(_) | None => 0,
    }
}

/// Intermediates and the final character after `ESC`; 0 when they do not end well.
fn escape_length(rest: &[char]) -> usize {
    let between = rest.iter().take_while(|c| matches!(c, ' '..='/')).count();
    match rest.get(between) {
        Some('0'..='~') => between + 1,
        Some(_) | None => 0,
    }
}
