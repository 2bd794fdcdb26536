//! The matrix of `holdpoint case list`: parts down, risks across, and in each cell how many cases there are, how they last
//! ended, or that there is none.

use anstyle::Style;

use crate::domain::{CaseStatus, Risk};
use crate::selection::{CaseTally, RiskMatrix};

use super::console::{BAD, FAINT, GOOD, STRONG, WARN, paint};

/// What a person should look at first stands first. What never ran is of more note than a pass, and of less than all else.
const MARKS: [(CaseStatus, char, &str); 4] = [
    (CaseStatus::Failed, '!', "failed"),
    (CaseStatus::Errored, 'E', "errored"),
    (CaseStatus::Uncertain, '?', "uncertain"),
    (CaseStatus::Flaky, '~', "flaky"),
];
const NEVER_RAN: char = '-';
const GAP: &str = "gap";
/// What stands between two columns.
const BETWEEN: usize = 2;

/// The lines of the matrix. `columns` is what a terminal has; nothing where it is none.
pub(super) fn lines(matrix: &RiskMatrix, columns: Option<usize>) -> Vec<String> {
    Table::of(matrix).lines(columns.unwrap_or(usize::MAX))
}

/// A text as it is shown, and how.
struct Shown {
    text: String,
    style: Style,
}

/// A line of the table: a heading for the parts that follow, or a part.
struct Row {
    label: Shown,
    /// One for each column, empty where there is nothing to say; none of a heading.
    cells: Vec<Shown>,
}

struct Table {
    risks: Vec<Risk>,
    rows: Vec<Row>,
}

impl Table {
    fn of(matrix: &RiskMatrix) -> Self {
        let digits = |risk: &Risk| {
            let cells = matrix.rows.iter().filter_map(|row| row.cells.get(risk)).chain(matrix.every_case.get(risk));
            cells.map(|cell| cell.cases.to_string().len()).max().unwrap_or(1)
        };
        let digits: Vec<usize> = matrix.risks.iter().map(digits).collect();
        let shown = |cells: &std::collections::BTreeMap<Risk, CaseTally>| -> Vec<Shown> {
            let columns = matrix.risks.iter().zip(&digits);
            columns
                .map(|(risk, digits)| cells.get(risk).map_or_else(Shown::nothing, |cell| text(cell, *digits)))
                .collect()
        };
        let mut rows = Vec::new();
        let mut kind = None;
        for row in &matrix.rows {
            if kind.replace(row.kind) != Some(row.kind) {
                rows.push(Row { label: Shown::new(row.kind.to_string(), FAINT), cells: Vec::new() });
            }
            let label = Shown::new(format!("  {}", row.part), Style::new());
            rows.push(Row { label, cells: shown(&row.cells) });
        }
        let label = Shown::new("every case".to_owned(), STRONG);
        rows.push(Row { label, cells: shown(&matrix.every_case) });
        Self { risks: matrix.risks.clone(), rows }
    }

    /// With the risks' names above their columns where there is room for that; else each on a line that leads to its column;
    /// and where even the cells are too wide, one table below the other.
    fn lines(&self, limit: usize) -> Vec<String> {
        let label = self.label_width(false);
        let above: Vec<usize> =
            (0..self.risks.len()).map(|column| self.width(column).max(self.name_width(column))).collect();
        if label + total(&above) <= limit {
            let mut lines = self.names_above(label, &above);
            lines.extend(self.body(0, label, &above));
            return lines;
        }
        let label = self.label_width(true);
        let cells: Vec<usize> = (0..self.risks.len()).map(|column| self.width(column)).collect();
        let mut lines = Vec::new();
        for (first, last) in blocks(&cells, limit.saturating_sub(label)) {
            if first > 0 {
                lines.push(String::new());
            }
            lines.extend(self.names_leading(first, label, &cells[first..last]));
            lines.extend(self.body(first, label, &cells[first..last]));
        }
        lines
    }

