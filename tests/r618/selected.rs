//! For the change that brings a seeded defect, the selection contains a case that catches it.

use holdpoint::practice::r618::Defect;

use crate::bench::{not_passed, run};
use crate::proven::set_that_catches;
use crate::repository::Repository;

#[test]
fn for_every_defect_a_case_that_catches_it_is_selected_by_the_change_of_its_part() {
    let repository = Repository::new();
    let mut escaped = Vec::new();
    for defect in Defect::ALL.iter().copied() {
        let mut selected = repository.selected_for("r618", defect.home(), None, defect.name());
        selected.cases.retain(|_, case| case.set.as_str() == set_that_catches(defect));
        if not_passed(&run(&selected)).is_empty() {
            escaped.push(format!("{}: {} cases of its set were selected", defect.name(), selected.cases.len()));
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}
