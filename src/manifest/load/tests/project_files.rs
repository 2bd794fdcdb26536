//! project_files
