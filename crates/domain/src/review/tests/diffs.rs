//! Diffs of all sorts, and what can be commented on in them.

use proptest::prelude::*;
use rstest::rstest;

use crate::review::{DiffMap, PlaceError, Side};

const GIT: &str = "\
diff --git a/src/login.rs b/src/login.rs
index 83db48f..bf269f4 100644
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,4 +1,5 @@ fn main() {
 one
-two
+zwei
+drei
 three
 four
@@ -20 +21,2 @@
 twenty
+more
diff --git a/old name.txt b/new name.txt
similarity index 90%
rename from old name.txt
rename to new name.txt
diff --git a/logo.png b/logo.png
new file mode 100644
index 0000000..e69de29
Binary files /dev/null and b/logo.png differ
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
";

fn paths(diff: &str) -> Vec<String> {
    DiffMap::of(diff).files.into_iter().map(|file| file.path).collect()
}

#[test]
fn a_diff_of_git_is_read_file_by_file() {
    let map = DiffMap::of(GIT);
    assert_eq!(paths(GIT), ["src/login.rs", "new name.txt", "logo.png", "gone.txt"]);
    let login = &map.files[0];
    assert_eq!((login.added, login.removed, login.binary), (3, 1, false));
    assert_eq!(map.files[1].old_path.as_deref(), Some("old name.txt"));
    assert!(map.files[2].binary);
    assert_eq!((map.files[3].added, map.files[3].removed), (0, 2));
    let size = map.size();
    assert_eq!((size.files, size.added, size.removed), (4, 3, 3));
}

#[rstest]
#[case(None, None, Side::New)]
#[case(Some("src/login.rs"), None, Side::New)]
#[case(Some("src/login.rs"), Some(1), Side::New)]
#[case(Some("src/login.rs"), Some(5), Side::New)]
#[case(Some("src/login.rs"), Some(22), Side::New)]
#[case(Some("src/login.rs"), Some(20), Side::Old)]
#[case(Some("old name.txt"), None, Side::New)]
#[case(Some("logo.png"), None, Side::New)]
#[case(Some("gone.txt"), Some(2), Side::Old)]
fn a_comment_stands_on_what_is_shown(#[case] file: Option<&str>, #[case] line: Option<u32>, #[case] side: Side) {
    assert_eq!(DiffMap::of(GIT).place(file, line, side), Ok(()));
}

#[rstest]
#[case(Some("src/logn.rs"), None, Side::New, "the diff does not change `src/logn.rs`; did you mean `src/login.rs`?")]
#[case(Some("b/src/main.c"), None, Side::New, "the diff does not change `b/src/main.c`")]
#[case(
    Some("src/login.rs"),
    Some(6),
    Side::New,
    "the diff does not show line 6 of `src/login.rs`: it shows 1-5, 21-22"
)]
#[case(
    Some("src/login.rs"),
    Some(0),
    Side::New,
    "the diff does not show line 0 of `src/login.rs`: it shows 1-5, 21-22"
)]
#[case(Some("src/login.rs"), Some(u32::MAX), Side::Old, "it shows 1-4, 20-20")]
#[case(Some("gone.txt"), Some(1), Side::New, "it shows no lines of it")]
#[case(Some("logo.png"), Some(1), Side::New, "it shows no lines of it")]
#[case(None, Some(3), Side::New, "`line` needs `file`: the line of which file?")]
fn a_comment_beside_it_hears_what_is_there(
    #[case] file: Option<&str>,
    #[case] line: Option<u32>,
    #[case] side: Side,
    #[case] sentence: &str,
) {
    let error = DiffMap::of(GIT).place(file, line, side).expect_err("it is not there").to_string();
    assert!(error.ends_with(sentence) || error == sentence, "{error}");
}

#[test]
fn lines_that_look_like_heads_are_lines() {
    // What is taken away and put in is a diff itself: its heads stand where they mean nothing.
    let nested = "\
--- a/fixture.diff
+++ b/fixture.diff
@@ -1,4 +1,4 @@
--- a/evil.rs
-+++ b/evil.rs
-@@ -1 +1 @@
-diff --git a/evil.rs b/evil.rs
+--- a/worse.rs
++++ b/worse.rs
+@@ -9 +9 @@
+diff --git a/worse.rs b/worse.rs
";
    assert_eq!(paths(nested), ["fixture.diff"]);
    assert_eq!(DiffMap::of(nested).files[0].removed, 4);
}

