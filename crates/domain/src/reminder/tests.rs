//! What `reminder` does, tried.

use super::*;

fn task() -> TaskId {
    TaskId::parse("abcd1234").unwrap()
}

#[test]
fn the_quoted_texts_are_to_the_letter() {
    assert_eq!(IDLE, "No tasks available. Waiting.");
    assert_eq!(RECONNECT, "## REQUIRED ACTION\nCall wait_for_prompt again to continue listening.");
    assert_eq!(recorded(&task()), "Response recorded for abcd1234");
    assert_eq!(
        cleanup(&task()),
        "## REQUIRED ACTION\n1. Verify merged: git log origin/main --oneline | head -1\n2. If not merged: git push \
             origin feature-abcd1234\n3. Cleanup: git worktree remove .worktrees/feature-abcd1234 --force"
    );
}

#[test]
fn a_worktree_is_named_for_the_task_and_its_branch_for_the_role() {
    let role = RoleId::parse("test-engineer").unwrap();
    let line = "git worktree add .worktrees/feature-abcd1234 -b feature-abcd1234";
    assert!(worktree(&task(), None).lines().any(|text| text == line));
    assert!(!worktree(&task(), None).contains("feature/"));
    assert!(worktree(&task(), Some(&role)).contains("feature/test-engineer/1234"));
}

/// Each text begins by what it is, names its task or agent, and says which tool is next, or that none is.
#[test]
fn every_text_says_what_comes_next_and_about_whom() {
    let agent = AgentId::parse("fullstack-1").unwrap();
    let (id, who) = (task().to_string(), "\"fullstack-1\"");
    let asked = QuestionId::parse("q_00000001").unwrap();
    let table = [
        (not_registered(&agent), "## REQUIRED ACTION", who, "register_agent"),
        (superseded(&agent), "## STOP", who, "do not register"),
        (evicted_before(&agent), "## REQUIRED ACTION", who, "register_agent"),
        (evicted(EvictionAction::Restart).to_owned(), "## REQUIRED ACTION", "Your tasks", "call register_agent"),
        (evicted(EvictionAction::Shutdown).to_owned(), "## REQUIRED ACTION", "Your tasks", "do not register"),
        (after_progress(&task()), "## NEXT STEP", &id, "send_response"),
        (after_blocked(&task()), "## NEXT STEP", &id, "wait_for_prompt"),
        (after_failed(&task()), "## NEXT STEP", &id, "wait_for_prompt"),
        (after_completed(&task()), "## NEXT STEP", &id, "wait_for_prompt"),
        (after_submitted(&task()), "## NEXT STEP", &id, "wait_for_prompt"),
        (still_held(&task()), "You still hold", &id, "send_response"),
        (cancelled(&task()), "## STOP", &id, "wait_for_prompt"),
        (lease_lost(&task()), "## STOP", &id, "wait_for_prompt"),
        (closed(&task()), "## NEXT STEP", &id, "wait_for_prompt"),
        (pending(&asked), "## NEXT STEP", asked.as_str(), "wait_for_answer"),
        (held_back(&asked), "## NEXT STEP", asked.as_str(), "withdraw_question"),
        (overdue(&asked), "## NEXT STEP", asked.as_str(), "Do not act on the default"),
        (go_on_with_answer().to_owned(), "## NEXT STEP", "resolution.value", "a person gave it"),
        (heard_before().to_owned(), "## NEXT STEP", "this answer", "do nothing twice"),
        (go_on_with_default().to_owned(), "## NEXT STEP", "resolution.value", "nobody answered in time"),
        (next_task().to_owned(), "## NEXT STEP", "", "wait_for_prompt"),
    ];
    for (text, begins, about, next) in table {
        assert!(text.starts_with(begins), "{text}");
        assert!([about, next].iter().all(|words| text.contains(words)), "{text}");
    }
}

#[test]
fn who_is_full_hears_what_it_holds() {
    let other = TaskId::parse("wxyz5678").unwrap();
    assert!(at_capacity(&[task()]).contains("You still hold task abcd1234."));
    assert!(at_capacity(&[task(), other]).contains("You still hold tasks abcd1234, wxyz5678."));
}
