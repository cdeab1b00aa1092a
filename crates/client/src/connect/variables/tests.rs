//! What `variables` does, tried.

use rstest::rstest;

use super::*;

#[rstest]
#[case::claude(Client::Claude, "Bearer ${KNOWN}", Ok("Bearer seven"))]
#[case::claude_without(Client::Claude, "Bearer ${OTHER}", Err("OTHER"))]
#[case::a_default(Client::Claude, "${OTHER:-eight} and ${KNOWN:-nine}", Ok("eight and seven"))]
#[case::gemini(Client::Gemini, "$KNOWN, ${KNOWN}, $", Ok("seven, seven, $"))]
#[case::cursor(Client::Cursor, "Bearer ${env:KNOWN}", Ok("Bearer seven"))]
#[case::what_a_user_is_asked_for(Client::Vscode, "Bearer ${input:token}", Err("input:token"))]
#[case::opencode(Client::Opencode, "Bearer {env:KNOWN} {braces}", Ok("Bearer seven {braces}"))]
#[case::codex_knows_none(Client::Codex, "${KNOWN}", Ok("${KNOWN}"))]
#[case::nothing_to_fill(Client::Claude, "plain $KNOWN {env:KNOWN}", Ok("plain $KNOWN {env:KNOWN}"))]
fn a_text_is_filled_as_its_client_fills_it(
    #[case] client: Client,
    #[case] text: &str,
    #[case] whole: Result<&str, &str>,
) {
    let value = |name: &str| (name == "KNOWN").then(|| "seven".to_owned());
    assert_eq!(filled(client, text, &value), whole.map(str::to_owned).map_err(str::to_owned));
}
