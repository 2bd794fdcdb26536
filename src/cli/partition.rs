//! Which part of a run this process is asked for: what is said, or what the system that starts it puts into the environment.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::pipeline::PartRequest;
use crate::selection::{PartitionBy, RunPart};

use super::arguments::{PartitionArguments, PartitionByWord};
use super::failure::Failure;

/// What `--partition` can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartitionWord {
    /// This part.
    Part(RunPart),
    /// The one that the environment names.
    Auto,
    /// The one that the environment names, of so many.
    AutoOf(u32),
}

impl FromStr for PartitionWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!(
                "expected a part and how many there are, as 3/8, with at most {} parts; or auto, or auto/8",
                RunPart::MOST
            )
        };
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let (number, of) = text.split_once('/').ok_or_else(wrong)?;
        let of: u32 = of.parse().map_err(|_| wrong())?;
        if number == "auto" {
            return RunPart::new(1, of).map(|_| Self::AutoOf(of)).ok_or_else(wrong);
        }
        let number = number.parse().map_err(|_| wrong())?;
        RunPart::new(number, of).map(Self::Part).ok_or_else(wrong)
    }
}

/// The part that is asked for, if any.
pub(super) fn requested(
    arguments: &PartitionArguments,
    environment: &BTreeMap<String, String>,
) -> Result<Option<PartRequest>, Failure> {
    let Some(word) = arguments.partition else { return Ok(None) };
    let part = match word {
        PartitionWord::Part(part) => part,
        PartitionWord::Auto => from_environment(environment, None).map_err(Failure::usage)?,
        PartitionWord::AutoOf(of) => from_environment(environment, Some(of)).map_err(Failure::usage)?,
    };
    let by = match arguments.partition_by {
        None | Some(PartitionByWord::Hash) => PartitionBy::Hash,
        Some(PartitionByWord::Durations) => PartitionBy::Durations,
    };
    if by == PartitionBy::Hash && arguments.durations.is_some() {
        return Err(Failure::usage("--durations says how long cases took: it goes with --partition-by durations"));
    }
    Ok(Some(PartRequest { part, by, durations: arguments.durations.clone() }))
}

/// A system that starts the same job several times and tells each which one it is.
struct System {
    name: &'static str,
    index: &'static str,
    /// What the first job is called.
    first: u32,
    /// `None` where the system does not tell.
    total: Option<&'static str>,
}

/// The project's own variables come first: who sets them means them. The sources are the systems' own documents: GitLab's
/// predefined variables, Buildkite's environment variables, CircleCI's built-in variables, and the Job of Kubernetes.
const SYSTEMS: [System; 5] = [
    System {
        name: "HOLDPOINT_PARTITION_*",
        index: "HOLDPOINT_PARTITION_INDEX",
        first: 0,
        total: Some("HOLDPOINT_PARTITION_TOTAL"),
    },
    System { name: "GitLab", index: "CI_NODE_INDEX", first: 1, total: Some("CI_NODE_TOTAL") },
    System {
        name: "Buildkite",
        index: "BUILDKITE_PARALLEL_JOB",
        first: 0,
        total: Some("BUILDKITE_PARALLEL_JOB_COUNT"),
    },
    System { name: "CircleCI", index: "CIRCLE_NODE_INDEX", first: 0, total: Some("CIRCLE_NODE_TOTAL") },
    System { name: "Kubernetes", index: "JOB_COMPLETION_INDEX", first: 0, total: None },
];

/// The part that the environment names; `of` where it was said how many there are, which must then fit.
fn from_environment(environment: &BTreeMap<String, String>, of: Option<u32>) -> Result<RunPart, String> {
    for system in SYSTEMS {
        if environment.contains_key(system.index) {
            return system.part(environment, of);
        }
    }
    if environment.contains_key("SLURM_ARRAY_TASK_ID") {
        return of_slurm(environment, of);
    }
    let names: Vec<&str> = SYSTEMS.iter().map(|system| system.index).chain(["SLURM_ARRAY_TASK_ID"]).collect();
    Err(format!("--partition auto finds no index in the environment (looked for {}): say it, as 3/8", names.join(", ")))
}

impl System {
    fn part(&self, environment: &BTreeMap<String, String>, said: Option<u32>) -> Result<RunPart, String> {
        let index = number(environment, self.index)?;
        let total = self.total.filter(|name| environment.contains_key(*name));
        let told = total.map(|name| number(environment, name)).transpose()?;
        let of = match (told, said) {
            (Some(told), Some(said)) if told != said => {
                return Err(format!("--partition auto/{said} was said, and {} counts {told} parts", self.name));
            }
            (Some(of), _) | (None, Some(of)) => of,
            (None, None) => {
                return Err(format!(
                    "{} tells the index alone: say how many parts there are, as --partition auto/8",
                    self.name
                ));
            }
        };
        let part = index.checked_sub(self.first).and_then(|index| RunPart::new(index.checked_add(1)?, of));
        part.ok_or_else(|| {
            format!("{} is {index}, which is none of {of} parts counted from {}", self.index, self.first)
        })
    }
}

/// An array of SLURM counts from any first id in steps of any size; an array that is a list of ids has no order to be told
/// from one of its ids alone.
fn of_slurm(environment: &BTreeMap<String, String>, said: Option<u32>) -> Result<RunPart, String> {
    let of_array = |name: &str| number(environment, &format!("SLURM_ARRAY_TASK_{name}"));
    let (id, least, most, count) = (of_array("ID")?, of_array("MIN")?, of_array("MAX")?, of_array("COUNT")?);
    let step = if environment.contains_key("SLURM_ARRAY_TASK_STEP") { of_array("STEP")?.max(1) } else { 1 };
    let is_regular = most.checked_sub(least).is_some_and(|span| span % step == 0 && span / step + 1 == count);
    let index = id.checked_sub(least).filter(|offset| is_regular && offset % step == 0).map(|offset| offset / step);
    let part = index.and_then(|index| RunPart::new(index + 1, count)).ok_or_else(|| {
        format!(
            "the SLURM array is no even row of ids ({count} from {least} to {most} in steps of {step}, this one {id}): say \
             the part, as 3/8"
        )
    })?;
    match said {
        Some(said) if said != count => {
            Err(format!("--partition auto/{said} was said, and the SLURM array has {count} tasks"))
        }
        _ => Ok(part),
    }
}

