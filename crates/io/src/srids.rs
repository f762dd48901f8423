//! The reference systems that single geometries state by an SRID, which is the number of a system in PostGIS.

use std::collections::BTreeMap;

use crate::crs::usual_srid;

/// The SRIDs of consecutive features.
#[derive(Clone, Debug, Default)]
pub(crate) struct Srids {
    pub(crate) first: Option<Stated>,
    /// The first SRID that states another system than `first`.
    pub(crate) other: Option<Stated>,
    /// The number of features that state each SRID.
    pub(crate) counts: BTreeMap<u32, usize>,
}

/// An SRID, and the index of the feature that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) srid: u32,
    pub(crate) feature: usize,
}

impl Srids {
    /// Adds the SRID of the next feature that states one.
    #[inline]
    pub(crate) fn add(&mut self, stated: Stated) {
        *self.counts.entry(stated.srid).or_default() += 1;
        self.keep(stated);
    }

    #[inline]
    fn keep(&mut self, stated: Stated) {
        match self.first {
            None => self.first = Some(stated),
            Some(first) if first.srid == stated.srid || self.other.is_some() => {}
            Some(first) => {
                self.other = Some(stated).filter(|_| usual_srid(first.srid) != usual_srid(stated.srid));
            }
        }
    }

    /// Adds the SRIDs of a part, whose first feature has the index `first`.
    pub(crate) fn append(&mut self, part: Self, first: usize) {
        for stated in [part.first, part.other].into_iter().flatten() {
            self.keep(Stated { feature: first + stated.feature, ..stated });
        }
        self.count(part.counts);
    }

    /// Adds the numbers of features of another part.
    pub(crate) fn count(&mut self, counts: BTreeMap<u32, usize>) {
        for (srid, count) in counts {
            *self.counts.entry(srid).or_default() += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_another_system_is_kept() {
        let of = |srids: &[u32]| {
            let mut all = Srids::default();
            for (feature, &srid) in srids.iter().enumerate() {
                all.add(Stated { srid, feature });
            }
            all
        };
        let other = |srids: &Srids| srids.other.map(|stated| (stated.srid, stated.feature));
        assert_eq!(other(&of(&[3857, 900_913, 102_100, 3857])), None);
        assert_eq!(other(&of(&[2056, 2056, 4326, 25832])), Some((4326, 2)));
        let mut all = of(&[2056, 2056]);
        all.append(Srids::default(), 2);
        all.append(of(&[2056, 21781]), 5);
        assert_eq!(other(&all), Some((21781, 6)));
        all.append(of(&[4326]), 7);
        assert_eq!((all.first.map(|stated| stated.feature), other(&all)), (Some(0), Some((21781, 6))));
        assert_eq!(all.counts, [(2056, 3), (4326, 1), (21781, 1)].into());
    }
}
