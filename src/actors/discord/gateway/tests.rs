//! What `gateway` does, tried.

use super::*;

#[test]
fn a_close_is_tried_again_unless_somebody_has_to_act_first() {
    let why = |code: u16| match closed(Some(CloseFrame::new(code, "as it is"))) {
        End::Lost(why) => ("lost", why),
        End::Refused(why) => ("refused", why),
        End::Stopped(why) => ("stopped", why),
    };
    for code in [1_000, 1_006, 4_000, 4_001, 4_002, 4_003, 4_005, 4_007, 4_008, 4_009] {
        assert_eq!(why(code), ("lost", format!("{code} as it is")));
    }
    let (end, said) = why(4_004);
    assert!(end == "refused" && said.contains("give the new one by DISCORD_TOKEN"), "{said}");
    for (code, words) in [
        (4_010, "(4010 as it is): restart it"),
        (4_013, "(4013 as it is): restart it"),
        (4_014, "set `discord.messageContent: false`"),
    ] {
        let (end, said) = why(code);
        assert!(end == "stopped" && said.contains(words), "{code}: {said}");
    }
    assert!(matches!(closed(None), End::Lost(_)));
}
