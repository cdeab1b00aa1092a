//! What every store promises, asked of each of them.

mod deliveries;
mod keys;
mod lists;
mod pruning;
mod reviews;
mod tickets;
mod ties;
mod webhooks;
mod workflows;
mod writes;

use std::path::PathBuf;

use crate::domain::task::Task;
use crate::entry::{Append, Written};
use crate::memory::{self, MemoryReader, MemoryStore};
use crate::page::{Counted, PageRequest, TaskFilter};
use crate::search::SearchIndex;
use crate::sqlite::{self, Durability, SqliteReader, SqliteStore};
use crate::store::{Reader, Store};

/// A store under test.
trait TestStore: Sized {
    fn open() -> Self;
    fn store(&mut self) -> &mut dyn Store;
    fn reader(&self) -> &dyn Reader;
    /// The hub is killed and started again.
    fn reopen(self) -> Self;
    /// The disk breaks when `hub.stopped` is written.
    fn break_disk(&mut self);
    fn mend_disk(&mut self);
    /// What was written can be searched.
    fn index(&mut self);

    fn write(&mut self, append: Append) -> Written {
        self.store().write(&[append]).remove(0).unwrap()
    }

    fn found(&self, filter: &TaskFilter) -> Vec<u32> {
        let page = self.reader().tasks(filter, &PageRequest::default()).unwrap();
        if filter.query.is_none() {
            assert_eq!(self.reader().count(Counted::Tasks(filter)), Ok(page.items.len() as u64));
        }
        numbers(&page.items)
    }
}

fn numbers(tasks: &[Task]) -> Vec<u32> {
    tasks.iter().map(|task| task.spec.id.as_str().trim_start_matches("task").parse().unwrap()).collect()
}

struct InMemory(MemoryStore, MemoryReader);

impl TestStore for InMemory {
    fn open() -> Self {
        let (store, reader) = memory::open();
        Self(store, reader)
    }
    fn store(&mut self) -> &mut dyn Store {
        &mut self.0
    }
    fn reader(&self) -> &dyn Reader {
        &self.1
    }
    fn reopen(self) -> Self {
        let (store, reader) = self.1.reopened();
        Self(store, reader)
    }
    fn break_disk(&mut self) {
        self.0.faults().break_down("the disk broke");
    }
    fn mend_disk(&mut self) {
        self.0.faults().mend();
    }
    fn index(&mut self) {}
}

struct InFile {
    store: SqliteStore,
    reader: SqliteReader,
    path: PathBuf,
    folder: tempfile::TempDir,
}

impl InFile {
    fn at(folder: tempfile::TempDir) -> Self {
        let path = folder.path().join("data").join("callboard.db");
        let (store, reader) = sqlite::open(&path, Durability::Full).unwrap();
        Self { store, reader, path, folder }
    }
}

impl TestStore for InFile {
    fn open() -> Self {
        Self::at(tempfile::tempdir().unwrap())
    }
    fn store(&mut self) -> &mut dyn Store {
        &mut self.store
    }
    fn reader(&self) -> &dyn Reader {
        &self.reader
    }
    fn reopen(self) -> Self {
        let Self { store, reader, folder, .. } = self;
        drop((store, reader));
        Self::at(folder)
    }
    fn break_disk(&mut self) {
        let other = rusqlite::Connection::open(&self.path).unwrap();
        let trap = "CREATE TRIGGER trap BEFORE INSERT ON records WHEN NEW.kind = 'hub.stopped'
                    BEGIN SELECT RAISE(FAIL, 'the disk broke'); END";
        other.execute_batch(trap).unwrap();
    }
    fn mend_disk(&mut self) {
        rusqlite::Connection::open(&self.path).unwrap().execute_batch("DROP TRIGGER trap").unwrap();
    }
    fn index(&mut self) {
        SearchIndex::open(self.reader.clone()).unwrap().catch_up(usize::MAX).unwrap();
    }
}

