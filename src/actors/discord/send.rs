//! One notice on its way: which requests it takes, in which order. Each may be repeated: a sign is put once, a thread
//! begins once, and a message carries a nonce that Discord takes once.

use serde_json::{Value, json};

use super::called::called;
use super::memory::{SEEN, Shared};
use super::notices::{Moved, Notice};
use super::places::Places;
use super::rest::{Call, DiscordRest, Fail};
use super::rights::{by_entries, roles_that_may};
use super::status::{Changes, shown};
use crate::actors::HubRef;
use crate::broken::{self, Break};
use crate::domain::discord::{
    Act, Author, DiscordOrigin, STILL_WAITING, answered, judged, outgoing, part_of_work, question_body,
    question_components, question_foot, quoted, sign_of_all, thread_name, to_review,
};
use crate::domain::ids::{QuestionId, TaskId};
use crate::domain::permission::Whose;
use crate::domain::session::question::Question;
use crate::domain::story::{ANSWERED, ASKED, Spent, in_short};
use crate::domain::task::{KeptText, Task};
use crate::domain::time::Timestamp;
use crate::journal::{Page, QuestionFilter, ReadError, Reader, Stream};

/// How long a thread stays in the list when nobody writes, in minutes: a day.
const ARCHIVE_AFTER: u32 = 1_440;
/// How much of a question is shown when it comes once more.
const ONCE_MORE: usize = 300;
/// How much of what happened to a task is summed up below its end.
const HISTORY: usize = 10_000;

pub(super) struct Sender<'a> {
    pub(super) hub: &'a HubRef,
    pub(super) rest: &'a DiscordRest,
    pub(super) shared: &'a Shared,
    pub(super) changes: &'a Changes,
    pub(super) places: &'a Places,
    pub(super) place: DiscordOrigin,
}

