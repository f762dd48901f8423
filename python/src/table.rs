//! Converts the result of a join to NumPy columns.

use numpy::{Element, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sat2d::glam::DVec2;
use sat2d::{Distance, Manifold, MeasuredPair, Penetration};

use crate::areas;
use crate::join::Joined;

/// A Python dictionary that collects the columns of a table.
struct Table<'py>(Bound<'py, PyDict>);

impl Table<'_> {
    fn add<T: Element>(&self, name: &str, values: impl Iterator<Item = T>) -> PyResult<()> {
        self.0.set_item(name, values.collect::<Vec<T>>().into_pyarray(self.0.py()))
    }
}

impl Joined {
    /// Returns the columns, the backend, and the reason for the backend.
    pub(crate) fn into_table(self, py: Python<'_>) -> PyResult<(Bound<'_, PyDict>, String, String)> {
        let joined = self.into_rows();
        let table = Table(PyDict::new(py));
        for (side, name) in ["left", "right"].into_iter().enumerate() {
            table.add(name, joined.pairs.iter().map(|pair| i64::from(pair[side])))?;
        }
        table.add("relation", joined.related.codes().into_iter())?;
        if let Some(distances) = joined.distances.as_ref().filter(|_| joined.measure.distance) {
            add_distances(&table, distances)?;
        }
        if let Some(penetrations) = &joined.penetrations {
            add_penetrations(&table, penetrations)?;
        }
        if let Some(manifolds) = joined.manifolds.as_ref().filter(|_| joined.measure.manifold) {
            add_manifolds(&table, manifolds)?;
        }
        if let Some(overlaps) = &joined.overlaps {
            let is_there = joined.measure.areas.columns;
            for (k, name) in areas::MEASURES.into_iter().enumerate().filter(|&(k, _)| is_there[k]) {
                table.add(name, overlaps.iter().map(|overlap| areas::numbers(overlap)[k]))?;
            }
        }
        Ok((table.0, joined.choice.backend.name().to_owned(), joined.choice.reason))
    }
}

fn add_distances(table: &Table<'_>, distances: &[MeasuredPair<Distance>]) -> PyResult<()> {
    let closest = |side: usize| {
        let point = move |found: &MeasuredPair<Distance>| {
            let closest = found.measurement.closest.as_ref();
            closest.map_or(DVec2::NAN, |closest| [closest.point_a, closest.point_b][side])
        };
        distances.iter().map(point)
    };
    table.add("distance", distances.iter().map(|found| found.measurement.distance))?;
    for (side, [x, y]) in [["left_x", "left_y"], ["right_x", "right_y"]].into_iter().enumerate() {
        table.add(x, closest(side).map(|point| point.x))?;
        table.add(y, closest(side).map(|point| point.y))?;
    }
    Ok(())
}

fn add_penetrations(table: &Table<'_>, penetrations: &[Option<MeasuredPair<Penetration>>]) -> PyResult<()> {
    let add = |name, number: fn(&Penetration) -> f64| {
        table.add(
            name,
            penetrations
                .iter()
                .map(|found| found.as_ref().map_or(f64::NAN, |found| number(&found.measurement))),
        )
    };
    add("depth", Penetration::depth)?;
    add("normal_x", |found| found.normal.x)?;
    add("normal_y", |found| found.normal.y)
}

fn add_manifolds(table: &Table<'_>, manifolds: &[Option<MeasuredPair<Manifold>>]) -> PyResult<()> {
    let add = |name: &str, number: &dyn Fn(&Manifold) -> Option<f64>| {
        let number = |found: &MeasuredPair<Manifold>| number(&found.measurement);
        table.add(name, manifolds.iter().map(|found| found.as_ref().and_then(number).unwrap_or(f64::NAN)))
    };
    let count = |found: &Option<MeasuredPair<Manifold>>| {
        found.as_ref().map_or(0, |found| found.measurement.points().len() as u8)
    };
    table.add("contacts", manifolds.iter().map(count))?;
    add("contact_normal_x", &|found| Some(found.normal.x))?;
    add("contact_normal_y", &|found| Some(found.normal.y))?;
    for k in 0..2 {
        let name = |what: &str| format!("contact{}_{what}", k + 1);
        add(&name("x"), &|found| Some(found.points().get(k)?.position.x))?;
        add(&name("y"), &|found| Some(found.points().get(k)?.position.y))?;
        add(&name("separation"), &|found| Some(found.points().get(k)?.separation))?;
    }
    Ok(())
}
