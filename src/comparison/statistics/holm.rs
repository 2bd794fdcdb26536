//! Several sets judged together.

/// Holm's step-down adjustment (Scandinavian Journal of Statistics 6 (1979) 65): each p adjusted so that all of them can
/// be held against one alpha, in the order given. The chance that any of them is a false alarm is then at most alpha.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut adjusted = vec![1.0_f64; values.len()];
    let mut so_far = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        so_far = so_far.max((values[index] * super::real(values.len() - rank)).min(1.0));
        adjusted[index] = so_far;
    }
    adjusted
}
