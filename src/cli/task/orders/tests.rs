//! What orders say to the hub, tried.

use clap::Parser as _;

use super::*;

#[derive(clap::Parser)]
struct Typed {
    #[command(flatten)]
    edit: Edit,
}

#[test]
fn a_dash_stands_for_standard_input_where_a_text_is_edited() {
    for (typed, sent) in [("-", "from a file\n"), ("word", "word"), ("--prompt=-", "from a file\n")] {
        let words = ["edit", "0196abcd", if typed.starts_with('-') && typed.len() > 1 { typed } else { "--prompt" }];
        let more = (words[2] == "--prompt").then_some(typed);
        let typed = Typed::try_parse_from(words.into_iter().chain(more)).unwrap();
        assert_eq!(typed.edit.order(&b"from a file\n"[..]).unwrap().body, json!({ "prompt": sent }));
    }
}

#[derive(clap::Parser)]
struct CommentTyped {
    #[command(flatten)]
    comment: Comment,
}

#[test]
fn a_dash_stands_for_standard_input_where_somebody_comments() {
    for (typed, sent) in [("-", "from a file\n"), ("word", "word")] {
        let typed = CommentTyped::try_parse_from(["comment", "0196abcd", typed]).unwrap();
        assert_eq!(typed.comment.order(&b"from a file\n"[..]).unwrap().body, json!({ "text": sent }));
    }
}
