//! The tree of a file, each node with its place, and the laying of one tree over another.

use crate::source_location::SourceLocation;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) place: SourceLocation,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    Null,
    Bool(bool),
    /// Wide enough for every 64 bit number, signed or not.
    Whole(i128),
    Fraction(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_place: SourceLocation,
    pub(crate) node: Node,
}

impl Node {
    /// The entries of a map; none for anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        if let Kind::Map(entries) = &self.kind { entries } else { &[] }
    }

    /// The child that `segment` names: a key of a map, an index of a list.
    pub(crate) fn child(&self, segment: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Map(entries) => entries.iter().find(|entry| entry.key == segment).map(|entry| &entry.node),
            Kind::List(items) => items.get(segment.parse::<usize>().ok()?),
            Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) => None,
        }
    }

    fn child_mut(&mut self, segment: &str) -> Option<&mut Self> {
        match &mut self.kind {
            Kind::Map(entries) => entries.iter_mut().find(|entry| entry.key == segment).map(|entry| &mut entry.node),
            Kind::List(items) => items.get_mut(segment.parse::<usize>().ok()?),
            Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) => None,
        }
    }

    pub(crate) fn at<S: AsRef<str>>(&self, path: &[S]) -> Option<&Self> {
        path.iter().try_fold(self, |node, segment| node.child(segment.as_ref()))
    }

    pub(crate) fn at_mut<S: AsRef<str>>(&mut self, path: &[S]) -> Option<&mut Self> {
        path.iter().try_fold(self, |node, segment| node.child_mut(segment.as_ref()))
    }

    /// Where the value at a path stands, or the deepest of its parents that exists.
    pub(crate) fn place_of<S: AsRef<str>>(&self, path: &[S]) -> SourceLocation {
        let mut node = self;
        for segment in path {
            match node.child(segment.as_ref()) {
                Some(child) => node = child,
                None => break,
            }
        }
        node.place.clone()
    }

    /// Where the key at the end of a path stands.
    pub(crate) fn key_place_of<S: AsRef<str>>(&self, path: &[S]) -> Option<SourceLocation> {
        let (last, parents) = path.split_last()?;
        let parent = self.at(parents)?;
        parent.entries().iter().find(|entry| entry.key == last.as_ref()).map(|entry| entry.key_place.clone())
    }

    /// Lays `over` over this tree: maps are merged key by key, anything else is replaced.
    pub(crate) fn lay(&mut self, over: Self) {
        match (&mut self.kind, over) {
            (Kind::Map(entries), Self { kind: Kind::Map(others), place }) => {
                // What the map lacks is missing where somebody wrote it last.
                self.place = place;
                for other in others {
                    match entries.iter_mut().find(|entry| entry.key == other.key) {
                        Some(entry) => {
                            entry.node.lay(other.node);
                            entry.key_place = other.key_place;
                        }
                        None => entries.push(other),
                    }
                }
            }
            (_, over) => *self = over,
        }
    }

    /// Puts a value at a path, making the maps on the way.
    pub(crate) fn put(&mut self, path: &[&str], node: Self) {
        let Some((first, rest)) = path.split_first() else {
            *self = node;
            return;
        };
        if !matches!(self.kind, Kind::Map(_)) {
            self.kind = Kind::Map(Vec::new());
        }
        let Kind::Map(entries) = &mut self.kind else { return };
        if let Some(entry) = entries.iter_mut().find(|entry| entry.key == *first) {
            entry.node.put(rest, node);
        } else {
            let place = node.place.clone();
            let mut child = Self { place: place.clone(), kind: Kind::Null };
            child.put(rest, node);
            entries.push(Entry { key: (*first).to_owned(), key_place: place, node: child });
        }
    }

    /// Takes the node at a path away; whether it was there.
    pub(crate) fn take_away(&mut self, path: &[String]) -> bool {
        let Some((last, parents)) = path.split_last() else { return false };
        let Some(parent) = self.at_mut(parents) else { return false };
        match &mut parent.kind {
            Kind::Map(entries) => {
                let before = entries.len();
                entries.retain(|entry| entry.key != *last);
                entries.len() < before
            }
            Kind::List(items) => match last.parse::<usize>() {
                Ok(index) if index < items.len() => {
                    items.remove(index);
                    true
                }
                Ok(_) | Err(_) => false,
            },
            Kind::Null | Kind::Bool(_) | Kind::Whole(_) | Kind::Fraction(_) | Kind::Text(_) => false,
        }
    }

    /// Takes away the entries that are null in the map at `path`: so an entry of a layer below is removed.
    pub(crate) fn drop_nulls(&mut self, path: &[&str]) {
        if let Some(Self { kind: Kind::Map(entries), .. }) = self.at_mut(path) {
            entries.retain(|entry| entry.node.kind != Kind::Null);
        }
    }

    /// Each value with its dotted path: scalars, lists as a whole, and maps without entries.
    pub(crate) fn leaves(&self, prefix: &str, found: &mut Vec<(String, String, SourceLocation)>) {
        let entries = self.entries();
        if entries.is_empty() {
            found.push((prefix.to_owned(), self.shown(), self.place.clone()));
        }
        for entry in entries {
            let path = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
            entry.node.leaves(&path, found);
        }
    }

    /// The value in one line, as YAML would have it.
    pub(crate) fn shown(&self) -> String {
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => value.to_string(),
            Kind::Whole(value) => value.to_string(),
            Kind::Fraction(value) => value.to_string(),
            Kind::Text(text) => text.clone(),
            Kind::List(items) => format!("[{}]", items.iter().map(Self::shown).collect::<Vec<_>>().join(", ")),
            Kind::Map(entries) => {
                let parts: Vec<_> = entries.iter().map(|e| format!("{}: {}", e.key, e.node.shown())).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}
