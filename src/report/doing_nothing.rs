//! What a workflow that does nothing would pass, to stand beside a count of passes.

use super::document::CaseView;

/// How many of these a workflow that does nothing would pass; `None` where that is not known of each.
pub(super) fn passed_by_doing_nothing<'a>(cases: impl IntoIterator<Item = &'a CaseView>) -> Option<usize> {
    let each: Option<Vec<bool>> = cases.into_iter().map(|case| Some(case.do_nothing?.passes())).collect();
    Some(each?.into_iter().filter(|passes| *passes).count())
}

/// The same in words; empty where it is not known.
pub(super) fn beside_doing_nothing(cases: &[CaseView]) -> String {
    let passed = passed_by_doing_nothing(cases).filter(|_| !cases.is_empty());
    passed.map(|passed| format!("a workflow that does nothing would pass {passed}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::sample::Sample;
    use super::*;

    #[test]
    fn what_doing_nothing_would_pass_is_told_only_where_it_is_known_of_each_case() {
        let mut document = Sample::full().document();
        assert_eq!(passed_by_doing_nothing(&document.cases), Some(1));
        assert_eq!(beside_doing_nothing(&document.cases), "a workflow that does nothing would pass 1");
        let unknown = document.cases.iter_mut().find(|case| case.id.as_str() == "policy-answer-03").unwrap();
        unknown.do_nothing = None;
        assert_eq!(passed_by_doing_nothing(&document.cases), None);
        assert_eq!(beside_doing_nothing(&document.cases), "");
        assert_eq!(beside_doing_nothing(&[]), "");
    }
}
