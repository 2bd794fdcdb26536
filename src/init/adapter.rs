//! The adapter: a few lines that take what holdpoint asks and call the workflow, in the language of the repository.

use super::NewFile;

/// What an adapter answers until its author has joined it to the workflow.
pub(super) const NOT_JOINED: &str = "not joined to a workflow yet";

/// The languages in which adapters are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// JavaScript, and what compiles to it.
    Node,
    /// Any other: the adapter is a shell script.
    #[default]
    Other,
    /// Python.
    Python,
}

impl Language {
    /// The language of a file, where it is code.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "ts" | "mts" | "jsx" | "tsx" => Some(Self::Node),
            "rs" | "go" | "rb" | "java" | "kt" | "cs" | "php" | "sh" | "scala" | "ex" | "c" | "cpp" | "swift" => {
                Some(Self::Other)
            }
            _ => None,
        }
    }

    pub(super) fn adapter_path(self) -> &'static str {
        match self {
            Self::Python => "holdpoint_adapter.py",
            Self::Node => "holdpoint_adapter.mjs",
            Self::Other => "holdpoint_adapter.sh",
        }
    }

    pub(super) fn adapter_command(self) -> Vec<String> {
        let words: &[&str] = match self {
            // Without its own cache of what it compiled, which takes an edit within the same second for none.
            Self::Python => &["python3", "-B"],
            Self::Node => &["node"],
            Self::Other => &["sh"],
        };
        words.iter().copied().chain([self.adapter_path()]).map(str::to_owned).collect()
    }
}

pub(super) fn file(language: Language) -> NewFile {
    let text = match language {
        Language::Python => PYTHON,
        Language::Node => NODE,
        Language::Other => SHELL,
    };
    let told = format!("{}, {NOT_JOINED}", language.adapter_path());
    let text = text.replace("{NOT_JOINED}", &told);
    NewFile::new(language.adapter_path(), "joins your workflow to holdpoint: edit this one", text)
}

const PYTHON: &str = r#""""Joins the workflow to holdpoint: one JSON document in, one out.

In: {"input": ..., "case": ..., "trial": ..., "step": ..., "operation": ..., "state_dir": ..., "connectors": {...}, "now": ...}
Out: {"output": the answer, "claims": [{"operation": ..., "claim": "completed"}], and whatever cases look at}
A claim is completed, rejected, failed, unknown or held; a workflow that does not act on anything needs none.
"""

import json
import sys


def answer(call):
    question = call["input"]["question"]
    # Call your workflow here and return what it says.
    return {"output": f"{NOT_JOINED}: {question}"}


json.dump(answer(json.load(sys.stdin)), sys.stdout)
"#;

const NODE: &str = r#"// Joins the workflow to holdpoint: one JSON document in, one out.
//
// In: {"input": ..., "case": ..., "trial": ..., "step": ..., "operation": ..., "state_dir": ..., "connectors": {...}, "now": ...}
// Out: {"output": the answer, "claims": [{"operation": ..., "claim": "completed"}], and whatever cases look at}
// A claim is completed, rejected, failed, unknown or held; a workflow that does not act on anything needs none.

import { readFileSync } from "node:fs";

async function answer(call) {
  const question = call.input.question;
  // Call your workflow here and return what it says.
  return { output: `{NOT_JOINED}: ${question}` };
}

process.stdout.write(JSON.stringify(await answer(JSON.parse(readFileSync(0, "utf8")))));
"#;

const SHELL: &str = r#"#!/bin/sh
# Joins the workflow to holdpoint: one JSON document on standard input, an answer on standard output.
#
# In: {"input": ..., "case": ..., "trial": ..., "step": ..., "operation": ..., "state_dir": ..., "connectors": {...}, "now": ...}
# Out: any text, or {"output": the answer, "claims": [{"operation": ..., "claim": "completed"}]}
# A claim is completed, rejected, failed, unknown or held; a workflow that does not act on anything needs none.

# Put your program here instead: what stands on its standard input is the document.
cat > /dev/null
echo "{NOT_JOINED}"
"#;
