//! The lines of a text on which its features begin.

/// The line of each feature, from 1. Features on consecutive lines share one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The first feature of each run of features on consecutive lines, and the line of this feature.
    runs: Vec<(usize, usize)>,
}

impl Lines {
    /// Adds the line of a feature. The feature must follow all features that were added before.
    pub(crate) fn push(&mut self, feature: usize, line: usize) {
        if self.of(feature) != Some(line) {
            self.runs.push((feature, line));
        }
    }

    /// Adds the lines of a part of the features. The first of these features has the index `first`.
    pub(crate) fn append(&mut self, part: Self, first: usize) {
        for (feature, line) in part.runs {
            self.push(first + feature, line);
        }
    }

    /// Returns the line of a feature. Returns `None` if the format of the file is not read line by line.
    pub(crate) fn of(&self, feature: usize) -> Option<usize> {
        let run = self.runs.partition_point(|&(first, _)| first <= feature).checked_sub(1)?;
        let (first, line) = self.runs[run];
        Some(line + (feature - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_feature_has_its_line() {
        let lines = [1, 2, 3, 7, 8, 20];
        for split in 0..lines.len() {
            let [mut all, mut part] = [Lines::default(), Lines::default()];
            for (feature, &line) in lines.iter().enumerate() {
                if feature < split { all.push(feature, line) } else { part.push(feature - split, line) }
            }
            all.append(part, split);
            assert_eq!(lines.map(Some).to_vec(), (0..6).map(|k| all.of(k)).collect::<Vec<_>>());
            assert_eq!(all.runs.len(), 3);
        }
        assert_eq!(Lines::default().of(0), None);
    }
}
