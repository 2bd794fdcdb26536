//! For the change that brings a seeded defect, the selection contains a case that catches it.

use holdpoint::practice::mesa::Defect;

use crate::bench::{not_passed, run};
use crate::proven::set_that_catches;
use crate::repository::Repository;

/// The part whose change would bring a defect, where it is not any of its kind: orders stand in the leaflet alone.
fn part_that_brings(defect: Defect) -> Option<&'static str> {
    (defect == Defect::FollowsSourceText).then_some("partner-leaflet")
}

#[test]
fn for_every_defect_a_case_that_catches_it_is_selected_by_the_change_of_its_part() {
    let repository = Repository::new();
    let mut escaped = Vec::new();
    for defect in Defect::ALL {
        let mut selected = repository.selected_for("mesa", defect.home(), part_that_brings(defect), defect.name());
        // A defect is proven by its own set; if none of that is selected, it counts for nothing that others might see it.
        selected.cases.retain(|_, case| case.set.as_str() == set_that_catches(defect));
        if not_passed(&run(&selected)).is_empty() {
            escaped.push(format!("{}: {} cases of its set were selected", defect.name(), selected.cases.len()));
        }
    }
    assert!(escaped.is_empty(), "{}", escaped.join("\n"));
}
