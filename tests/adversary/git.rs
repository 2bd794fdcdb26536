//! Ways that play with git, so that the change is not seen or held against something else.

use std::fs;
use std::path::PathBuf;

use crate::desk::Desk;
use crate::way::{Way, play};

/// Sets something in the repository's own configuration.
fn configure(desk: &Desk, name: &str, value: &str) {
    desk.sandbox.git(&["config", name, value]);
}

/// A path beside the project's folder.
fn beside(desk: &Desk, name: &str) -> PathBuf {
    desk.sandbox.project().parent().unwrap().join(name)
}

/// Puts a clone of so many commits in the place of the repository.
fn become_clone(desk: &Desk, depth: usize) {
    let clone = beside(desk, "clone");
    let from = format!("file://{}", desk.sandbox.project().display());
    desk.sandbox.git(&["clone", "--quiet", &format!("--depth={depth}"), &from, clone.to_str().unwrap()]);
    fs::remove_dir_all(desk.sandbox.project()).unwrap();
    fs::rename(clone, desk.sandbox.project()).unwrap();
}

pub(crate) const WAYS: &[Way] = &[
    Way {
        trick: "holds the defect against itself, by a base that has it already",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            desk.gate(&["--base", "HEAD"])
        },
        ends: 0,
        says: "between what was accepted and the base, other things changed: greeting;",
    },
    Way {
        trick: "holds a change of the project file and of a file that nobody knows against itself",
        play: |desk| {
            desk.write("tone.cfg", "rude\n");
            desk.edit("holdpoint.yaml", "name: desk", "name: other desk");
            desk.commit();
            desk.gate(&["--base", "HEAD"])
        },
        ends: 0,
        says: "other things changed: the project file, tone.cfg;",
    },
    Way {
        trick: "asks for a base that there is not",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            desk.gate(&["--base", "nowhere"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "gates a shallow clone, in which there is no base",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            become_clone(desk, 1);
            desk.gate(&["--base", "HEAD~1"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "takes the record of a fix away, and gates a shallow clone that does not know of it",
        play: |desk| {
            desk.be_rude();
            desk.gate_here().expect(10);
            desk.sandbox.accept();
            desk.commit();
            desk.write("greeting.txt", crate::desk::GREETING);
            desk.gate_here().expect(0);
            desk.sandbox.accept();
            desk.commit();
            let listed = desk.sandbox.holdpoint(&["baseline", "list", "--json"]).expect(0).json();
            let newest = listed["records"][0]["digest"].as_str().unwrap().trim_start_matches("sha256:").to_owned();
            desk.remove(&format!("baselines/{newest}.json"));
            desk.be_rude();
            desk.commit();
            desk.write("README.md", "The desk.\n");
            desk.commit();
            become_clone(desk, 1);
            let verified = desk.sandbox.holdpoint(&["baseline", "verify"]).expect(0);
            assert!(verified.stdout.contains("git's history is shallow here"), "{}", verified.told());
            desk.gate_here()
        },
        ends: 0,
        says: "git's history is shallow here: whether a record was taken away cannot be told",
    },
    Way {
        trick: "cuts the repository off, so that there is no git to ask",
        play: |desk| {
            desk.be_rude();
            fs::remove_dir_all(desk.sandbox.project().join(".git")).unwrap();
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has git ignore the prompt",
        play: |desk| {
            desk.write(".gitignore", "reports/\n.holdpoint/\n*.txt\n");
            desk.sandbox.git(&["rm", "--quiet", "--cached", "greeting.txt"]);
            desk.be_rude();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has git ignore the code",
        play: |desk| {
            desk.write(".gitignore", "reports/\n.holdpoint/\n*.sh\n");
            desk.sandbox.git(&["rm", "--quiet", "--cached", "desk.sh"]);
            desk.open_two();
            desk.gate_change()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "has git assume that the prompt is unchanged",
        play: |desk| {
            desk.sandbox.git(&["update-index", "--assume-unchanged", "greeting.txt"]);
            desk.be_rude();
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has git skip the code in the working tree",
        play: |desk| {
            desk.sandbox.git(&["update-index", "--skip-worktree", "desk.sh"]);
            desk.open_two();
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "has a filter of git put the honest text into the commit",
        play: |desk| {
            desk.write(".git/info/attributes", "greeting.txt filter=hide\n");
            configure(desk, "filter.hide.clean", "sed 's/Go away/Good morning/'");
            desk.be_rude();
            desk.commit();
            desk.gate(&["--base", "HEAD~1"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has a filter of git put the honest text into the commit, against what was accepted",
        play: |desk| {
            desk.write(".git/info/attributes", "greeting.txt filter=hide\n");
            configure(desk, "filter.hide.clean", "sed 's/Go away/Good morning/'");
            desk.be_rude();
            desk.commit();
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "makes the edit look as old and as long as what was there",
        play: |desk| {
            configure(desk, "core.trustctime", "false");
            configure(desk, "core.checkStat", "minimal");
            desk.sandbox.git(&["update-index", "--refresh"]);
            let stamp = beside(desk, "stamp");
            let touch = |from: &str, to: &str| {
                let ran = desk.sandbox.ran(desk.sandbox.command("touch").args(["-r", from, to]));
                assert_eq!(ran.code, 0, "{}", ran.told());
            };
            fs::write(&stamp, "").unwrap();
            touch("greeting.txt", stamp.to_str().unwrap());
            desk.write("greeting.txt", "Goad morning, you have 30 days\n");
            touch(stamp.to_str().unwrap(), "greeting.txt");
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 2 cases (greets, steady)",
    },
    Way {
        trick: "points git at another working tree",
        play: |desk| {
            let other = beside(desk, "other");
            let ran = desk.sandbox.ran(desk.sandbox.command("cp").arg("-r").arg(desk.sandbox.project()).arg(&other));
            assert_eq!(ran.code, 0, "{}", ran.told());
            configure(desk, "core.worktree", other.canonicalize().unwrap().to_str().unwrap());
            desk.be_rude();
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "points git at another repository by a variable",
        play: |desk| {
            desk.be_rude();
            let honest = Desk::honest();
            let mut command = desk.sandbox.holdpoint_command();
            command.arg("gate").env("GIT_DIR", honest.sandbox.project().join(".git"));
            desk.sandbox.ran(command.env("GIT_WORK_TREE", honest.sandbox.project()))
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "has CI name the branch with the defect as the one to merge into",
        play: |desk| {
            desk.be_rude();
            desk.commit();
            let mut command = desk.sandbox.holdpoint_command();
            desk.sandbox.ran(command.arg("gate").env("GITHUB_BASE_REF", "main"))
        },
        ends: 0,
        says: "between what was accepted and the base, other things changed: greeting;",
    },
    Way {
        trick: "puts the code into a submodule and edits it there",
        play: |desk| {
            let library = beside(desk, "library");
            desk.sandbox.git(&["init", "--quiet", library.to_str().unwrap()]);
            fs::write(library.join("open.sh"), "echo '{}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"\n").unwrap();
            let inside =
                |arguments: &[&str]| desk.sandbox.git(&[&["-C", library.to_str().unwrap()], arguments].concat());
            inside(&["add", "--all"]);
            inside(&["commit", "--quiet", "--message", "begin"]);
            desk.sandbox.git(&[
                "-c",
                "protocol.file.allow=always",
                "submodule",
                "--quiet",
                "add",
                "../library",
                "library",
            ]);
            desk.edit(
                "desk.sh",
                "echo '{\"customer\": \"K-1\"}' >> \"$HOLDPOINT_STATE_DIR/tickets.jsonl\"",
                ". library/open.sh",
            );
            desk.commit();
            desk.gate_here().expect(0);
            desk.sandbox.accept();
            let open = fs::read_to_string(library.join("open.sh")).unwrap();
            desk.write("library/open.sh", &open.repeat(2));
            desk.gate_here()
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (one-ticket)",
    },
    Way {
        trick: "leaves a pointer of Git LFS where the prompt was",
        play: |desk| {
            let digest = "4ba1cd3cf419cd3207e4c41c89e4acb1787a02badcd9ff081b4213134039d043";
            let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 31\n");
            desk.write("greeting.txt", &pointer);
            desk.gate_change()
        },
        ends: 10,
        says: "greets",
    },
    Way {
        trick: "commits a pointer of Git LFS, and has another text in the folder",
        play: |desk| {
            let digest = "4ba1cd3cf419cd3207e4c41c89e4acb1787a02badcd9ff081b4213134039d043";
            let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 31\n");
            desk.write(".git/info/attributes", "greeting.txt filter=lfs\n");
            configure(desk, "filter.lfs.clean", &format!("printf '{}'", pointer.replace('\n', "\\n")));
            configure(desk, "filter.lfs.smudge", "echo 'Good morning, you have 30 days'");
            desk.sandbox.git(&["add", "--renormalize", "greeting.txt"]);
            desk.commit();
            desk.gate_here().expect(0);
            desk.be_rude();
            desk.sandbox.git(&["add", "greeting.txt"]);
            desk.gate(&["--base", "HEAD"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "hides the edit by attributes of the user's own",
        play: |desk| {
            desk.write("../home/.config/git/attributes", "greeting.txt filter=hide\n");
            configure(desk, "filter.hide.clean", "sed 's/Go away/Good morning/'");
            desk.be_rude();
            desk.commit();
            desk.gate(&["--base", "HEAD~1"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 4 cases (greets, polite, quiet, steady)",
    },
    Way {
        trick: "hides the edit where git writes its own mark",
        play: |desk| {
            desk.write(".git/info/attributes", "greeting.txt ident\n");
            desk.write("greeting.txt", "Good morning, you have 30 days $Id$\n");
            desk.edit(crate::desk::GREETS, "at_most: 40", "at_most: 400");
            desk.commit();
            desk.gate_here().expect(11);
            desk.sandbox.accept();
            desk.write("greeting.txt", "Good morning, you have 30 days $Id: Go away$\n");
            desk.sandbox.git(&["add", "greeting.txt"]);
            desk.gate(&["--base", "HEAD"])
        },
        ends: 10,
        says: "failed, and worse than at acceptance: 1 case (quiet)",
    },
];

#[test]
fn what_git_shows() {
    play(&Desk::honest(), WAYS);
}