    /// The width of the first column, with the risks' names in it or without.
    fn label_width(&self, with_names: bool) -> usize {
        let rows = self.rows.iter().map(|row| row.label.width());
        let names = self.risks.iter().filter(|_| with_names).map(|risk| risk.as_str().chars().count());
        rows.chain(names).max().unwrap_or_default()
    }

    /// The width of a column's cells.
    fn width(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.cells.get(column)).map(Shown::width).max().unwrap_or_default().max(1)
    }

    fn name_width(&self, column: usize) -> usize {
        pieces(&self.risks[column]).iter().map(|piece| piece.chars().count()).max().unwrap_or_default()
    }

    fn names_above(&self, label: usize, widths: &[usize]) -> Vec<String> {
        let names: Vec<Vec<String>> = self.risks.iter().map(pieces).collect();
        let height = names.iter().map(Vec::len).max().unwrap_or_default();
        let line = |from_top: usize| {
            let mut line = " ".repeat(label);
            for (name, width) in names.iter().zip(widths) {
                // The last word of each stands in the last line.
                let piece = (from_top + name.len()).checked_sub(height).and_then(|index| name.get(index));
                line.push_str(&" ".repeat(BETWEEN));
                line.push_str(&format!("{:<width$}", piece.map_or("", String::as_str)));
            }
            paint(STRONG, line.trim_end())
        };
        (0..height).map(line).collect()
    }

    fn names_leading(&self, first: usize, label: usize, widths: &[usize]) -> Vec<String> {
        let begins =
            |column: usize| label + widths[..column].iter().map(|width| width + BETWEEN).sum::<usize>() + BETWEEN;
        // The last one on top: each line then reaches its column without crossing another's.
        let line = |column: usize| {
            let name = self.risks[first + column].as_str();
            let mut lead = "─".repeat(begins(column) - label - 1) + "╮";
            for next in column + 1..widths.len() {
                lead.push_str(&" ".repeat(begins(next) - begins(next - 1) - 1));
                lead.push('│');
            }
            format!("{}{} {}", paint(STRONG, name), " ".repeat(label - name.chars().count()), paint(FAINT, lead))
        };
        (0..widths.len()).rev().map(line).collect()
    }

    fn body(&self, first: usize, label: usize, widths: &[usize]) -> Vec<String> {
        let line = |row: &Row| {
            let mut line = row.label.padded(label);
            for (cell, width) in row.cells.iter().skip(first).zip(widths) {
                line.push_str(&" ".repeat(BETWEEN));
                line.push_str(&cell.padded(*width));
            }
            line.trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }
}

impl Shown {
    fn new(text: String, style: Style) -> Self {
        Self { text, style }
    }

    fn nothing() -> Self {
        Self::new(String::new(), Style::new())
    }

    fn width(&self) -> usize {
        self.text.chars().count()
    }

    fn padded(&self, width: usize) -> String {
        let rest = " ".repeat(width.saturating_sub(self.width()));
        if self.text.is_empty() { rest } else { paint(self.style, &self.text) + &rest }
    }
}

/// A name in the pieces in which it stands above a column; together they are the name.
fn pieces(risk: &Risk) -> Vec<String> {
    risk.as_str().split_inclusive('_').map(str::to_owned).collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().map(|width| width + BETWEEN).sum()
}

/// The columns in as few blocks as fit, each of about as many.
fn blocks(widths: &[usize], room: usize) -> Vec<(usize, usize)> {
    let fits = |count: &usize| {
        let per_block = widths.len().div_ceil(*count).max(1);
        widths.chunks(per_block).all(|block| total(block) <= room)
    };
    let count = (1..=widths.len()).find(fits).unwrap_or(widths.len()).max(1);
    let per_block = widths.len().div_ceil(count).max(1);
    (0..widths.len()).step_by(per_block).map(|first| (first, (first + per_block).min(widths.len()))).collect()
}

