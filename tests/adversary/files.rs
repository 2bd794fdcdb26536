//! Ways that play with how files are written.

use std::fs;

use crate::desk::{Desk, GREETS};
use crate::way::{Way, play};

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "gives a key twice, so that the second one counts",
        play: |desk| {
            desk.be_rude();
            desk.edit(GREETS, "title:", "title: other\ntitle:");
            desk.gate_change()
        },
        ends: 13,
        says: "title",
    },
    Way {
        trick: "hides an expectation behind an anchor and a merge key",
        play: |desk| {
            desk.be_rude();
            desk.write(
                GREETS,
                "id: greets\ntitle: It greets\nworkflow: desk\ninput: {}\nexpect:\n  - &easy {length: {at_most: 40}}\n  - <<: *easy\n",
            );
            desk.gate_change()
        },
        ends: 10,
        says: "passed only since the case itself was changed: 1 case (greets)",
    },
    Way {
        trick: "expects the same easy thing twice by an alias",
        play: |desk| {
            desk.be_rude();
            desk.write(
                GREETS,
                "id: greets\ntitle: It greets\nworkflow: desk\ninput: {}\nexpect:\n  - &easy {length: {at_most: 40}}\n  - *easy\n",
            );
            desk.gate_change()
        },
        ends: 10,
        says: "polite",
    },
    Way {
        trick: "indents the expectations one level too deep",
        play: |desk| {
            desk.be_rude();
            desk.edit(GREETS, "input: {}\nexpect:\n", "input:\n  expect:\n");
            desk.gate_change()
        },
        ends: 13,
        says: "expect",
    },
    Way {
        trick: "puts a second document behind the first",
        play: |desk| {
            desk.be_rude();
            let case = desk.sandbox.read(GREETS);
            desk.write(GREETS, &format!("{case}---\n{}", case.replace("Good morning", "Go away")));
            desk.gate_change()
        },
        ends: 13,
        says: GREETS,
    },
    Way {
        trick: "puts a link where the case was, to one that expects less",
        play: |desk| {
            desk.be_rude();
            desk.write("notes/greets.yaml", &desk.sandbox.read(GREETS).replace("Good morning", "Go away"));
            desk.remove(GREETS);
            std::os::unix::fs::symlink("../../notes/greets.yaml", desk.sandbox.project().join(GREETS)).unwrap();
            desk.gate_change()
        },
        ends: 13,
        says: "symbolic link",
    },
    Way {
        trick: "puts a link where the prompt was, to another text",
        play: |desk| {
            desk.write("notes/other.txt", crate::desk::RUDE);
            desk.remove("greeting.txt");
            std::os::unix::fs::symlink("notes/other.txt", desk.sandbox.project().join("greeting.txt")).unwrap();
            desk.gate_change()
        },
        ends: 13,
        says: "greeting.txt",
    },
    Way {
        trick: "gives a case a folder where its file was",
        play: |desk| {
            desk.open_two();
            let case = "cases/duplicate/one-ticket.yaml";
            let text = desk.sandbox.read(case);
            desk.remove(case);
            fs::create_dir(desk.sandbox.project().join(case)).unwrap();
            desk.write(&format!("{case}/kept.txt"), &text);
            desk.gate_change()
        },
        ends: 11,
        says: "accepted, and no longer in the project: have someone accept that: 1 case (one-ticket)",
    },
    Way {
        trick: "brings a second prompt whose name differs in the size of a letter, and reads that",
        play: |desk| {
            desk.write("Greeting.txt", crate::desk::RUDE);
            desk.edit("desk.sh", "cat greeting.txt", "cat Greeting.txt");
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "brings a name that is not UTF-8 among the cases",
        play: |desk| {
            use std::os::unix::ffi::OsStrExt;
            let name = std::ffi::OsStr::from_bytes(b"cases/duplicate/caf\xe9.yaml");
            desk.open_two();
            let old = desk.sandbox.project().join("cases/duplicate/one-ticket.yaml");
            fs::rename(old, desk.sandbox.project().join(name)).unwrap();
            desk.gate_change()
        },
        ends: 13,
        says: "not UTF-8",
    },
];

#[test]
fn how_files_are_written() {
    play(&Desk::honest(), WAYS);
}
