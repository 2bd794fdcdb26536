//! The exit codes of the command line, contract version 1.

/// How a command ends, as CI sees it. Documented in README.md; codes are added, never renumbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ExitCode {
    /// The gate passed, or the command did what it was asked to.
    Passed = 0,
    /// Something inside holdpoint, or the machine under it, went wrong.
    Internal = 1,
    /// The command line could not be understood.
    Usage = 2,
    /// A regression, or a new case that fails.
    Failed = 10,
    /// Uncertain, errored, flaky, not comparable, uncovered, or too little data to tell.
    Inconclusive = 11,
    /// A baseline is required and missing, unreadable, or was changed after acceptance.
    Baseline = 12,
    /// The project file, a manifest or a case is invalid.
    InvalidProject = 13,
    /// Cases were asked for and none matched, or the project has none.
    NoCases = 14,
    /// The project is paused.
    Paused = 15,
    /// Cancelled by the user.
    Cancelled = 130,
}

impl ExitCode {
    /// Every code, in the order of its number.
    pub const ALL: [Self; 10] = [
        Self::Passed,
        Self::Internal,
        Self::Usage,
        Self::Failed,
        Self::Inconclusive,
        Self::Baseline,
        Self::InvalidProject,
        Self::NoCases,
        Self::Paused,
        Self::Cancelled,
    ];

    /// The number given to the operating system.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Where several reasons hold, the first of 13, 14, 15, 12, 10, 11 counts; without any, 0.
    ///
    /// ```
    /// use holdpoint::domain::ExitCode::{self, Failed, Inconclusive, Passed};
    ///
    /// assert_eq!(ExitCode::strongest([Inconclusive, Failed]), Failed);
    /// assert_eq!(ExitCode::strongest([]), Passed);
    /// ```
    pub fn strongest(reasons: impl IntoIterator<Item = Self>) -> Self {
        const ORDER: [ExitCode; 6] = [
            ExitCode::InvalidProject,
            ExitCode::NoCases,
            ExitCode::Paused,
            ExitCode::Baseline,
            ExitCode::Failed,
            ExitCode::Inconclusive,
        ];
        let held: Vec<Self> = reasons.into_iter().collect();
        ORDER.into_iter().find(|code| held.contains(code)).unwrap_or(Self::Passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contract_order_decides_between_several_reasons() {
        use ExitCode::{Baseline, Failed, Inconclusive, InvalidProject, NoCases, Passed, Paused};
        assert_eq!(ExitCode::strongest([]), Passed);
        assert_eq!(ExitCode::strongest([Inconclusive, Failed]), Failed);
        assert_eq!(ExitCode::strongest([Failed, Baseline]), Baseline);
        assert_eq!(ExitCode::strongest([Baseline, Paused]), Paused);
        assert_eq!(ExitCode::strongest([Paused, NoCases]), NoCases);
        assert_eq!(ExitCode::strongest([NoCases, InvalidProject]), InvalidProject);
    }
}
