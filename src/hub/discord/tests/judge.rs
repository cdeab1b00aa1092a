//! What the judge of a story looks at, and what it holds.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::sleep;

use super::world::World;
use crate::domain::discord::DiscordOrigin;
use crate::domain::outbox::{Delivery, DeliveryStateName};
use crate::domain::session::question::Question;
use crate::domain::task::{AttemptOutcome, ReportKind, Task};
use crate::journal::{DeliveryFilter, PageRequest, QuestionFilter, Reader as _, TaskFilter};
use callboard_standin::discord::{Id, ShownMessage};

impl World {
    /// Everything that the hub says in the channel and its threads.
    pub(super) fn messages(&self) -> Vec<ShownMessage> {
        self.discord.view(|view| {
            let rooms = [self.channel].into_iter().chain(view.threads(self.channel));
            rooms.flat_map(|room| view.messages(room)).filter(|shown| shown.is_ours).collect()
        })
    }

    pub(super) fn replies_to(&self, message: Id) -> Vec<String> {
        let ours = self.messages().into_iter().filter(|shown| shown.reply_to == Some(message));
        ours.map(|shown| shown.content).collect()
    }

    fn tasks(&self) -> Vec<Task> {
        let (mut all, mut page) = (Vec::new(), PageRequest { limit: 500, cursor: None });
        loop {
            let found = self.reader.tasks(&TaskFilter::default(), &page).unwrap();
            all.extend(found.items);
            page.cursor = found.next_cursor;
            if page.cursor.is_none() {
                return all;
            }
        }
    }

    pub(super) fn tasks_of(&self, message: Id) -> usize {
        let of = |task: &&Task| DiscordOrigin::of_task(&task.spec).is_some_and(|place| place.message == message);
        self.tasks().iter().filter(of).count()
    }

    /// The world becomes kind, the agent does what is left, and everything goes out. Then it is judged.
    pub(super) async fn end(self) -> Result<(), String> {
        self.discord.heals();
        self.mends_disk();
        sleep(Duration::from_secs(3 * 60)).await;
        for _ in 0..200 {
            if self.reader.open_tasks().unwrap().is_empty() {
                break;
            }
            match self.held() {
                Some(task) => self.reports(&task, ReportKind::Completed, "at last").await?,
                None => self.takes().await,
            }
        }
        // The longest pause of the outbox, twice.
        sleep(Duration::from_secs(21 * 60)).await;
        let judged = self.judge();
        self.life.backstage.end(Duration::from_secs(5)).await;
        judged
    }

    fn judge(&self) -> Result<(), String> {
        let (tasks, messages) = (self.tasks(), self.messages());
        for said in &self.said {
            match self.tasks_of(*said) {
                1 => {}
                count => return Err(format!("message {said} became {count} tasks: {messages:#?}")),
            }
        }
        for task in &tasks {
            let id = &task.spec.id;
            let Some(place) = DiscordOrigin::of_task(&task.spec) else { continue };
            let there = self.discord.view(|view| view.messages(place.room()));
            let beside = messages.iter().filter(|one| one.reply_to == Some(place.message));
            let ours = there.iter().filter(|one| one.is_ours).chain(beside);
            let statuses: Vec<_> = ours.filter(|one| one.content.starts_with("**FullStack** · ")).collect();
            if statuses.len() != 1 {
                return Err(format!("the status of {id} has {} messages of {}", statuses.len(), messages.len()));
            }
            if !task.state.name().is_closed() {
                return Err(format!("{id} is still open"));
            }
            if !statuses[0].controls.is_empty() {
                return Err(format!("the status of {id} stays open: {}", statuses[0].content));
            }
            let signs = self.signs(place.message);
            if signs.len() > 1 {
                return Err(format!("{} has several signs: {signs:?}", place.message));
            }
        }
        for (place, count) in self.ends(&tasks) {
            let said = |shown: &&ShownMessage| {
                shown.content.contains("@FullStack completed") || shown.content.contains("@FullStack failed")
            };
            let rooms = self.discord.view(|view| view.messages(place));
            let there = rooms.iter().filter(|shown| shown.is_ours).filter(said).count();
            let beside = messages.iter().filter(|shown| shown.reply_to == Some(place)).filter(said).count();
            if there + beside != count {
                return Err(format!("the end of {place} has {} messages and not {count}", there + beside));
            }
        }
        for question in self.questions() {
            // One that was answered before it could be shown is not shown.
            let shown = format!("Which one for {}", question.spec.id);
            if question.is_open() || messages.iter().any(|one| one.content.replace('\\', "").contains(&shown)) {
                let holds = |one: &&ShownMessage| one.content.replace('\\', "").contains(&shown);
                let cards: Vec<_> = messages.iter().filter(holds).collect();
                let (count, open) = (cards.len(), cards.iter().filter(|one| !one.controls.is_empty()).count());
                // It comes once more when half and nine tenths of its time are gone, and its buttons with it.
                if !(1..=3).contains(&count) || open > 1 {
                    return Err(format!("the question {} has {count} messages", question.spec.id));
                }
            }
        }
        let sent = self.deliveries();
        match sent.iter().find(|one| one.settled_at().is_none() || one.state.name() != DeliveryStateName::Delivered) {
            Some(lost) => Err(format!("a delivery is lost: {lost:?}")),
            None => Ok(()),
        }
    }

    /// The newest questions.
    fn questions(&self) -> Vec<Question> {
        let page = PageRequest { limit: 500, cursor: None };
        self.reader.questions(&QuestionFilter::default(), &page).unwrap().items
    }

    /// The newest deliveries.
    fn deliveries(&self) -> Vec<Delivery> {
        let page = PageRequest { limit: 500, cursor: None };
        self.reader.deliveries(&DeliveryFilter::default(), &page).unwrap().items
    }

    /// How often the tasks of each request ended.
    fn ends(&self, tasks: &[Task]) -> BTreeMap<Id, usize> {
        let mut ends = BTreeMap::new();
        for task in tasks {
            let reported =
                |outcome: &AttemptOutcome| matches!(outcome, AttemptOutcome::Completed | AttemptOutcome::Failed);
            let reported = task.attempts.iter().filter(|attempt| reported(&attempt.outcome)).count();
            if let Some(place) = DiscordOrigin::of_task(&task.spec) {
                *ends.entry(place.message).or_default() += reported;
            }
        }
        ends
    }
}
