//! The lines that a table stands in, cut out of a text.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

/// The text without what stands at `path`, and without the blank line around it; none where there is nothing.
pub(super) fn without(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let (last, above) = path.split_last()?;
    let mut table = document.as_table();
    for name in above {
        table = table.get(name)?.as_table()?;
    }
    let mut spans = Vec::new();
    of_field(table, last, &mut spans);
    let starts = text.split_inclusive('\n').scan(0, |at, line| {
        let from = *at;
        *at += line.len();
        Some((from..*at, line))
    });
    let lines: Vec<(&str, bool)> =
        starts.map(|(at, line)| (line, spans.iter().any(|span| span.start < at.end && at.start < span.end))).collect();
    let is_blank = |at: usize| lines.get(at).is_none_or(|(line, goes)| !goes && line.trim().is_empty());
    let mut left = String::new();
    for (at, (line, goes)) in lines.iter().enumerate() {
        let before_it = lines.get(at + 1).is_some_and(|(_, goes)| *goes);
        let behind = lines.iter().skip(at + 1).take_while(|(_, goes)| *goes).count();
        let is_gap = before_it && is_blank(at) && is_blank(at + 1 + behind);
        let is_first_gap = at > 0 && left.is_empty() && is_blank(at);
        if !goes && !is_gap && !is_first_gap {
            left.push_str(line);
        }
    }
    Some(left)
}

/// Where a field stands: from its name, or its table's header, to its last value.
fn of_field(table: &Table, name: &str, spans: &mut Vec<Range<usize>>) {
    match table.get(name) {
        Some(Item::Table(inner)) => of_table(inner, spans),
        Some(Item::ArrayOfTables(all)) => all.iter().for_each(|inner| of_table(inner, spans)),
        Some(Item::Value(value)) => {
            let key = table.key(name).and_then(toml_edit::Key::span);
            spans.extend(key.zip(value.span()).map(|(key, value)| key.start..value.end));
        }
        Some(Item::None) | None => {}
    }
}

fn of_table(table: &Table, spans: &mut Vec<Range<usize>>) {
    let (mut own, mut inner) = (Vec::new(), Vec::new());
    for (name, item) in table.iter() {
        of_field(table, name, if item.is_value() { &mut own } else { &mut inner });
    }
    let header = (!table.is_dotted()).then(|| table.span()).flatten();
    match header {
        // What is remarked between a header and its last value belongs to it.
        Some(header) => {
            let end = own.iter().map(|span| span.end).max().unwrap_or(header.end);
            spans.push(header.start..end.max(header.end));
        }
        None => spans.append(&mut own),
    }
    spans.append(&mut inner);
}
