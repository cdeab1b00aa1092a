//! Stories, one file for each thing that somebody relies on.

mod a_choice;
mod a_crash;
mod a_damaged_journal;
mod a_dead_agent;
mod a_followed_log;
mod a_full_disk;
mod a_gentle_end;
mod a_hosted_terminal;
mod a_hostile_program;
mod a_prompt_of_ones_own;
mod a_proxy;
mod a_proxy_without_sockets;
mod a_question;
mod a_race;
mod a_review;
mod a_search;
mod a_secret;
mod a_setuid_program;
mod a_ticket;
mod a_watched_terminal;
mod an_answer_by_the_hub;
mod the_command_line;
mod the_ends_of_a_wait;
mod the_process;
mod the_wakeups;
mod what_a_client_reads;