#[cfg(feature = "server-tests")]
impl TestStore for crate::postgres::tests::fixture::InDatabase {
    fn open() -> Self {
        Self::begun()
    }
    fn store(&mut self) -> &mut dyn Store {
        &mut self.store
    }
    fn reader(&self) -> &dyn Reader {
        &self.reader
    }
    fn reopen(self) -> Self {
        let Self { store, reader, team, folder, .. } = self;
        drop((store, reader));
        Self::at(team, folder)
    }
    fn break_disk(&mut self) {
        let (team, number) = (self.team.replace('-', "_"), self.number());
        self.sql(&format!(
            "CREATE FUNCTION broke_{team}() RETURNS trigger LANGUAGE plpgsql AS
                 $$BEGIN RAISE EXCEPTION 'the disk broke'; END$$;
             CREATE TRIGGER trap_{team} BEFORE INSERT ON records FOR EACH ROW
                 WHEN (NEW.kind = 'hub.stopped' AND NEW.team = {number}) EXECUTE FUNCTION broke_{team}()"
        ));
    }
    fn mend_disk(&mut self) {
        self.sql(&format!("DROP TRIGGER trap_{} ON records", self.team.replace('-', "_")));
    }
    /// Words are written with the rows.
    fn index(&mut self) {}
}

macro_rules! of_every_store {
    ($($group:ident: { $($promise:ident,)+ })+) => {
        mod in_memory {
            $($(#[test] fn $promise() { super::$group::$promise(<super::InMemory as super::TestStore>::open()); })+)+
        }
        mod in_a_file {
            $($(#[test] fn $promise() { super::$group::$promise(<super::InFile as super::TestStore>::open()); })+)+
        }
        #[cfg(feature = "server-tests")]
        mod in_a_database {
            use crate::postgres::tests::fixture::InDatabase;
            $($(#[test] fn $promise() { super::$group::$promise(<InDatabase as super::TestStore>::open()); })+)+
        }
    };
}

of_every_store! {
    writes: {
        numbers_follow_one_another_and_name_their_cause,
        a_failed_batch_leaves_nothing_and_gives_its_numbers_back,
        rows_alone_take_no_number,
        a_row_takes_the_place_of_the_one_before,
        notices_stay_until_they_are_heard,
        a_notice_for_a_stranger_waits_for_them,
        a_long_text_comes_back_whole,
        every_kind_of_record_comes_back_as_it_was,
        what_is_opened_again_is_what_was_written,
    }
    keys: {
        a_repeated_key_answers_with_the_first_receipt,
        a_key_is_taken_within_its_own_batch,
        a_key_of_a_failed_batch_is_free,
        a_key_lives_for_a_day,
        a_key_of_a_webhook_lives_for_three_days,
    }
    pruning: {
        closed_tasks_and_events_that_are_old_go_and_the_rest_comes_to_the_same,
        what_an_open_task_waited_for_stays_until_that_one_closes,
        the_last_record_stays_however_old,
        what_an_agent_has_not_heard_outlives_its_record,
        long_texts_go_with_their_task,
        answered_questions_go_with_their_last_record,
        an_answer_to_a_question_that_is_gone_is_not_kept,
    }
    lists: {
        open_and_closed_tasks_are_told_apart,
        each_filter_narrows_the_list,
        tasks_are_counted_by_the_minute_in_which_they_ended,
        children_are_found_by_their_parent,
        pages_are_stable_while_tasks_are_added,
        ids_are_found_by_how_they_begin,
        questions_are_counted_as_they_are_listed,
        a_foreign_cursor_is_refused,
        words_are_found_in_whatever_was_said_of_a_task,
        no_question_breaks_the_search,
        history_is_the_newest_of_one_stream_oldest_first,
        records_can_be_read_piece_by_piece,
    }
    reviews: {
        a_review_takes_the_place_of_the_one_before_and_is_there_after_a_restart,
        reviews_are_listed_newest_first_and_filtered,
        a_comment_leads_to_its_task,
    }
    workflows: {
        runs_are_listed_by_their_beginning_filtered_and_page_by_page,
    }
    tickets: {
        a_ticket_keeps_its_answer_until_it_is_let_go_of,
    }
    ties: {
        a_session_is_found_by_its_work_item_its_repositories_and_the_tasks_of_its_pull_requests,
    }
    webhooks: {
        a_webhook_is_kept_until_it_is_removed,
        a_schedule_is_kept_until_it_is_removed,
        records_are_counted_by_their_kind,
    }
    deliveries: {
        a_delivery_comes_with_its_append_or_not_at_all,
        deliveries_are_listed_newest_first_and_filtered,
        deliveries_that_came_to_their_end_are_let_go_of_in_small_steps,
    }
}
