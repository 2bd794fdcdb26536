//! The same work for each of many things.

use std::thread;

/// From so many things on, several threads share the work.
const MANY: usize = 200;

/// What `make` makes of each item, in the order of the items; of many, by as many threads as there are processors.
pub fn in_parallel<I: Sync, T: Send>(items: &[I], make: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    if items.len() <= MANY || threads == 1 {
        return items.iter().map(make).collect();
    }
    let make = &make;
    thread::scope(|scope| {
        let chunks = items.chunks(items.len().div_ceil(threads));
        let workers: Vec<_> =
            chunks.map(|chunk| scope.spawn(move || chunk.iter().map(make).collect::<Vec<T>>())).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.flat_map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_items_whether_they_are_few_or_many() {
        for count in [0, 1, MANY, MANY + 1, 5 * MANY + 3] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(in_parallel(&items, |item| item * 2), items.iter().map(|item| item * 2).collect::<Vec<_>>());
        }
    }
}
