//! What `rule_id` does, tried.

use super::*;

#[test]
fn every_rule_is_read_back_from_its_name() {
    for kind in PromptKind::ALL {
        for form in Form::ALL {
            let rule = RuleId::Built(kind, *form);
            assert_eq!(RuleId::parse(&rule.to_string()), rule);
            let written = serde_json::to_string(&rule).unwrap();
            assert_eq!(written, format!("\"{rule}\""));
            assert_eq!(serde_json::from_str::<RuleId>(&written).unwrap(), rule);
        }
    }
    assert_eq!(RuleId::parse("patterns.ship"), RuleId::Own("patterns.ship".to_owned()));
    for old in ["yes_no.gone", "maybe.brackets", "", "yes_no", "yes_no.patterns"] {
        assert_eq!(RuleId::parse(old), RuleId::Other(old.to_owned()), "{old}");
        assert_eq!(RuleId::parse(old).to_string(), old);
    }
}

/// As the names said it before they were forms.
#[test]
fn what_takes_no_line_is_known_by_its_form() {
    let rule = RuleId::parse;
    for name in ["command.pager", "command.pager_file", "yes_no.of_another_version"] {
        assert!(!rule(name).takes_lines(), "{name}");
    }
    for name in ["command.sign", "command.silent", "patterns.pager"] {
        assert!(rule(name).takes_lines(), "{name}");
    }
    for name in ["command.full_screen", "command.silent", "text.silent", "unknown.silent"] {
        assert!(rule(name).is_unasked(), "{name}");
    }
    for name in ["choice.full_screen", "patterns.silent", "text.colon"] {
        assert!(!rule(name).is_unasked(), "{name}");
    }
}
