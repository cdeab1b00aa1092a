//! A disk without room, for tests: the file may have so many pages and no more.

use super::write::SqliteStore;

impl SqliteStore {
    /// Lets the file have so many pages at most, until the next failure, which takes the connection with it.
    pub fn cramp(&mut self, pages: u32) {
        let pages = pages.min(i32::MAX.unsigned_abs());
        let set = self.trusted().map(|connection| {
            connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<_, u32>(0))
        });
        assert!(matches!(set, Ok(Ok(_))), "the file was not bounded: {set:?}");
    }
}
