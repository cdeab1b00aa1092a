//! What `answer` does, tried.

use super::*;

#[test]
fn what_is_answered_is_a_question_or_an_item_of_the_inbox() {
    let question = |id: &str| Ok(AnswerTarget::Question(id.to_owned()));
    assert_eq!(asked("q_0001"), question("q_0001"));
    assert_eq!(asked("question:q_0001"), question("q_0001"));
    let item = "input_prompt:s_0001@12";
    assert_eq!(asked(item), Ok(AnswerTarget::Item(item.to_owned())));
    assert_eq!(asked("blocked:t_0001"), Ok(AnswerTarget::Item("blocked:t_0001".to_owned())));
    assert!(super::question_id("blocked:t_0001").is_err_and(|said| said.contains("callboard inbox list")));
    for odd in
        ["blocked:", "blocked:a/b", "", "a/b", "review:t_1", "question:", "input_prompt:", "input_prompt:a/b", "q@1"]
    {
        assert!(asked(odd).is_err(), "{odd}");
    }
}
