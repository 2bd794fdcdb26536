//! Loading whole projects.
