//! Reads a payload as it comes and keeps what may matter of it: of long lists only that there are more, of long texts
//! their beginning. A push with thousands of commits has 25 MiB, of which its branch is all that is asked for.
//!
//! The rest is not looked at, and need not even be JSON: what comes here is signed by its source.

/// How many items of a list are kept whole; in the place of each other one stands `0`, so that they can be counted.
const ITEMS: usize = 30;
/// How much of a text is kept, in bytes as it is written: 64 Ki characters, each of them escaped.
const TEXT: usize = 6 * 64 * 1024;
/// How much is kept in all, in bytes.
pub(super) const KEPT: usize = 8 * 1024 * 1024;
/// How deep lists and objects may lie in each other; a reader of JSON takes no more.
const DEPTH: usize = 128;

/// What is kept of a payload, so far.
#[derive(Debug, Default)]
pub(super) struct Skim {
    kept: Vec<u8>,
    /// For each object and list that is open, how many commas came in it, and whether it is a list.
    open: Vec<(bool, usize)>,
    text: Option<Text>,
    /// From this depth on nothing is kept until the next comma or the end there.
    skips: Option<usize>,
    too_much: bool,
}

/// A text that is being read.
#[derive(Debug, Default)]
struct Text {
    bytes: usize,
    escapes: bool,
    /// Whether the byte before is a character of its own, behind which a text may end.
    can_end: bool,
    is_cut: bool,
}

impl Skim {
    /// The next part.
    pub(super) fn feed(&mut self, part: &[u8]) {
        for &byte in part {
            if self.too_much {
                return;
            }
            match self.text.take() {
                Some(text) => self.in_text(text, byte),
                None => self.between_texts(byte),
            }
        }
    }

    /// How many bytes are kept so far.
    pub(super) const fn kept(&self) -> usize {
        self.kept.len()
    }

    /// What was kept; none where that is more than is kept of any.
    pub(super) fn end(self) -> Option<Vec<u8>> {
        (!self.too_much).then_some(self.kept)
    }

    fn keep(&mut self, byte: u8) {
        if self.skips.is_none() {
            self.kept.push(byte);
            self.too_much |= self.kept.len() > KEPT;
        }
    }

    fn in_text(&mut self, mut text: Text, byte: u8) {
        text.bytes += 1;
        if !text.escapes && byte == b'"' {
            return self.keep(byte);
        }
        let plain = !text.escapes && byte.is_ascii() && byte != b'\\';
        // Cut between two plain characters, so that neither an escape nor a pair of them is broken.
        text.is_cut |= text.bytes > TEXT && text.can_end && plain;
        text.can_end = plain;
        text.escapes = !text.escapes && byte == b'\\';
        if !text.is_cut {
            self.keep(byte);
        }
        self.text = Some(text);
    }

    fn between_texts(&mut self, byte: u8) {
        match byte {
            b'"' => self.text = Some(Text::default()),
            b'{' | b'[' => {
                self.keep(byte);
                self.open.push((byte == b'[', 0));
                self.too_much |= self.open.len() > DEPTH;
                return;
            }
            b'}' | b']' => {
                self.ends_skipping();
                self.open.pop();
            }
            b',' => return self.next_item(),
            byte if byte.is_ascii_whitespace() => return,
            _ => {}
        }
        self.keep(byte);
    }

    /// Behind a comma: in a list that is long enough another item begins that is not kept.
    fn next_item(&mut self) {
        self.ends_skipping();
        self.keep(b',');
        let depth = self.open.len();
        let Some((is_list, commas)) = self.open.last_mut() else { return };
        *commas += 1;
        if *is_list && *commas >= ITEMS && self.skips.is_none() {
            self.keep(b'0');
            self.skips = Some(depth);
        }
    }

    fn ends_skipping(&mut self) {
        if self.skips == Some(self.open.len()) {
            self.skips = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn skimmed(text: &str, part: usize) -> Option<Value> {
        let mut skim = Skim::default();
        text.as_bytes().chunks(part).for_each(|part| skim.feed(part));
        Some(serde_json::from_slice(&skim.end()?).expect("JSON"))
    }

    #[test]
    fn a_long_push_is_read_as_far_as_its_branch_and_its_commits_are_counted() {
        let commit = json!({"id": "1".repeat(40), "message": "a \"quote\", [a list] and {more}", "added": ["a", "b"]});
        let commits = vec![commit.clone(); 20_000];
        let push = json!({"ref": "refs/heads/main", "commits": commits, "repository": {"full_name": "acme/web"}});
        let text = push.to_string();
        assert!(text.len() > 2 * 1024 * 1024);
        let found = skimmed(&text, 1_000).unwrap();
        assert_eq!((&found["ref"], &found["repository"]), (&push["ref"], &push["repository"]));
        assert_eq!((found["commits"].as_array().unwrap().len(), &found["commits"][29]), (20_000, &commit));
        assert!(found.to_string().len() < 60_000);
    }

    #[test]
    fn a_long_text_is_cut_between_its_characters() {
        for unit in ["x", "xé", "\u{1F600}x ", "\\\" x"] {
            let long = json!({"a": unit.repeat(3 * TEXT), "b": 1});
            let found = skimmed(&long.to_string(), 777).unwrap();
            let kept = found["a"].as_str().unwrap();
            assert!(long["a"].as_str().unwrap().starts_with(kept) && found["b"] == 1, "{unit}");
            assert!((TEXT / 2..TEXT + 20).contains(&kept.len()), "{unit}: {}", kept.len());
        }
        let escaped = format!("{{\"a\": \"{}\"}}", "\\ud83d\\ude00".repeat(65_536 / 2));
        assert_eq!(skimmed(&escaped, 5).unwrap()["a"].as_str().unwrap().chars().count(), 32_768);
    }

    #[test]
    fn what_is_too_much_is_nothing() {
        let many: Vec<String> = (0..400_000).map(|n| format!("\"key number {n}\": {n}")).collect();
        assert_eq!(skimmed(&format!("{{{}}}", many.join(",")), 4_096), None);
        assert_eq!(skimmed(&"[".repeat(1_000), 10), None);
    }

    proptest! {
        #[test]
        fn what_is_short_stays_as_it_is(
            numbers in prop::collection::vec(any::<i32>(), 0..20), texts in prop::collection::vec(".{0,20}", 0..20),
            part in 1_usize..50,
        ) {
            let value = json!({"numbers": numbers, "deep": {"texts": texts, "of": [[], {}, [{"a": null}]]}, "": true});
            prop_assert_eq!(skimmed(&value.to_string(), part), Some(value.clone()));
            prop_assert_eq!(skimmed(&serde_json::to_string_pretty(&value).unwrap(), part), Some(value));
        }
    }
}
