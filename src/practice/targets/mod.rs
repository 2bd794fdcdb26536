//! The target services that a practice workflow acts on: a case desk, an inventory and a messaging service.
//!
//! Each is a real HTTP service on its own SQLite file. What it promises of a request that comes twice, of an answer
//! that is lost and of a view that lags is set by the manifest of its connector and by nothing else. A call is
//! `POST /{operation}` with a JSON object, where `operation` is one of the manifest's; reads are calls like others.
//!
//! [`server`] speaks HTTP, [`service`] takes one call from its arrival to its answer, [`keys`] keeps the promise of
//! the idempotency key, [`journal`] remembers every call, and a file for each target says what it does with a call
//! that has come through: [`case_desk`], [`inventory`], [`messaging`].

mod case_desk;
mod clock;
mod contract;
mod database;
mod faults;
mod inventory;
mod journal;
mod keys;
mod messaging;
mod server;
mod service;
mod target;

pub use clock::Clock;
pub use contract::Contract;
pub use faults::ServiceFaults;
pub use journal::{CallSeen, calls_since, last_call};
pub use server::Server;
pub use service::{AfterCall, Service};
pub use target::Target;

pub(super) use clock::ms;
pub(super) use contract::{bound_ms, has_key, lag_ms};
pub(super) use database::open;
pub(super) use target::operation_of;
