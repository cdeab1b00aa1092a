//! An agent sits at its own input box and calls no more: what it should hear is typed there, told to the real binary.
//! And nowhere else, whatever stands on the screen.

use std::fs;

use serde_json::{Value, json};

use crate::support::hub_process::callboard;
use crate::support::pause;
use crate::support::terminal::Terminal;
use crate::support::watched::Scene;

/// Soon, and its silence shows soon.
const SOON: &str = "notices: {typeAfter: 300ms}\nleases: {offlineAfter: 1s}\n";

/// Asks for words at its input box, and says what it heard.
const TALKS: &str = "
while True:
    print('You: ', end='', flush=True)
    line = sys.stdin.readline()
    if not line or line == 'bye\\n':
        break
    print('it heard <' + line.strip() + '>', flush=True)
";

/// The box of a coding agent, drawn anew at each key: what comes in one piece with Enter is a paste, and stays. How it
/// takes an Enter that comes alone is said by `SENDS`, the number of the press that sends.
const BOX: &str = r"
import termios, tty
SENDS = {sends}
told, text, presses = [], '', 0
def draw():
    rows = [''.join(told), '─' * 40, '❯\xa0' + text.replace('\n', '\r\n  '), '─' * 40, '  ? for shortcuts']
    up = '\x1b[2A\x1b[' + str(3 + len(text.split('\n')[-1])) + 'G'
    sys.stdout.write('\x1b[H\x1b[2J' + '\r\n'.join(rows) + up)
    sys.stdout.flush()
tty.setraw(0)
draw()
while True:
    keys = os.read(0, 4096).decode()
    if keys == '\x04':
        break
    if keys == '\r':
        presses += 1
        if presses >= SENDS:
            told.append('it heard <' + text + '>\r\n')
            text, presses = '', 0
    else:
        text += keys.replace('\r', '\n')
    draw()
sys.stdout.write('\x1b[H\x1b[2J')
";

/// A scene, and an agent's program in its terminal to which the hub may talk.
struct Talk {
    scene: Scene,
    session: String,
    terminal: Terminal,
}

impl Talk {
    /// A program of this text, after `import os, sys`.
    fn of(program: &str) -> Self {
        let scene = Scene::set_to(SOON);
        let session = scene.session();
        let script = scene.data_dir.path().join("agent.py");
        fs::write(&script, format!("import os, sys\n{program}")).unwrap();
        let mut run = callboard(scene.data_dir.path());
        run.args(["run", "--agent", "host-1", "--inject-messages", "--", "python3"]).arg(&script);
        Self { terminal: Terminal::start(run), scene, session }
    }

    /// The agent asks, and a person answers.
    fn is_answered(&self) -> String {
        let ask = json!({ "question": "Where to?", "options": ["staging", "production"], "default_action": "staging",
            "timeout_minutes": 30, "wait_seconds": 0 });
        let asked = self.scene.agent.calls(&self.scene.hub, "request_input", &ask);
        let question = asked["question_id"].as_str().unwrap().to_owned();
        let (status, answered) =
            self.scene.hub.post(&format!("/api/v1/questions/{question}/answer"), &json!({ "value": "staging" }));
        assert_eq!(status, 200, "{answered}");
        question
    }

    fn question(&self, id: &str) -> Value {
        self.scene.hub.get(&format!("/api/v1/questions/{id}")).1
    }

    /// Waits until a look by an operator, which is no call of the agent's, comes to this.
    #[track_caller]
    fn comes_to(&self, what: &str, look: impl Fn(&Self) -> Option<Value>) -> Value {
        for _ in 0..1_500 {
            if let Some(seen) = look(self) {
                return seen;
            }
            pause(60);
        }
        panic!("{what} never shows");
    }

    /// Waits until its prompt is seen.
    #[track_caller]
    fn stands_at(&self, words: &str) -> Value {
        self.comes_to(words, |it| {
            let asked = json!({ "session_id": it.session });
            let seen = it.scene.hub.post("/api/v1/tools/detect_input_prompt", &asked).1;
            (seen["prompt"]["prompt_text"] == words).then_some(seen)
        })
    }

    /// Waits until the agent counts as gone, with something that it has not heard.
    #[track_caller]
    fn needs_you(&self) {
        self.comes_to("the notice under \"Needs you\"", |it| {
            let inbox = it.scene.hub.get("/api/v1/inbox").1;
            let items = inbox["items"].as_array()?;
            items.iter().find(|item| item["kind"] == "undelivered" && item["agentId"] == "host-1").cloned()
        });
    }

