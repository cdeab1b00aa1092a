//! What stands around the MCP library because of a fault of it, or because of what it costs: nothing else is here.
//!
//! Checked against the source of `rmcp` 3.11.0. With each newer version go through this page: what "goes when" names is
//! what to look for. A test of this file fails while the page names another version than `Cargo.toml`, leaves out a
//! file, or names a test that does not exist. References are threads of `modelcontextprotocol/…` on GitHub, bare
//! numbers of its `rust-sdk`; where none is given, no thread was found.
//!
//! ### `accepted`
//! - fault: an `Accept` header must name both kinds of answer in so many words (rust-sdk#1382, on purpose; go-sdk#290
//!   and csharp-sdk#429 take wildcards); who takes JSON alone is not served at all (typescript-sdk#1952).
//! - without it: `curl` and HTTP clients that send `*/*` or nothing hear 406.
//! - shown by: `a_header_is_read`, `who_accepts_json_alone_gets_the_answer_alone_however_the_stream_was_cut`.
//! - goes when: `accepted_media_types` of `streamable_http_server/tower.rs` reads wildcards and a missing header, and
//!   JSON alone is answered with JSON.
//!
//! ### `early_refusal`
//! - fault: what is refused before a method is known is plain text, and a body that is no JSON is 415 (#825 and #833
//!   mended the same for stdio alone). The end of a session is 202, which clients take for a failure
//!   (python-sdk#3546, conformance#429).
//! - without it: clients show "fail to deserialize" instead of a code and what to do, and log failed endings.
//! - shown by: `a_body_that_is_no_message_is_refused_as_that_in_json`,
//!   `a_session_that_was_ended_is_gone_at_once_and_says_so`.
//! - goes when: `expect_json` answers -32700 in JSON, and `handle_delete` answers 200 or 204.
//!
//! ### `early_sse`
//! - fault: a request of 2026-07-28 is answered by no byte before its handler's first message (python-sdk#3001 and
//!   go-sdk#1155 are the same elsewhere), and then by no comment unless that message was a notification.
//! - without it: clients and proxies give up on a wait for want of headers.
//! - shown by: `a_modern_wait_begins_within_a_second_and_ends_with_its_client`,
//!   `a_call_that_left_the_library_begins_and_says_that_it_lives_like_any_other`.
//! - goes when: the stateless branch of `handle_post` writes headers after a span of its own. Its second half is the
//!   stream of calls that left the library, and stays as long as `parked` and `short`.
//!
//! ### `incoming`
//! - fault: of a key that stands twice in a message the last value counts, without a word.
//! - without it: a call does what its sender's guard did not look at.
//! - shown by: `a_call_in_which_a_key_stands_twice_does_nothing_and_hears_which_key_in_every_era`,
//!   `a_key_that_stands_twice_in_what_a_call_says_of_itself_is_refused_on_every_way`.
//! - goes when: the library refuses such messages, which nobody has asked it to.
//!
//! ### `parked`
//! - cost: a call at work keeps three tasks, three queues and the whole request, for as long as it waits.
//! - without it: a waiting agent takes several times the memory.
//! - shown by: `a_wait_that_the_library_read_goes_on_outside_of_it_too`.
//! - goes when: the figures of `callboard bench` for agents that wait are the same without it.
//!
//! ### `priming`
//! - fault: the empty event that begins a stream is sent to every client, though only those since 2025-11-25 read it
//!   (mended elsewhere: typescript-sdk#1233, python-sdk#1719, go-sdk#696).
//! - without it: older clients parse an empty text as JSON, and show a server without tools.
//! - shown by: `an_empty_event_begins_a_stream_only_for_who_can_read_it`.
//! - goes when: `ServerSseMessage::priming` is called only where the negotiated version is 2025-11-25 or later.
//!
//! ### `rewritten`
//! - fault: types drop what they do not know, as the `result` of `tasks/cancel`; and the tasks of 2025-11-25 have no
//!   types left, so that a session that asks about one hears -32021.
//! - without it: a workflow that is completed is cancelled, and older clients cannot ask how one stands.
//! - shown by: `a_result_moves_to_where_the_library_keeps_it`,
//!   `an_elder_client_reads_a_run_as_the_task_that_it_knows`.
//! - goes when: `CancelTaskParams` keeps other fields, and no client speaks 2025-11-25.
//!
//! ### `sessions`, `session_book`
//! - fault: in a session the end of a stream cancels nothing (#857; #967 leaves sessions out on purpose; #1267 is
//!   open), the limit of five minutes counts neither an open stream nor a running call (#780), a request that crosses
//!   the end is 500, anybody may speak in any session, and there may be any number of them.
//! - without it: a wait that nobody listens to swallows the next task, and a long one is ended in the middle.
//! - shown by: `a_legacy_wait_ends_with_its_stream_and_with_its_session`,
//!   `a_silent_session_outlives_the_limit_of_the_library_and_ends_at_ours`,
//!   `somebody_elses_session_answers_like_a_missing_one`, `what_crosses_the_end_of_its_session_is_no_fault`,
//!   `the_session_that_was_unused_for_longest_makes_room_and_one_with_a_stream_only_in_need`.
//! - goes when: `LocalSessionManager` cancels on a dropped stream and counts open ones. Who owns a session, and how
//!   many there may be, stays ours.
//!
//! ### `short`, `arguments`
//! - cost: the library reads a call into a tree, writes that out again to compare it with the headers, and starts three
//!   tasks for it: more than the hub's own work.
//! - without it: calls of tools are as right, and slower.
//! - shown by: `the_short_way_says_what_the_library_says`, `what_deviates_in_anything_is_answered_by_the_library`.
//! - goes when: the figures of `callboard bench` for calls are the same without it.
//!
//! ### `unread`
//! - fault: a request whose parameters do not fit its method becomes a custom request (#590), and is answered "method
//!   not found".
//! - without it: a client concludes from one wrong argument that the hub has no tools.
//! - shown by: `each_is_told_what_is_wrong`.
//! - goes when: a known method with other parameters is answered -32602.
//!
//! ### `welcome`
//! - fault: `ServerCapabilities` has no field for the tasks of 2025-11-25.
//! - without it: older clients do not ask about runs of workflows.
//! - shown by: `an_elder_client_reads_a_run_as_the_task_that_it_knows`.
//! - goes when: with `rewritten`.
//!
//! Three more faults are answered where the subject is: a session that declares the extension of tasks would get them
//! (`tasks::not_before_tasks`, `Door::shakes_hands`); `serverInfo` stands in two results only (`result::meta`); after
//! the end of a connection handlers are cancelled five seconds later (`socket` has no service loop of the library).

pub(super) mod accepted;
mod arguments;
pub(super) mod early_refusal;
pub(super) mod early_sse;
pub(super) mod incoming;
pub(super) mod parked;
mod priming;
pub(super) mod rewritten;
mod session_book;
pub(super) mod sessions;
pub(super) mod short;
pub(super) mod unread;
pub(super) mod welcome;

#[cfg(test)]
mod tests;
