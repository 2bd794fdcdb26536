//! Tests of whole runs.