    fn transcript(&self) -> String {
        let path = format!("/api/v1/sessions/{}/transcript", self.session);
        self.scene.hub.get(&path).1["text"].as_str().unwrap().to_owned()
    }

    /// Nothing was typed, and the answer still waits to be heard.
    #[track_caller]
    fn is_untold(&self, question: &str) {
        self.needs_you();
        assert!(!self.transcript().contains("[callboard]"), "{}", self.transcript());
        let asked = self.question(question);
        assert_eq!((&asked["delivery"], &asked["deliveredBy"]), (&json!("undelivered"), &Value::Null));
    }
}

#[test]
fn an_answer_is_typed_into_the_input_box_of_an_agent_that_does_not_call() {
    let mut agent = Talk::of(TALKS);
    let events = agent.scene.events();
    agent.terminal.shows("You: ");
    let question = agent.is_answered();
    let heard = format!("it heard <[callboard] operator answered your question {question}: staging (notice n_");
    let told = agent.comes_to("the answer", |it| {
        let asked = it.question(&question);
        (asked["deliveredBy"] == "terminal").then_some(asked)
    });
    assert_eq!(told["delivery"], "delivered", "{told}");
    agent.comes_to("what it heard", |it| it.transcript().replace('\n', "").contains(&heard).then_some(Value::Null));
    agent.comes_to("that the agent is gone", |it| {
        let agents = it.scene.hub.get("/api/v1/agents").1;
        let gone = agents["items"].as_array()?.iter().any(|known| known["availability"] == "offline");
        gone.then_some(agents)
    });
    let inbox = agent.scene.hub.get("/api/v1/inbox").1;
    assert_eq!(inbox["items"], json!([]), "what stands in its terminal needs nobody");
    let [ordered, injected] = events.each(["session.input_ordered", "session.input_injected"]);
    assert_eq!((&ordered["actor"]["surface"], &ordered["subject"]["agent"]), (&json!("hub"), &json!("host-1")));
    assert_eq!(
        (&injected["data"]["noticeId"], &injected["data"]["byPerson"]),
        (&ordered["data"]["noticeId"], &json!(false))
    );
    assert!(ordered["data"]["reason"].as_str().unwrap().starts_with("nobody fetched what "), "{ordered}");
    let next = agent.scene.agent.calls(&agent.scene.hub, "get_session", &json!({}));
    let notice = &next["notices"][0];
    assert_eq!((&notice["id"], &notice["questionId"]), (&ordered["data"]["noticeId"], &json!(question)), "{next}");
    assert!(notice["typedAt"].is_string(), "{notice}");
    let last = agent.scene.agent.calls(&agent.scene.hub, "get_session", &json!({}));
    assert_eq!((&last["notices"], &agent.question(&question)["delivery"]), (&Value::Null, &json!("acknowledged")));
    assert_eq!(agent.transcript().matches("[callboard]").count(), 2, "typed and heard, once: {}", agent.transcript());
    agent.terminal.presses("bye\r");
    assert!(agent.terminal.ends().0.success());
}

#[test]
fn nothing_is_typed_at_a_secret_or_at_yes_or_no_but_at_the_input_box_behind_them() {
    let program = "
import getpass
secret = getpass.getpass('Password: ')
print('Go on? [y/n] ', end='', flush=True)
leave = sys.stdin.readline().strip()
print('it got <' + secret.replace('m', 'M') + '> and <' + leave + '>', flush=True)
";
    let mut agent = Talk::of(&format!("{program}{TALKS}"));
    agent.stands_at("Password:");
    let question = agent.is_answered();
    agent.is_untold(&question);
    agent.terminal.presses("mine\r");
    agent.stands_at("Go on? [y/n]");
    agent.is_untold(&question);
    agent.terminal.presses("n\r");
    agent.terminal.shows("it got <Mine> and <n>");
    agent.terminal.shows("it heard <[callboard] ");
    agent.terminal.presses("bye\r");
    assert!(agent.terminal.ends().0.success());
}

/// The agent's box, in which the press of this number sends.
fn boxed(sends: u8) -> Talk {
    let agent = Talk::of(&BOX.replace("{sends}", &sends.to_string()));
    is_ready(&agent);
    agent
}

/// Waits until its box is empty, and takes a line.
#[track_caller]
fn is_ready(agent: &Talk) {
    agent.comes_to("the empty box", |it| {
        let asked = json!({ "session_id": it.session });
        let prompt = &it.scene.hub.post("/api/v1/tools/detect_input_prompt", &asked).1["prompt"];
        let empty = prompt["prompt_text"].as_str().is_some_and(|text| text.trim() == "❯");
        (empty && prompt["safe_to_type"] == true).then_some(Value::Null)
    });
}

