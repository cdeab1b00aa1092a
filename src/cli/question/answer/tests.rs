//! What `answer` does, tried.

use super::*;

#[test]
fn what_is_answered_is_a_question_or_an_item_of_the_inbox() {
    let question = |id: &str| Ok(AnswerTarget::Question(id.to_owned()));
    assert_eq!(asked("q_0001"), question("q_0001"));
    assert_eq!(asked("question:q_0001"), question("q_0001"));
    let item = "input_prompt:s_0001@12";
    assert_eq!(asked(item), Ok(AnswerTarget::Prompt(item.to_owned())));
    let blocked = asked("blocked:t_0001").expect_err("it is a task");
    assert!(blocked.contains("callboard task answer t_0001 ANSWER"), "{blocked}");
    for odd in ["blocked:", "blocked:a/b"] {
        assert!(asked(odd).is_err_and(|said| !said.contains("task answer")), "{odd}");
    }
    for odd in ["", "a/b", "review:t_1", "question:", "input_prompt:", "input_prompt:a/b", "q@1"] {
        assert!(asked(odd).is_err(), "{odd}");
    }
}
