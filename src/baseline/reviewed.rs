//! The digest of what a reviewer sees of a run and an acceptance would record.

use std::collections::BTreeMap;

use serde_json::json;

use crate::change::Snapshot;
use crate::domain::{CaseId, Digest, Digester, canonical_json};
use crate::grading::CaseResult;

use super::record::AcceptedCase;

/// The digest over the parts that were run and over all of each result that an acceptance would hold: its status, its counts,
/// its outcomes, what failed, and the text of its answer. Whoever accepts names what they have looked at by it.
///
/// # Errors
/// Never for results that ran; JSON has no form for some values that hand-made parts could hold.
pub fn reviewed_digest(
    fingerprint: &Digest,
    snapshot: &Snapshot,
    results: &[CaseResult],
) -> Result<Digest, serde_json::Error> {
    let results: BTreeMap<&CaseId, &CaseResult> = results.iter().map(|result| (&result.case, result)).collect();
    // The canonical text of {"cases", "fingerprint", "snapshot"}, a case at a time: there can be many.
    let mut digester = Digester::default();
    digester.add(b"{\"cases\":");
    for (number, (case, result)) in results.iter().enumerate() {
        digester.add(if number == 0 { b"{" } else { b"," });
        digester.add(canonical_json(&json!(case)).as_bytes());
        digester.add(b":");
        digester.add(canonical_json(&serde_json::to_value(AcceptedCase::of(result))?).as_bytes());
    }
    digester.add(if results.is_empty() { b"{}" } else { b"}" });
    digester.add(format!(",\"fingerprint\":{},\"snapshot\":", json!(fingerprint)).as_bytes());
    digester.add(canonical_json(&serde_json::to_value(snapshot)?).as_bytes());
    digester.add(b"}");
    Ok(digester.finish())
}

#[cfg(test)]
mod tests {
    use super::super::samples::{digest, result, snapshot};
    use super::*;
    use crate::domain::CaseStatus::{Failed, Passed};

    #[test]
    fn whatever_of_a_result_can_be_accepted_changes_the_digest_and_the_order_does_not() {
        let of = |temperature: f64, results: &[CaseResult]| {
            reviewed_digest(&digest("fingerprint"), &snapshot(temperature), results).unwrap()
        };
        let (one, other) = (result("a", Passed, "one"), result("b", Passed, "two"));
        let same = of(0.5, &[one.clone(), other.clone()]);
        assert_eq!(of(0.5, &[other.clone(), one.clone()]), same);
        let others = [
            of(0.6, &[one.clone(), other.clone()]),
            of(0.5, &[one.clone(), result("b", Failed, "two")]),
            of(0.5, &[one.clone(), result("b", Passed, "three")]),
            of(0.5, &[one.clone(), result("c", Passed, "two")]),
            of(0.5, &[one]),
        ];
        assert!(others.iter().all(|digest| *digest != same));
    }

    #[test]
    fn it_is_the_digest_of_the_whole_document_in_its_canonical_form() {
        let (fingerprint, snapshot) = (digest("fingerprint"), snapshot(0.5));
        let several = [result("b \"quoted\"", Failed, "two"), result("a", Passed, "one"), result("ä", Passed, "three")];
        for results in [&several[..], &several[..1], &[]] {
            let cases: BTreeMap<&CaseId, AcceptedCase> =
                results.iter().map(|result| (&result.case, AcceptedCase::of(result))).collect();
            let whole = json!({"cases": cases, "fingerprint": fingerprint, "snapshot": snapshot});
            assert_eq!(reviewed_digest(&fingerprint, &snapshot, results).unwrap(), Digest::of_json(&whole));
        }
    }
}
