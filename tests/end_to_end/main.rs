//! The real binary, from outside: real git repositories, real workflows, exit codes, reports.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot set up has to fail")]

mod accept_processes;
mod acceptance;
mod audit;
mod begin;
mod calls_expected;
mod case_from;
mod case_lint;
mod case_new;
mod ci_files;
mod comparing;
mod completing;
mod documents;
mod exit_codes;
mod expectation_edits;

mod gate_policies;
mod honest_files;
mod honest_running;
mod honest_selection;
mod judged_otherwise;
mod junit;
mod ledger;
mod ledger_states;
mod machine_output;
mod oracle_check;
mod own_kinds;
mod report_forms;
mod reviewed;
mod sandbox;
mod seeded_defects;
mod shadow;
mod small_project;
mod support_desk;
mod terminal;