/// What a person answers at its box.
fn types(agent: &Talk, text: &str) -> (u16, Value) {
    let input = json!({ "text": text, "promptText": "❯", "reason": "it waits" });
    agent.scene.hub.post(&format!("/api/v1/sessions/{}/input", agent.session), &input)
}

/// Whether it takes the first Enter or the second, a notice and a person's answer leave its box once.
#[track_caller]
fn is_told_once(sends: u8) {
    let agent = boxed(sends);
    let question = agent.is_answered();
    let told = agent.comes_to("the answer", |it| {
        let asked = it.question(&question);
        (asked["deliveredBy"] == "terminal").then_some(asked)
    });
    assert_eq!(told["delivery"], "delivered", "{told}");
    let text = agent.transcript().replace('\n', "");
    assert_eq!(text.matches("it heard <").count(), 1, "what counts as delivered has left the box: {text}");
    is_ready(&agent);
    let (status, typed) = types(&agent, "go on, and look at the other page before you do anything else there");
    assert_eq!(status, 200, "{typed}");
    let text = agent.transcript().replace('\n', "");
    assert!(text.contains("it heard <go on, and look") && text.matches("it heard <").count() == 2, "{text}");
}

#[test]
fn text_and_enter_are_no_paste() {
    is_told_once(1);
}

#[test]
fn a_box_that_leaves_the_line_standing_gets_enter_once_more() {
    is_told_once(2);
}

#[test]
fn what_stands_unsent_in_the_box_is_undelivered_and_needs_you_and_is_typed_no_more() {
    let agent = boxed(99);
    let events = agent.scene.events();
    let question = agent.is_answered();
    let undelivered = events.next("session.input_undelivered");
    assert!(undelivered["inputText"].as_str().unwrap().starts_with("[callboard] "), "{undelivered}");
    assert_eq!(undelivered["seen"], "it stands unsent where it was typed", "{undelivered}");
    agent.needs_you();
    assert_eq!(agent.question(&question)["delivery"], "undelivered");
    assert_eq!(agent.transcript().matches("[callboard]").count(), 1, "{}", agent.transcript());
    let next = agent.scene.agent.calls(&agent.scene.hub, "get_session", &json!({}));
    assert!(next["notices"][0]["typedAt"].is_string(), "somebody may send it where it stands: {next}");
}

#[test]
fn a_persons_answer_that_stands_unsent_is_not_said_to_be_typed() {
    let agent = boxed(99);
    let (status, typed) = types(&agent, "go on");
    assert_eq!((status, &typed["code"]), (409, &json!("INPUT_UNDELIVERED")), "{typed}");
    let (status, again) = types(&agent, "go on");
    assert_eq!(status, 409, "nothing is typed behind it: {again}");
    assert_eq!(agent.transcript().matches("go on").count(), 1, "{}", agent.transcript());
}

/// A shell whose prompt looks like an input box, behind the agent's program or in its place.
fn a_shell_hears_nothing(program: &str) {
    let mut agent = Talk::of(program);
    let events = agent.scene.events();
    agent.terminal.shows("You: ");
    let question = agent.is_answered();
    for _ in 0..3 {
        let declined = events.next("session.input_declined");
        assert!(declined["reason"].as_str().unwrap().contains("not the agent's own program"), "{declined}");
    }
    agent.is_untold(&question);
    agent.terminal.presses("exit\r");
    drop(agent.terminal.ends());
}

#[test]
fn nothing_is_typed_into_a_shell_that_the_agents_program_started() {
    a_shell_hears_nothing(
        "import subprocess\nsubprocess.run(['bash', '--norc', '--noprofile', '--noediting', '-i'], \
         env={**os.environ, 'PS1': 'You: '})\n",
    );
}

#[test]
fn nothing_is_typed_into_a_shell_that_took_the_place_of_the_agents_program() {
    a_shell_hears_nothing(
        "os.environ['PS1'] = 'You: '\nos.execvp('bash', ['claude', '--norc', '--noprofile', '--noediting', '-i'])\n",
    );
}

#[test]
fn a_shell_is_not_hosted_to_be_talked_to() {
    let scene = Scene::new();
    let mut run = callboard(scene.data_dir.path());
    let refused = run.args(["run", "--agent", "host-1", "--inject-messages", "--", "bash"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("`bash` would run what is typed into it as a command") && said.contains("next:"), "{said}");
}