/// `12`, `12 1!`, `12!` where all of them are, `gap`.
fn text(cell: &CaseTally, digits: usize) -> Shown {
    if cell.is_gap() {
        return Shown::new(GAP.to_owned(), WARN);
    }
    let of_status = MARKS.iter().filter_map(|(status, mark, _)| Some((*cell.last.get(status)?, *mark)));
    let never = Some((cell.never_ran(), NEVER_RAN)).filter(|(cases, _)| *cases > 0);
    let cases = cell.cases;
    match of_status.chain(never).next() {
        None => Shown::new(format!("{cases:>digits$}"), GOOD),
        Some((worst, mark)) => {
            let style = match mark {
                '!' | 'E' => BAD,
                NEVER_RAN => FAINT,
                _ => WARN,
            };
            let text = if worst == cases {
                format!("{cases:>digits$}{mark}")
            } else {
                format!("{cases:>digits$} {worst}{mark}")
            };
            Shown::new(text, style)
        }
    }
}

/// What stands in the table, explained; nothing that is not there.
pub(super) fn legend(matrix: &RiskMatrix) -> Vec<String> {
    let cells: Vec<&CaseTally> =
        matrix.rows.iter().flat_map(|row| row.cells.values()).chain(matrix.every_case.values()).collect();
    if cells.is_empty() {
        return Vec::new();
    }
    let marks = MARKS.iter().filter(|(status, ..)| cells.iter().any(|cell| cell.last.contains_key(status)));
    let mut marks: Vec<String> = marks.map(|(_, mark, word)| format!("{mark} {word}")).collect();
    if cells.iter().any(|cell| cell.never_ran() > 0) {
        marks.push(format!("{NEVER_RAN} never ran"));
    }
    let counted = match marks.is_empty() {
        true => {
            "N    cases that a change of the part would run for the risk; all passed when they last ran here".to_owned()
        }
        false => format!(
            "N    cases that a change of the part would run for the risk; behind it the worst of how they last ended \
             here: {}",
            marks.join(", ")
        ),
    };
    // Where every cell is a gap, no number stands there that could be explained.
    let mut lines: Vec<String> = cells.iter().any(|cell| !cell.is_gap()).then_some(counted).into_iter().collect();
    if cells.iter().any(|cell| cell.is_gap()) {
        lines.push("gap  a change of the part puts the risk at stake, and no case shows it".to_owned());
    }
    lines.push("Blank: no rule puts the risk at stake with the part. Code puts all at stake.".to_owned());
    lines.into_iter().map(|line| paint(FAINT, line)).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::manifest::PartKind;
    use crate::selection::MatrixRow;

    fn cell(cases: usize, last: &[(CaseStatus, usize)]) -> CaseTally {
        CaseTally { cases, last: last.iter().copied().collect() }
    }

    fn passed(cases: usize) -> CaseTally {
        cell(cases, &[(CaseStatus::Passed, cases)])
    }

    fn matrix() -> RiskMatrix {
        let cells = |cells: &[(&str, CaseTally)]| -> BTreeMap<Risk, CaseTally> {
            cells.iter().map(|(risk, cell)| (Risk::from(*risk), cell.clone())).collect()
        };
        let of_note = [(CaseStatus::Passed, 1), (CaseStatus::Failed, 1), (CaseStatus::Uncertain, 1)];
        let answers = [("policy_accuracy", passed(12)), ("duplicate", cell(3, &of_note))];
        let orders = [("duplicate", cell(0, &[])), ("uncertain_outcome", cell(4, &[]))];
        let row =
            |part: &str, kind, found: &[(&str, CaseTally)]| MatrixRow { part: part.into(), kind, cells: cells(found) };
        RiskMatrix {
            risks: ["policy_accuracy", "duplicate", "uncertain_outcome"].map(Risk::from).to_vec(),
            rows: vec![
                row("answers", PartKind::Prompt, &answers),
                row("more-answers", PartKind::Prompt, &answers[..1]),
                row("orders", PartKind::Connector, &orders),
            ],
            every_case: cells(&[("policy_accuracy", passed(13)), ("duplicate", cell(3, &[(CaseStatus::Errored, 3)]))]),
        }
    }

    fn plain(columns: Option<usize>) -> String {
        anstream::adapter::strip_str(&lines(&matrix(), columns).join("\n")).to_string()
    }

    #[test]
    fn a_cell_says_how_many_there_are_and_the_worst_of_how_they_ended() {
        let shown = |cell: &CaseTally| text(cell, 2).text;
        assert_eq!(shown(&passed(12)), "12");
        let worst = [(CaseStatus::Failed, 1), (CaseStatus::Errored, 4), (CaseStatus::Passed, 7)];
        assert_eq!(shown(&cell(12, &worst)), "12 1!");
        assert_eq!(shown(&cell(4, &[(CaseStatus::Flaky, 4)])), " 4~");
        assert_eq!(shown(&cell(4, &[(CaseStatus::Passed, 3)])), " 4 1-", "one never ran");
        assert_eq!(shown(&cell(4, &[(CaseStatus::Uncertain, 1)])), " 4 1?", "of more note than those that never ran");
        assert_eq!(shown(&cell(0, &[])), "gap");
    }

    const WIDE: &str = "\
\u{20}               policy_              uncertain_
                accuracy  duplicate  outcome
prompt
  answers       12        3 1!
  more-answers  12
connector
  orders                  gap        4-
every case      13        3E
";

    #[test]
    fn names_stand_above_their_columns_where_there_is_room() {
        assert!(plain(None).starts_with(WIDE.trim_end()), "{}", plain(None));
        let columns = WIDE.lines().map(|line| line.chars().count()).max();
        assert!(plain(columns).starts_with(WIDE.trim_end()), "{}", plain(columns));
        assert!(!plain(columns.map(|columns| columns - 1)).starts_with(WIDE.trim_end()));
    }

    #[test]
    fn where_there_is_no_room_each_name_leads_to_its_column() {
        let expected = "\
uncertain_outcome ──────────────╮
duplicate         ──────╮       │
policy_accuracy   ──╮   │       │
";
        let shown = plain(Some(40));
        assert!(shown.starts_with("uncertain_outcome "), "{shown}\n{expected}");
        let lines: Vec<Vec<char>> = shown.lines().map(|line| line.chars().collect()).collect();
        for (line, cell) in [(0, "4-"), (1, "3 1!"), (2, "12")] {
            let lead = lines[line].iter().position(|character| *character == '╮').unwrap();
            let begins = |row: &Vec<char>| row[lead..].iter().collect::<String>().starts_with(cell);
            assert!(lines[3..].iter().filter(|row| row.len() > lead).any(begins), "{cell} in\n{shown}");
        }
    }

    #[test]
    fn what_is_wider_still_stands_in_tables_one_below_the_other_that_lose_nothing() {
        let shown = plain(Some(30));
        let table: Vec<&str> = shown.lines().collect();
        assert!(table.iter().all(|line| line.chars().count() <= 30), "{shown}");
        assert_eq!(table.iter().filter(|line| line.starts_with("every case")).count(), 2, "{shown}");
        for found in ["12", "3 1!", "gap", "4-", "3E"] {
            assert!(table.iter().any(|line| line.split("  ").any(|cell| cell.trim() == found)), "{found} in {shown}");
        }
    }

    #[test]
    fn the_legend_explains_what_stands_there_alone() {
        let mut matrix = matrix();
        matrix.rows.truncate(2);
        matrix.rows[0].cells.remove(&Risk::from("duplicate"));
        matrix.every_case = BTreeMap::from([("policy_accuracy".into(), passed(13))]);
        let said = anstream::adapter::strip_str(&legend(&matrix).join("\n")).to_string();
        assert!(said.contains("all passed when they last ran here"), "{said}");
        assert!(!said.contains("gap") && !said.contains('!'), "{said}");
    }

    #[test]
    fn where_no_case_is_nothing_is_said_of_how_cases_ended() {
        let mut matrix = matrix();
        matrix.every_case.clear();
        matrix.rows.drain(..2);
        matrix.rows[0].cells.remove(&Risk::from("uncertain_outcome"));
        let said = anstream::adapter::strip_str(&legend(&matrix).join("\n")).to_string();
        assert!(said.contains("gap") && !said.contains("passed"), "{said}");
        matrix.rows.clear();
        assert!(legend(&matrix).is_empty(), "an empty matrix has nothing to explain");
    }
}
