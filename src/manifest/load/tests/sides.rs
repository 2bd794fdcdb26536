//! sides