fn number(environment: &BTreeMap<String, String>, name: &str) -> Result<u32, String> {
    let text = environment.get(name).ok_or_else(|| format!("{name} is not set"))?;
    text.trim().parse().map_err(|_| format!("{name} is `{text}`, which is no number from 0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> BTreeMap<String, String> {
        variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn part(number: u32, of: u32) -> RunPart {
        RunPart::new(number, of).unwrap()
    }

    const FIRST_AND_LAST: [([(&str, &str); 2], RunPart); 8] = [
        ([("HOLDPOINT_PARTITION_INDEX", "0"), ("HOLDPOINT_PARTITION_TOTAL", "4")], RunPart { number: 1, of: 4 }),
        ([("HOLDPOINT_PARTITION_INDEX", "3"), ("HOLDPOINT_PARTITION_TOTAL", "4")], RunPart { number: 4, of: 4 }),
        ([("CI_NODE_INDEX", "1"), ("CI_NODE_TOTAL", "4")], RunPart { number: 1, of: 4 }),
        ([("CI_NODE_INDEX", "4"), ("CI_NODE_TOTAL", "4")], RunPart { number: 4, of: 4 }),
        ([("BUILDKITE_PARALLEL_JOB", "0"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")], RunPart { number: 1, of: 4 }),
        ([("BUILDKITE_PARALLEL_JOB", "3"), ("BUILDKITE_PARALLEL_JOB_COUNT", "4")], RunPart { number: 4, of: 4 }),
        ([("CIRCLE_NODE_INDEX", "0"), ("CIRCLE_NODE_TOTAL", "4")], RunPart { number: 1, of: 4 }),
        ([("CIRCLE_NODE_INDEX", "3"), ("CIRCLE_NODE_TOTAL", "4")], RunPart { number: 4, of: 4 }),
    ];

    #[test]
    fn each_system_counts_as_it_does() {
        for (variables, wanted) in FIRST_AND_LAST {
            let environment = environment(&variables);
            assert_eq!(from_environment(&environment, None), Ok(wanted), "{variables:?}");
            assert_eq!(from_environment(&environment, Some(4)), Ok(wanted), "{variables:?}");
            assert!(from_environment(&environment, Some(5)).unwrap_err().contains("4 parts"), "{variables:?}");
        }
        let kubernetes = environment(&[("JOB_COMPLETION_INDEX", "7")]);
        assert_eq!(from_environment(&kubernetes, Some(8)), Ok(part(8, 8)));
        assert!(from_environment(&kubernetes, None).unwrap_err().contains("auto/8"));
    }

    #[test]
    fn a_slurm_array_counts_from_any_id_in_any_steps() {
        let array = |id: &str, least: &str, most: &str, count: &str, step: &str| {
            environment(&[
                ("SLURM_ARRAY_TASK_ID", id),
                ("SLURM_ARRAY_TASK_MIN", least),
                ("SLURM_ARRAY_TASK_MAX", most),
                ("SLURM_ARRAY_TASK_COUNT", count),
                ("SLURM_ARRAY_TASK_STEP", step),
            ])
        };
        for (ids, wanted) in [
            (["0", "0", "31", "32", "1"], part(1, 32)),
            (["31", "0", "31", "32", "1"], part(32, 32)),
            (["5", "1", "7", "4", "2"], part(3, 4)),
        ] {
            let [id, least, most, count, step] = ids;
            assert_eq!(from_environment(&array(id, least, most, count, step), None), Ok(wanted), "{ids:?}");
        }
        // `--array=1,2,4`, in which not even the first is sure of its place.
        for id in ["1", "2", "4"] {
            assert!(from_environment(&array(id, "1", "4", "3", "1"), None).is_err(), "{id}");
        }
        assert!(from_environment(&array("1", "1", "4", "4", "1"), Some(5)).is_err());
    }

    #[test]
    fn what_is_no_part_is_an_error_that_names_the_variable() {
        for (index, total) in [("0", "4"), ("5", "4"), ("-1", "4"), ("x", "4"), ("1", "0"), ("1", ""), ("", "4")] {
            let error = from_environment(&environment(&[("CI_NODE_INDEX", index), ("CI_NODE_TOTAL", total)]), None)
                .unwrap_err();
            assert!(error.contains("CI_NODE_"), "{error}");
        }
        // A job that GitLab does not run in parallel has a total alone.
        assert!(from_environment(&environment(&[("CI_NODE_TOTAL", "1")]), None).unwrap_err().contains("no index"));
    }

    #[test]
    fn only_parts_that_exist_can_be_said() {
        assert_eq!("3/8".parse(), Ok(PartitionWord::Part(part(3, 8))));
        assert_eq!("auto".parse(), Ok(PartitionWord::Auto));
        assert_eq!("auto/8".parse(), Ok(PartitionWord::AutoOf(8)));
        for wrong in ["", "3", "0/8", "9/8", "3/0", "auto/0", "3/8/9", "-1/8", "3/10001", "/", "auto/"] {
            assert!(wrong.parse::<PartitionWord>().is_err(), "{wrong}");
        }
    }
}
