//! The strokes that frames are drawn with.

pub(super) const SIDES: [char; 4] = ['│', '|', '║', '┃'];
/// The side of a frame that has only one.
pub(super) const ONE_SIDED: [char; 3] = ['┃', '│', '▌'];

pub(super) fn between_sides(row: &str) -> &str {
    row.trim_matches(['│', '┃', '║', ' '])
}

/// The edge of a frame, or a stroke from side to side: what stands above belongs to something else.
pub(super) fn is_edge(row: &str) -> bool {
    let drawn = row.chars().filter(|c| matches!(c, '─' | '━' | '═')).count();
    drawn >= 6 && drawn * 2 > row.chars().count()
}

/// Whether a row has strokes enough for the edge of a frame, with a title in it or beside another one.
pub(super) fn has_edge(row: &str) -> bool {
    row.chars().filter(|c| matches!(c, '─' | '-' | '━' | '═' | '┌' | '┐')).count() >= 6
}

/// What stands between the outer sides of a frame.
pub(super) fn inside(row: &str) -> Option<&str> {
    let from = row.find(SIDES)?;
    let side = row[from..].chars().next()?;
    let to = row.rfind(SIDES).filter(|to| *to > from)?;
    row.get(from + side.len_utf8()..to)
}
