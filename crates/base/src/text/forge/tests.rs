//! What `forge` does, tried.

use proptest::prelude::*;
use rstest::rstest;

use super::for_forge;

#[rstest]
#[case::mention("@all look, ann@example.com", "@|all look, ann@|example.com")]
#[case::reference("see #12 and acme/web#3", "see #|12 and acme/web#|3")]
#[case::other_references("GH-12, gh-3, !7", "GH-|12, gh-|3, !|7")]
#[case::closing("Closes #12.\nFixes: acme/web#3", "Closes #|12.\nFixes: acme/web#|3")]
#[case::closing_a_link("fixes https://github.com/a/b/issues/3", "f|ixes https://github.com/a/b/issues/3")]
#[case::closing_in_capitals("RESOLVED:  <https://x.y/1>", "R|ESOLVED:  <https://x.y/1>")]
#[case::order("/merge\n  /close it\n> /approve\n- /lgtm", "/|merge\n  /|close it\n> /|approve\n- /|lgtm")]
#[case::entity("&#64;ann &#x40;ann &commat;ann &num;12", "&|#|64;ann &|#x40;ann &|commat;ann &|num;12")]
#[case::mark("<!-- callboard:00 -->", "<|!-- callboard:00 -->")]
#[case::code("`@all` and\n```\n/merge #1\n```", "`@|all` and\n```\n/|merge #|1\n```")]
#[case::plain("a & b; c/d, # 1, C#, high! 7 of 9, agh-1", "a & b; c/d, # 1, C#, high! 7 of 9, agh-1")]
#[case::address("https://ci.example/run/5#12-a and a/b", "https://ci.example/run/5#12-a and a/b")]
#[case::no_address("https:// #12", "https:// #|12")]
#[case::prefix("this prefixes https://x.y", "this prefixes https://x.y")]
fn nothing_acts_and_people_read_the_same(#[case] text: &str, #[case] quiet: &str) {
    assert_eq!(for_forge(text), quiet.replace('|', "\u{200B}"));
    assert_eq!(for_forge(&for_forge(text)), for_forge(text), "twice");
}

proptest! {
    #[test]
    fn whatever_is_written_calls_and_closes_nothing(text in "[@#!/&<>a-z0-9;:\\- \nhtpsGfix.]{0,60}") {
        let quiet = for_forge(&text);
        prop_assert_eq!(quiet.replace('\u{200B}', ""), text, "it reads the same");
        let signs: Vec<char> = quiet.chars().collect();
        let unbroken = signs.windows(2).any(|pair| pair[0] == '@' && pair[1] != '\u{200B}');
        prop_assert!(!unbroken && !quiet.contains("<!--"), "{:?}", quiet);
    }
}
