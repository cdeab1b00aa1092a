//! Stories, one file for each thing that somebody relies on.

mod a_choice;
mod a_crash;
mod a_review;
mod the_command_line;
mod the_process;