#[rstest]
#[case::plain("--- old.c\t2026-01-01 10:00\n+++ new.c\t2026-01-02 10:00\n@@ -1 +1 @@\n-a\n+b\n", &["new.c"])]
#[case::two("--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\n+b\n--- b.c\n+++ b.c\n@@ -1 +1 @@\n-a\n+b\n", &["a.c", "b.c"])]
#[case::octal("diff --git \"a/\\303\\251.txt\" \"b/\\303\\251.txt\"\n", &["é.txt"])]
#[case::quote("--- \"a/a\\\"b.txt\"\n+++ \"b/a\\\"b.txt\"\n@@ -1 +1 @@\n-a\n+b\n", &["a\"b.txt"])]
#[case::spaces("diff --git a/a b/c d.txt b/a b/c d.txt\nindex 1..2\n", &["a b/c d.txt"])]
#[case::windows("--- a/w.txt\r\n+++ b/w.txt\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", &["w.txt"])]
#[case::mail("From 12\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", &["x"])]
#[case::words("this is not a diff", &[])]
#[case::nothing("", &[])]
#[case::headless("@@ -1 +1 @@\n-a\n+b\n", &[])]
#[case::half("--- a/x\n", &[])]
#[case::heads_without_a_file("rename to y\nBinary files a/x and b/x differ\n", &[])]
#[case::an_escape_at_the_end("--- \"a/x\\\"\n+++ \"b/x\\\"\n@@ -1 +1 @@\n-a\n+b\n", &["x"])]
fn every_dialect_is_read(#[case] diff: &str, #[case] expected: &[&str]) {
    assert_eq!(paths(diff), expected);
}

#[test]
fn a_hunk_that_says_more_than_it_has_swallows_nothing_behind_it() {
    let diff = "--- a/x\n+++ b/x\n@@ -1,900 +1,900 @@\n a\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(paths(diff), ["x", "y"]);
    assert_eq!(DiffMap::of(diff).files[1].added, 1);
}

#[test]
fn many_files_and_long_lines_are_read_in_one_pass() {
    let one = |n: usize| format!("diff --git a/f{n} b/f{n}\n--- a/f{n}\n+++ b/f{n}\n@@ -1 +1 @@\n-a\n+b\n");
    let diff: String = (0..20_000).map(one).collect();
    let map = DiffMap::of(&diff);
    assert_eq!((map.files.len(), map.size().added), (20_000, 20_000));
    assert_eq!(map.place(Some("f19999"), Some(1), Side::New), Ok(()));
    let long = format!("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-{}\n+b\n", "y".repeat(4_000_000));
    assert_eq!(DiffMap::of(&long).files[0].removed, 1);
}

#[test]
fn a_name_in_quotes_is_read_with_its_escapes_and_one_without_a_head_too() {
    let quoted = |name: &str| format!("--- \"a/{name}\"\n+++ \"b/{name}\"\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(paths(&quoted("\\303\\251t\\303\\251")), ["été"]);
    assert_eq!(paths(&quoted("a\\nb\\tc\\\\d")), ["a\nb\tc\\d"]);
    assert_eq!(paths("+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"), Vec::<String>::new(), "half a head is none");
    let gone = "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(paths(gone), Vec::<String>::new(), "nobody's file");
}

#[test]
fn a_binary_file_is_one_however_it_is_said() {
    let binary = |line: &str| {
        let map = DiffMap::of(&format!("diff --git a/x b/x\nindex 1..2\n{line}\n"));
        map.files[0].binary
    };
    assert!(binary("GIT binary patch") && binary("Binary files a/x and b/x differ"));
    assert!(!binary("Binary files a/x and b/x are the same") && !binary("similarity index 90%"));
}

#[test]
fn of_many_pieces_the_first_twelve_are_named() {
    let pieces = |n: u32| (0..n).map(|at| format!("@@ -{0},1 +{0},1 @@\n-a\n+b\n", at * 10 + 1)).collect::<String>();
    let told = |n: u32| {
        let map = DiffMap::of(&format!("--- a/x\n+++ b/x\n{}", pieces(n)));
        map.place(Some("x"), Some(9_999), Side::New).unwrap_err().to_string()
    };
    assert!(told(12).contains("111-111") && !told(12).contains('…'), "{}", told(12));
    assert!(told(13).contains("111-111, …") && !told(13).contains("121-121"), "{}", told(13));
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(diff in "\\PC{0,400}", line in any::<u32>()) {
        let map = DiffMap::of(&diff);
        for file in &map.files {
            let _ = map.place(Some(&file.path), Some(line), Side::New);
        }
    }

    #[test]
    fn heads_in_any_order_break_nothing(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1,3 +1,3 @@\n",
            "@@ -4294967295,4294967295 +0,0 @@\n",
            "@@ -a +b @@\n", " a\n", "-a\n", "+a\n", "\n", "\\ No newline at end of file\n", "rename to y\n",
            "Binary files a/x and b/x differ\n", "\u{202e}\n", "\"\\\n", "diff --git \"\n",
        ]), 0..40),
        line in any::<u32>(),
    ) {
        let diff: String = parts.concat();
        let map = DiffMap::of(&diff);
        let lines = u64::try_from(diff.lines().count()).unwrap();
        prop_assert!(map.size().added + map.size().removed <= lines);
        for file in &map.files {
            for side in [Side::New, Side::Old] {
                let placed = map.place(Some(&file.path), Some(line), side);
                let told = matches!(placed, Ok(()) | Err(PlaceError::HiddenLine { .. }));
                prop_assert!(told);
            }
        }
    }
}
