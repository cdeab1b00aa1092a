//! One entry of a JSON file, put in and taken out by a library that keeps everything else as it was, remarks too.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// What a client reads beside plain JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Plain,
    Comments,
    /// Comments, and a comma after the last field.
    CommentsAndCommas,
}

/// What the hub's entries are made of; any other field of one is its user's own: `env`, say, or `timeout`.
const OURS: [&str; 8] = ["type", "command", "args", "url", "httpUrl", "headers", "oauth", "enabled"];

/// A file's text, read.
pub(super) struct Document {
    root: CstRootNode,
    whole: CstObject,
}

impl Document {
    /// Reads it; an empty text is an empty object. The error says why it is no JSON object.
    pub(super) fn read(text: &str, dialect: Dialect) -> Result<Self, String> {
        let text = if text.trim().is_empty() { "{\n}\n" } else { text };
        let options = ParseOptions {
            allow_comments: dialect != Dialect::Plain,
            allow_trailing_commas: dialect == Dialect::CommentsAndCommas,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let kind = if dialect == Dialect::Plain { "plain JSON object" } else { "JSON object" };
        let no = |why: &str| format!("it is no {kind}: {why}");
        if dialect == Dialect::Plain {
            // The library takes remarks here and there, whatever it is told.
            serde_json::from_str::<IgnoredAny>(text).map_err(|error| no(&error.to_string()))?;
        }
        let root = CstRootNode::parse(text, &options).map_err(|error| no(&error.to_string()))?;
        let whole = root.object_value().ok_or_else(|| no("it is another value"))?;
        Ok(Self { root, whole })
    }

    pub(super) fn text(&self) -> String {
        self.root.to_string()
    }

    /// The text; that of `was` where the two differ by blanks between their words alone.
    pub(super) fn text_after(&self, was: &Self) -> String {
        let (now, before) = (self.text(), was.text());
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        let value = |document: &Self| document.root.value().and_then(|value| value.to_serde_value());
        if bare(&now) == bare(&before) && value(self) == value(was) { before } else { now }
    }

    /// The value of `name` in the object at `path`. The error says that what stands at `path` is no object.
    pub(super) fn find(&self, path: &[&str], name: &str) -> Result<Option<Value>, String> {
        let Some(object) = self.object(path)? else { return Ok(None) };
        Ok(field(&object, path, name)?.and_then(|found| found.value()?.to_serde_value()))
    }

    /// Whether there is an object at `path` that holds objects, and is none of them itself.
    pub(super) fn holds_objects(&self, path: &[&str]) -> bool {
        let object = self.object(path).ok().flatten();
        object.is_some_and(|object| object.properties().iter().all(|field| field.object_value().is_some()))
    }

    /// Puts an entry into the object at `path`; other fields of an older one stay. Fails as [`Document::find`] does.
    pub(super) fn put(&self, path: &[&str], name: &str, entry: &Map<String, Value>) -> Result<(), String> {
        let older = self.find(path, name)?;
        let mut whole = entry.clone();
        for (field, value) in older.iter().filter_map(Value::as_object).flatten() {
            if !OURS.contains(&field.as_str()) {
                whole.entry(field).or_insert_with(|| value.clone());
            }
        }
        let inside = self.made(path)?;
        match inside.get(name) {
            Some(_) if older.as_ref().and_then(Value::as_object) == Some(&whole) => {}
            Some(field) => field.set_value(written(&Value::Object(whole))),
            None => drop(inside.insert(0, name, written(&Value::Object(whole)))),
        }
        Ok(())
    }

    /// Takes out `name` of the object at `path`, and the objects that it leaves empty. What `was` has stays there,
    /// or comes back. Fails as [`Document::find`] does, and that there is none.
    pub(super) fn take(&self, path: &[&str], name: &str, was: &Self) -> Result<(), String> {
        let none = || format!("there is no entry `{name}` in it");
        let object = self.object(path)?.ok_or_else(none)?;
        let entry = field(&object, path, name)?.ok_or_else(none)?;
        if let Some(before) = was.find(path, name)? {
            entry.set_value(written(&before));
            return Ok(());
        }
        entry.remove();
        self.take_emptied(path, was)
    }

    /// Takes out the objects on the way of `path` that are empty, from its end on, but not those that `was` has.
    fn take_emptied(&self, path: &[&str], was: &Self) -> Result<(), String> {
        for depth in (1..=path.len()).rev() {
            let (above, table) = (self.object(&path[..depth - 1])?, path[depth - 1]);
            let emptied = above.and_then(|above| above.get(table));
            let emptied = emptied.filter(|it| it.object_value().is_some_and(|it| is_bare(&it)));
            let Some(emptied) = emptied.filter(|_| !was.has(&path[..depth])) else { break };
            emptied.remove();
        }
        Ok(())
    }

    /// Puts an item into the list at `path`, once. Fails when something on the way is no object, or the end no list.
    pub(super) fn put_item(&self, path: &[&str], item: &Value) -> Result<(), String> {
        let Some((name, above)) = path.split_last() else { return Ok(()) };
        let inside = self.made(above)?;
        match inside.get(name) {
            None => drop(inside.insert(0, name, CstInputValue::Array(vec![written(item)]))),
            Some(field) => {
                let list = field.array_value().ok_or_else(|| format!("`{}` is no list", path.join(".")))?;
                if !list.elements().iter().any(|known| is_same(known, item)) {
                    if item.is_object() {
                        list.ensure_multiline();
                    }
                    list.insert(0, written(item));
                }
            }
        }
        Ok(())
    }

    /// Takes that item out of the list at `path`, and with the last one the list; nothing that `was` has. The error
    /// says that something on the way is no object.
    pub(super) fn take_item(&self, path: &[&str], item: &Value, was: &Self) -> Result<(), String> {
        let Some((name, above)) = path.split_last() else { return Ok(()) };
        let all = self.items(path);
        let Some(found) = all.iter().find(|known| is_same(known, item)).filter(|_| !was.lists(path, item)) else {
            return Ok(());
        };
        if all.len() > 1 || was.has(path) {
            found.clone().remove();
            return Ok(());
        }
        if let Some(field) = self.object(above)?.and_then(|object| object.get(name)) {
            field.remove();
        }
        self.take_emptied(above, was)
    }

    /// Whether the list at `path` has that item.
    pub(super) fn lists(&self, path: &[&str], item: &Value) -> bool {
        self.items(path).iter().any(|known| is_same(known, item))
    }

    pub(super) fn values(&self, path: &[&str]) -> Vec<Value> {
        self.items(path).iter().filter_map(CstNode::to_serde_value).collect()
    }

    /// The items of the list at `path`; none where there is no list.
    fn items(&self, path: &[&str]) -> Vec<CstNode> {
        let Some((name, above)) = path.split_last() else { return Vec::new() };
        let list = self.object(above).ok().flatten().and_then(|object| object.array_value(name));
        list.map(|list| list.elements()).unwrap_or_default()
    }

    /// The object at `path`, made where there is none.
    fn made(&self, path: &[&str]) -> Result<CstObject, String> {
        let mut inside = self.whole.clone();
        for table in path {
            let known = inside.object_value(table);
            inside = known
                .or_else(|| inside.insert(0, table, CstInputValue::Object(Vec::new())).object_value())
                .ok_or_else(|| within(path))?;
        }
        Ok(inside)
    }

    fn has(&self, path: &[&str]) -> bool {
        let Some((name, above)) = path.split_last() else { return true };
        self.object(above).ok().flatten().is_some_and(|above| above.get(name).is_some())
    }

    /// The object at `path`; none where there is nothing.
    fn object(&self, path: &[&str]) -> Result<Option<CstObject>, String> {
        let mut inside = self.whole.clone();
        for (depth, table) in path.iter().enumerate() {
            let Some(found) = field(&inside, &path[..depth], table)? else { return Ok(None) };
            inside = found.object_value().ok_or_else(|| within(&path[..=depth]))?;
        }
        Ok(Some(inside))
    }
}

/// The field of that name. Of two that are called alike, which one counts is each reader's own.
fn field(object: &CstObject, path: &[&str], name: &str) -> Result<Option<CstObjectProp>, String> {
    let mut all = object.properties().into_iter().filter(|field| field.decoded_name().as_deref() == Some(name));
    let found = all.next();
    let way: Vec<&str> = path.iter().copied().chain([name]).collect();
    if all.next().is_some() { Err(format!("`{}` stands in it twice", way.join("."))) } else { Ok(found) }
}

fn within(path: &[&str]) -> String {
    format!("`{}` is no object", path.join("."))
}

fn is_bare(object: &CstObject) -> bool {
    object.properties().is_empty() && !object.children().iter().any(CstNode::is_comment)
}

/// At the end of each command of a hook that is written here; a shell passes over it.
pub const REMARK: &str = " # callboard connect";

/// Whether a hook in a list of a client's was written here.
pub(super) fn is_ours(item: &Value) -> bool {
    item["hooks"][0]["command"].as_str().is_some_and(|command| command.ends_with(REMARK))
}

/// Whether an item of a list is that one: by `id` where both have one; of two hooks, whether both are callboard's.
fn is_same(known: &CstNode, item: &Value) -> bool {
    known.to_serde_value().is_some_and(|known| {
        known == *item || known["id"].is_string() && known["id"] == item["id"] || is_ours(&known) && is_ours(item)
    })
}

fn written(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(written).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(name, value)| (name.clone(), written(value))).collect())
        }
    }
}
