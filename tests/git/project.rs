//! Whole projects in repositories.
