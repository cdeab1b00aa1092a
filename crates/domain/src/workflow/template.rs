//! Texts with `{name}` for a parameter, and with phrases: `{name?…}` stands only where `name` was given, as in
//! `Deploy {service}{region? in {region}}`. Braces around anything else are text, so that JSON may stand in one.

enum Part<'a> {
    Text(&'a str),
    Name(&'a str),
    /// The parameter that it depends on, and what stands where that was given.
    Phrase(&'a str, &'a str),
}

/// The text with a value for each `{name}`, and those phrases whose parameter `stands`.
pub(crate) fn fill(text: &str, stands: &dyn Fn(&str) -> bool, value_of: &mut dyn FnMut(&str) -> String) -> String {
    let mut filled = String::new();
    for part in parts(text) {
        match part {
            Part::Text(text) => filled.push_str(text),
            Part::Name(name) => filled.push_str(&value_of(name)),
            Part::Phrase(name, inner) if stands(name) => filled.push_str(&fill(inner, stands, value_of)),
            Part::Phrase(..) => {}
        }
    }
    filled
}

/// The parameters that a text names, in order.
pub fn names_in(text: &str) -> Vec<&str> {
    let names = parts(text).map(|part| match part {
        Part::Name(name) => vec![name],
        Part::Phrase(name, inner) => [vec![name], names_in(inner)].concat(),
        Part::Text(_) => Vec::new(),
    });
    names.flatten().collect()
}

/// Those of them that stand in no phrase of their own.
pub fn unguarded_in(text: &str) -> Vec<&str> {
    let names = parts(text).map(|part| match part {
        Part::Name(name) => vec![name],
        Part::Phrase(name, inner) => unguarded_in(inner).into_iter().filter(|inside| *inside != name).collect(),
        Part::Text(_) => Vec::new(),
    });
    names.flatten().collect()
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((part, length)) = special_at(rest) {
            rest = &rest[length..];
            return Some(part);
        }
        let begins = rest.char_indices().skip(1).find(|(at, c)| *c == '{' && special_at(&rest[*at..]).is_some());
        let (head, tail) = rest.split_at(begins.map_or(rest.len(), |(at, _)| at));
        rest = tail;
        Some(Part::Text(head))
    })
}

/// The name or the phrase that a text begins with, and how long it is, in bytes.
fn special_at(text: &str) -> Option<(Part<'_>, usize)> {
    let inside = text.strip_prefix('{')?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let (name, rest) = inside.split_at(inside.find(|c: char| !fits(c))?);
    if name.is_empty() {
        return None;
    }
    if rest.starts_with('}') {
        return Some((Part::Name(name), name.len() + 2));
    }
    let phrase = rest.strip_prefix('?')?;
    let end = closing(phrase)?;
    Some((Part::Phrase(name, &phrase[..end]), name.len() + end + 3))
}

/// Where the brace closes that is open before this text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_u32;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })
}