impl Sender<'_> {
    /// Says it; the id of the last message, where there is one.
    pub(super) async fn say(&self, notice: Notice, key: &str) -> Result<Option<u64>, Fail> {
        match notice {
            Notice::Opened { task } => self.open(&task, key).await.map(Some),
            Notice::Moved(Moved { task, head, sign, .. }) if head.is_empty() => {
                self.react(&task, &sign).await?;
                self.changes.put(task);
                Ok(None)
            }
            Notice::Moved(Moved { task, head, text, blob, sign, components, round }) => {
                let text = match (text, blob) {
                    (None, Some(blob)) => {
                        let read = self.hub.journal.read(move |reader| reader.blob(&blob)).await;
                        read.map_err(|error| Fail::Later(error.to_string()))?.unwrap_or_default()
                    }
                    (text, _) => text.unwrap_or_default(),
                };
                let (author_may, approvers) = match round {
                    Some(_) => self.approvers(&task).await?,
                    None => (true, String::new()),
                };
                // Who may not approve it is not called.
                let head = if author_may { format!("<@{}> {head}", self.place.author) } else { head };
                let is_end = ["✅", "❌"].contains(&sign.as_str());
                let foot = match round {
                    _ if is_end => self.in_short(&task).await?,
                    Some(round) => format!("{}\n{approvers}", self.to_review(&task, round, &head).await?),
                    None => String::new(),
                };
                let (room, id) = self.write([&head, &text, &foot], &components, key).await?;
                self.shared.keep_message(format!("task:{task}/{id}"), room, id);
                if round.is_some() {
                    self.shared.keep_message(format!("review:{task}"), room, id);
                }
                self.react(&task, &sign).await?;
                self.changes.put(task);
                Ok(Some(id))
            }
            Notice::Judged { task, verdict, wishes } => {
                let card = self.shared.message(&format!("review:{task}"));
                let changed = match card {
                    Some(card) => self.change(card, &json!({"components": judged(&verdict)})).await?,
                    None => None,
                };
                let Some(wishes) = wishes else { return Ok(changed) };
                let head = format!("✏️ **{}**:", quoted(&verdict, 200));
                let (room, id) = self.write([&head, &wishes, ""], &json!([]), key).await?;
                self.shared.keep_message(format!("task:{task}/{id}"), room, id);
                Ok(Some(id))
            }
            Notice::Asked { question } => self.ask(&question, "❓", key).await,
            // The question comes once more, below all that was said since, and its buttons with it.
            Notice::Waiting { question } => {
                if let Some(card) = self.shared.message(&format!("question:{question}")) {
                    self.change(card, &json!({"components": []})).await?;
                    self.shared.keep_message(format!("question:{question}/{}", card.1), card.0, card.1);
                }
                self.ask(&question, STILL_WAITING, key).await
            }
            Notice::Resolved { question } => self.resolve(&question).await,
        }
    }

    /// The sign that it was seen, the thread, the status.
    async fn open(&self, id: &TaskId, key: &str) -> Result<u64, Fail> {
        let task = self.task(id).await?;
        self.react(id, SEEN).await?;
        let who = called(&task, Some(&self.hub.settings()));
        if self.place.thread {
            let DiscordOrigin { channel, message, .. } = self.place;
            let name = thread_name(&who, &task.spec.prompt, id);
            let body = json!({"name": name, "auto_archive_duration": ARCHIVE_AFTER});
            match self.rest.call(Call::Thread { channel, message }, &body).await {
                // One that is there already, or may not be begun: then everything is said in the channel.
                Err(fail) if fail.is_later() => return Err(fail),
                Ok(_) | Err(_) => {}
            }
        }
        let (content, components) = shown(self.hub, &task).await;
        let body = json!({"content": content, "components": components});
        let (room, message) = self.post(body, None, key).await?;
        self.shared.keep_message(format!("task:{id}"), room, message);
        // What it shows is not known: an earlier attempt may have written it, before the task moved.
        self.shared.keep_status(id, String::new());
        // It may have moved meanwhile.
        self.changes.put(id.clone());
        Ok(message)
    }

    async fn ask(&self, id: &QuestionId, sign: &str, key: &str) -> Result<Option<u64>, Fail> {
        let question = self.question(id).await?;
        if !question.is_open() {
            return Ok(None);
        }
        let spec = &question.spec;
        let task = match &spec.task_id {
            Some(task) => Some(self.task(task).await?),
            None => None,
        };
        let who = task.as_ref().map(|task| called(task, Some(&self.hub.settings())));
        let mut foot = question_foot(&question, &who.unwrap_or_else(|| spec.agent_id.to_string()));
        if let Some(part) = task.filter(|task| task.spec.parent.is_some()) {
            foot = format!("{}\n{foot}", part_of_work(&spec.agent_id, &part));
        }
        let most = if sign == STILL_WAITING { ONCE_MORE } else { usize::MAX };
        let (opening, body) = question_body(spec, most);
        let head = format!("<@{}> {sign} {opening}", self.place.author);
        let parts = [head.as_str(), &body, &foot];
        let (room, message) = self.write(parts, &question_components(&question), key).await?;
        self.shared.keep_message(format!("question:{id}"), room, message);
        spec.task_id.clone().into_iter().for_each(|task| self.changes.put(task));
        Ok(Some(message))
    }

    /// What a task took until its end, in one small line.
    async fn in_short(&self, id: &TaskId) -> Result<String, Fail> {
        let id = id.clone();
        let read = move |reader: &dyn Reader| {
            let kept = reader.history(&Stream::Task(id.clone()), HISTORY)?;
            let filter = QuestionFilter { task: Some(id), ..QuestionFilter::default() };
            Ok::<_, ReadError>((kept, Page::all(|page| reader.questions(&filter, page))?))
        };
        let read = self.hub.journal.read(read).await;
        let (kept, asked) = read.map_err(|error| Fail::Later(error.to_string()))?;
        let until = kept.last().map_or(Timestamp(0), |last| last.at);
        let known = kept.iter().map(|kept| (kept.at, kept.record.kind().name));
        let mut happened: Vec<_> = known.filter(|(_, kind)| ![ASKED, ANSWERED].contains(kind)).collect();
        let rounds = happened.iter().filter(|(_, kind)| *kind == "review.submitted").count();
        happened.extend(asked.iter().map(|question| (question.spec.asked_at, ASKED)));
        happened.extend(asked.iter().filter_map(Question::resolution).map(|answer| (answer.at, ANSWERED)));
        happened.sort_by_key(|(at, _)| *at);
        let line = in_short(asked.len(), rounds, Spent::of(happened, until));
        Ok(line.map(|line| format!("-# {line}")).unwrap_or_default())
    }

    /// What is to be looked at in a round of a review. A link that stands in the head already is not said again.
    async fn to_review(&self, task: &TaskId, number: u32, head: &str) -> Result<String, Fail> {
        let id = task.clone();
        let read = move |reader: &dyn Reader| {
            let rounds = reader.review(&id)?.map(|review| review.rounds).unwrap_or_default();
            let Some(round) = rounds.into_iter().find(|round| round.number == number) else { return Ok(None) };
            let diff = match &round.change.diff {
                Some(KeptText::Inline { text, .. }) => text.clone(),
                Some(KeptText::Stored { blob, .. }) => reader.blob(blob)?.unwrap_or_default(),
                None => String::new(),
            };
            Ok::<_, ReadError>(Some((round, diff)))
        };
        let read = self.hub.journal.read(read).await.map_err(|error| Fail::Later(error.to_string()))?;
        let Some((round, diff)) = read else { return Ok(String::new()) };
        let settings = self.hub.settings();
        let page = settings.hub.behind_proxy.as_ref().map(|proxy| proxy.public_url.trim_end_matches('/'));
        let page = page.map(|page| format!("{page}/#/tasks/{task}/review"));
        let pull = round.change.pr_url.clone().filter(|url| !head.contains(url.as_str()));
        Ok(to_review(&round, &diff, &pull.into_iter().chain(page).collect::<Vec<_>>()))
    }

    /// Who may approve a task's work: whether its author may, and a line that names them and the roles that may.
    async fn approvers(&self, task: &TaskId) -> Result<(bool, String), Fail> {
        let (settings, whose) = (self.hub.settings(), Whose::of_task(&self.task(task).await?));
        let act = Act::Approve { given: settings.roles.need_approval(&whose) };
        let (user, guild) = (self.place.author, self.shared.guild_of(self.place.channel));
        let mut author = Author { id: user, ..Author::default() };
        // Nothing that happened brings the author's roles here.
        if let Some(guild) = guild {
            match self.rest.call(Call::Member { guild, user }, &Value::Null).await {
                Ok(member) => author = Author::read(&member["user"], Some(&member)).unwrap_or(author),
                Err(fail) if fail.is_later() => return Err(fail),
                // They left.
                Err(_) => {}
            }
        }
        let roles = self.shared.roles_of(&author, guild, &settings);
        let may = by_entries(&settings, user, &roles, |grants| grants.decide(act, &whose, true).allowed);
        let own = may.then(|| "you".to_owned());
        let who: Vec<_> = own.into_iter().chain(roles_that_may(&settings, act, &whose)).collect();
        let who = if who.is_empty() { "nobody by their role here".to_owned() } else { who.join(", ") };
        Ok((may, format!("-# Who may approve: {who}")))
    }

    /// The buttons below the question go, and the answer stands there instead, and in each reminder.
    async fn resolve(&self, id: &QuestionId) -> Result<Option<u64>, Fail> {
        let question = self.question(id).await?;
        let Some(resolution) = question.resolution() else { return Ok(None) };
        question.spec.task_id.clone().into_iter().for_each(|task| self.changes.put(task));
        let mut last = None;
        for (channel, message) in self.shared.messages_about(&format!("question:{id}")) {
            // Of a long question the last part alone has the buttons: it stays what it is.
            let read = match self.rest.call(Call::Message { channel, message }, &Value::Null).await {
                Err(fail) if fail.is_final() => continue,
                read => read?,
            };
            let content = answered(read.get("content").and_then(Value::as_str).unwrap_or_default(), resolution);
            let body = json!({"content": content, "components": [], "allowed_mentions": {"parse": []}});
            last = self.change((channel, message), &body).await?.or(last);
        }
        Ok(last)
    }

    async fn change(&self, (channel, message): (u64, u64), body: &Value) -> Result<Option<u64>, Fail> {
        match self.rest.edit(channel, message, body).await {
            Ok(_) => Ok(Some(message)),
            // Somebody deleted it, or nothing can be changed there any more.
            Err(fail) if fail.is_final() => Ok(None),
            Err(fail) => Err(fail),
        }
    }

    /// A text of any length: messages in order, or a file where it is too long or Discord refuses it as it is.
    async fn write(&self, [head, text, foot]: [&str; 3], components: &Value, key: &str) -> Result<(u64, u64), Fail> {
        let sent = outgoing(head, text, foot);
        let last = sent.parts.len() - 1;
        let mut at = (0, 0);
        for (number, part) in sent.parts.iter().enumerate() {
            let nonce = if number == 0 { key.to_owned() } else { format!("{key}.{number}") };
            let mut body = json!({"content": part});
            if number == last {
                body["components"] = components.clone();
            }
            let file = sent.file.as_deref().filter(|_| number == last);
            at = match self.post(body, file, &nonce).await {
                Err(fail) if fail.is_bad_body() => {
                    tracing::warn!("Discord refuses a message, which goes as a file: {fail}");
                    let plain = json!({"content": format!("<@{}> Too long to show; I attach it.", self.place.author)});
                    let whole = format!("{head}\n{text}\n{foot}");
                    return self.post(plain, Some(&whole), &format!("{key}.f")).await;
                }
                other => other?,
            };
        }
        Ok(at)
    }

    /// One message: in the thread, or else in the channel as a reply to the request. Only the author is ever pinged.
    async fn post(&self, body: Value, file: Option<&str>, nonce: &str) -> Result<(u64, u64), Fail> {
        if let Some(arrived) = self.shared.arrived(nonce) {
            return Ok(arrived);
        }
        let nonce = if broken::by(Break::ForgetsWhatArrived) {
            format!("{nonce}_{:x}", self.hub.clock.now().0 & 0xfff)
        } else {
            nonce.to_owned()
        };
        let DiscordOrigin { channel, message, author, thread, .. } = self.place;
        let mut body = body;
        body["allowed_mentions"] = json!({"parse": [], "users": [author.to_string()], "replied_user": false});
        body["nonce"] = json!(nonce);
        body["enforce_nonce"] = json!(true);
        if thread {
            match self.rest.call(Call::Post { channel: message, file }, &body).await {
                Err(fail) if fail.is_elsewhere() => {
                    tracing::debug!("the thread {message} is not there, so it is said in the channel: {fail}");
                }
                answered => return Ok((message, id(&answered?)?)),
            }
        }
        body["message_reference"] = json!({"message_id": message.to_string(), "fail_if_not_exists": false});
        let answered = self.rest.call(Call::Post { channel, file }, &body).await?;
        Ok((channel, id(&answered)?))
    }

    /// The one sign on the request, for all that were called by it; one that may not be put there is no fault.
    async fn react(&self, task: &TaskId, sign: &str) -> Result<(), Fail> {
        let DiscordOrigin { channel, message, .. } = self.place;
        let called = self.places.at(message);
        // What a part of the work comes to is no sign of the whole.
        if !called.is_empty() && !called.contains(task) {
            return Ok(());
        }
        let mut sign = sign;
        if called.len() > 1 {
            let mut tasks = Vec::new();
            for one in &called {
                // One that the disk did not take is known by its place alone.
                tasks.extend(self.hub.task(one).await.map_err(|fault| Fail::Later(fault.to_string()))?);
            }
            sign = sign_of_all(&tasks);
        }
        match self.rest.call(Call::React { channel, message, sign, there: true }, &Value::Null).await {
            Err(fail) if fail.is_later() => return Err(fail),
            Ok(_) | Err(_) => {}
        }
        for before in self.shared.signs(message, sign) {
            let gone = Call::React { channel, message, sign: &before, there: false };
            // One that stays is a blemish, and no reason to say everything again.
            drop(self.rest.call(gone, &Value::Null).await);
            self.shared.sign_is_gone(message, &before);
        }
        Ok(())
    }

    async fn task(&self, id: &TaskId) -> Result<Task, Fail> {
        let found = self.hub.task(id).await.map_err(|fault| Fail::Later(fault.to_string()))?;
        found.ok_or_else(|| gone("task"))
    }

    async fn question(&self, id: &QuestionId) -> Result<Question, Fail> {
        let id = id.clone();
        let found = self.hub.journal.read(move |reader| reader.question(&id)).await;
        found.map_err(|error| Fail::Later(error.to_string()))?.ok_or_else(|| gone("question"))
    }
}

fn gone(what: &str) -> Fail {
    Fail::No { status: 410, code: 0, text: format!("the {what} is not in the journal any more") }
}

/// The id of a message that was written.
fn id(answered: &Value) -> Result<u64, Fail> {
    let id = answered.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok());
    id.ok_or_else(|| Fail::Later("Discord answers without an id".to_owned()))
}
