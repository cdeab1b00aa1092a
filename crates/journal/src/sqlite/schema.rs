//! The layout of the journal's file.
//!
//! `records` is the truth, and `base` what those that were pruned had come to; every other table is what the records
//! come to. `tasks`, `sessions` and `stream_index` are written later than the records (`pending`), the others in the
//! same transaction. Columns beside a `body` are there to be searched by; the body alone is read back.

use rusqlite::Connection;

/// Marks the file as a journal of callboard: `call` in ASCII.
pub(super) const APPLICATION_ID: i32 = 0x6361_6c6c;

/// The layout that this hub writes: one more than there are [`STEPS`].
pub(super) const SCHEMA: u32 = 16;

/// What leads from each layout to the next, beginning with the step from 1 to 2. A new file takes all of them.
const STEPS: [&str; SCHEMA as usize - 1] = [
    REVIEWS, BASE, SESSIONS_AND_QUESTIONS, LEAN, SUBJECTS, PATTERNS, TICKETS, PENDING, OUTBOX, WORKFLOWS,
    TREE_AND_ENDS, WEBHOOKS, COUNTS, SESSION_TIES, SCHEDULES,
];

/// The sixteenth layout: schedules.
const SCHEDULES: &str = "
CREATE TABLE IF NOT EXISTS schedules (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The fifteenth layout: what sessions are tied to outside, as `domain::session::Tie` writes it. A tie stays when its
/// session lets go of it: whoever reads one looks at the session itself.
const SESSION_TIES: &str = "
CREATE TABLE IF NOT EXISTS session_ties (
    tie TEXT NOT NULL,
    session TEXT NOT NULL,
    PRIMARY KEY (tie, session)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO session_ties (tie, session)
SELECT 'item:' || lower(json_extract(body, '$.work_item')), id FROM sessions
WHERE json_extract(body, '$.work_item') IS NOT NULL
UNION ALL
SELECT 'repository:' || lower(rtrim(rtrim(json_extract(body, '$.work_item'), '0123456789'), '#')), id FROM sessions
WHERE json_extract(body, '$.work_item') LIKE '%#%'
UNION ALL
SELECT 'repository:' || lower(json_extract(pull.value, '$.repository')), sessions.id
FROM sessions, json_each(sessions.body, '$.pulls') AS pull
UNION ALL
SELECT 'task:' || json_extract(pull.value, '$.task'), sessions.id
FROM sessions, json_each(sessions.body, '$.pulls') AS pull
WHERE json_extract(pull.value, '$.task') IS NOT NULL;
";

/// The fourteenth layout: how many tasks there are in each state, so that nobody counts them.
const COUNTS: &str = "
CREATE TABLE IF NOT EXISTS task_counts (
    state TEXT PRIMARY KEY,
    tasks INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT OR REPLACE INTO task_counts (state, tasks) SELECT state, count(*) FROM tasks GROUP BY state;
CREATE TRIGGER IF NOT EXISTS task_counted AFTER INSERT ON tasks BEGIN
    INSERT INTO task_counts (state, tasks) VALUES (new.state, 1)
    ON CONFLICT (state) DO UPDATE SET tasks = tasks + 1;
END;
CREATE TRIGGER IF NOT EXISTS task_uncounted AFTER DELETE ON tasks BEGIN
    UPDATE task_counts SET tasks = tasks - 1 WHERE state = old.state;
END;
CREATE TRIGGER IF NOT EXISTS task_recounted AFTER UPDATE OF state ON tasks WHEN new.state <> old.state BEGIN
    UPDATE task_counts SET tasks = tasks - 1 WHERE state = old.state;
    INSERT INTO task_counts (state, tasks) VALUES (new.state, 1)
    ON CONFLICT (state) DO UPDATE SET tasks = tasks + 1;
END;
";

/// The thirteenth layout: webhooks that were added while a hub ran.
const WEBHOOKS: &str = "
CREATE TABLE IF NOT EXISTS webhooks (
    name TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The twelfth layout: the tasks that were asked for in the course of another, and when tasks ended. Of what was
/// written before, the end is the newest moment that is known, and no parent is.
const TREE_AND_ENDS: &str = "
ALTER TABLE tasks ADD COLUMN parent TEXT;
ALTER TABLE tasks ADD COLUMN ended_at INTEGER;
UPDATE tasks SET ended_at = updated_at WHERE open = 0;
CREATE INDEX IF NOT EXISTS tasks_of_parent ON tasks (parent, created_at, id) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS tasks_ended ON tasks (ended_at, state) WHERE ended_at IS NOT NULL;
";

/// The eleventh layout: runs of workflows.
const WORKFLOWS: &str = "
CREATE TABLE IF NOT EXISTS workflows (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    working INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS workflows_newest ON workflows (started_at, id);
CREATE INDEX IF NOT EXISTS workflows_working ON workflows (started_at, id) WHERE working = 1;
CREATE INDEX IF NOT EXISTS workflows_ended ON workflows (updated_at) WHERE working = 0;
";

/// The tenth layout: what must reach the outside. No record says it, so these rows are the truth.
const OUTBOX: &str = "
CREATE TABLE IF NOT EXISTS deliveries (
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    destination TEXT NOT NULL,
    lane TEXT NOT NULL,
    state TEXT NOT NULL,
    settled_at INTEGER,
    body TEXT NOT NULL,
    PRIMARY KEY (seq, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deliveries_waiting ON deliveries (seq, part) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS deliveries_of_destination ON deliveries (destination, state);
CREATE INDEX IF NOT EXISTS deliveries_settled ON deliveries (settled_at) WHERE settled_at IS NOT NULL;
";

/// The third layout: what the records that were pruned had come to; see `prune`.
const BASE: &str = "
CREATE TABLE base (
    life TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The ninth layout: rows that are written later than their records, and a table in the place of an index that every
/// append had to write; see `pending`.
const PENDING: &str = "
CREATE TABLE IF NOT EXISTS stream_index (
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (stream, seq)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO stream_index (stream, seq) SELECT stream, seq FROM records ORDER BY stream, seq;
INSERT OR REPLACE INTO meta (key, value) SELECT 'rows_up_to', coalesce(max(seq), 0) FROM records;
DROP INDEX IF EXISTS records_of_stream;
";

/// The eighth layout: calls whose answer is fetched later.
const TICKETS: &str = "
CREATE TABLE IF NOT EXISTS tickets (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    answer TEXT
) STRICT, WITHOUT ROWID;
";

/// The seventh layout: what people answer to input prompts.
const PATTERNS: &str = "
CREATE TABLE IF NOT EXISTS patterns (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The sixth layout: what a record is about beside what it says, which stays unknown of what was written before; and
/// the last record of each question, so that one is let go of with it.
const SUBJECTS: &str = "
ALTER TABLE records ADD COLUMN subject TEXT;
ALTER TABLE questions ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE questions SET seq = coalesce((
    SELECT max(seq) FROM records
    WHERE stream = 'session:' || questions.session AND kind LIKE 'question.%' AND instr(records.body, questions.id) > 0
), 0);
CREATE INDEX questions_resolved ON questions (seq) WHERE open = 0;
";

/// The fifth layout: open tasks are found by their states. Each index is written with every step of a task, and this
/// one said nothing that `tasks_of_state` does not.
const LEAN: &str = "DROP INDEX IF EXISTS tasks_open";

/// The fourth layout: sessions have a status, and ask questions. Their rows count their records, as a replay does.
const SESSIONS_AND_QUESTIONS: &str = "
ALTER TABLE sessions ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET version = (SELECT count(*) FROM records WHERE stream = 'session:' || sessions.id);
UPDATE sessions SET body = json_set(body, '$.version', version, '$.standpoint', json(
    json_object('status', 'started', 'since', json_extract(body, '$.opened_at'), 'message', '',
                'details', json('null'), 'blockers', json('[]'))));
UPDATE base SET body = json_set(body, '$.standpoint', json(
    json_object('status', 'started', 'since', json_extract(body, '$.opened_at'), 'message', '',
                'details', json('null'), 'blockers', json('[]')))) WHERE life LIKE 'session:%';
CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    session TEXT NOT NULL,
    agent TEXT NOT NULL,
    task TEXT,
    open INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX questions_of_session ON questions (session, id);
CREATE INDEX questions_of_agent ON questions (agent, id);
CREATE INDEX questions_open ON questions (id) WHERE open = 1;
";

/// The second layout: reviews, and where a comment stands.
const REVIEWS: &str = "
CREATE TABLE reviews (
    task TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    agent TEXT,
    opened_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX reviews_newest ON reviews (opened_at, task);
CREATE INDEX reviews_of_state ON reviews (state, opened_at, task);
CREATE INDEX reviews_of_agent ON reviews (agent, opened_at, task) WHERE agent IS NOT NULL;
CREATE TABLE review_comments (
    id TEXT PRIMARY KEY,
    task TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// The first layout.
const CREATE: &str = "
CREATE TABLE records (
    seq INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    principal TEXT NOT NULL,
    surface TEXT NOT NULL,
    request TEXT,
    cause INTEGER,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX records_of_stream ON records (stream, seq);

CREATE TABLE tasks (
    id TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    open INTEGER NOT NULL,
    target TEXT NOT NULL,
    holder TEXT,
    priority INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_newest ON tasks (created_at, id);
CREATE INDEX tasks_of_state ON tasks (state, created_at, id);
CREATE INDEX tasks_of_target ON tasks (target, created_at, id);
CREATE INDEX tasks_of_holder ON tasks (holder, created_at, id) WHERE holder IS NOT NULL;
CREATE INDEX tasks_open ON tasks (id) WHERE open = 1;

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE notices (
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE blobs (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT;
CREATE TABLE idempotency (
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    receipt TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
";

/// What a file says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    Journal(u32),
    Foreign,
}

pub(super) fn identify(connection: &Connection) -> rusqlite::Result<Found> {
    let application: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (application, version, tables) {
        (APPLICATION_ID, version, _) => Found::Journal(version),
        (0, 0, 0) => Found::Nothing,
        _ => Found::Foreign,
    })
}

pub(super) fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    for step in STEPS {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA)?;
    transaction.execute("INSERT INTO meta (key, value) VALUES ('created_by', ?1)", [env!("CARGO_PKG_VERSION")])?;
    transaction.commit()
}

/// Brings a file of layout `from` to today's, each step in its own transaction: a start that is cut short goes on.
pub(super) fn migrate(connection: &mut Connection, from: u32) -> rusqlite::Result<()> {
    for (version, step) in (2_u32..).zip(STEPS) {
        if version > from {
            let transaction = connection.transaction()?;
            transaction.execute_batch(step)?;
            transaction.pragma_update(None, "user_version", version)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::{APPLICATION_ID, CREATE, Connection, STEPS};

    /// Lays out a file as the hub of that layout did.
    pub(in crate::sqlite) fn create_layout(connection: &Connection, layout: u32) {
        create_first(connection);
        for (version, step) in (2..=layout).zip(STEPS) {
            connection.execute_batch(step).unwrap();
            connection.pragma_update(None, "user_version", version).unwrap();
        }
    }

    /// Lays out a file as the first hub did.
    pub(in crate::sqlite) fn create_first(connection: &Connection) {
        connection.execute_batch(CREATE).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
    }
}
