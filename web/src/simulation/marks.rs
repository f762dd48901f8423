//! Marks that can be drawn over the bodies: contacts, boxes and pairs. Each kind of mark is a list of rows of numbers. A caller
//! limits the number of rows, and learns the total number of marks.

use sat2d::sim::{BodyContact, BodyId, BodyKind, World};

/// The rows of the first marks of a list, and the number of all marks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The values of the rows. The function that returns the marks defines the length of a row.
    pub values: Vec<f32>,
    /// The number of rows that the list would have without a limit.
    pub total: usize,
}

impl Marks {
    fn of<const N: usize>(
        rows: impl Iterator<Item = sat2d::Result<[f64; N]>>,
        limit: usize,
    ) -> sat2d::Result<Self> {
        let mut marks = Self::default();
        for row in rows {
            let row = row?;
            if marks.total < limit {
                marks.values.extend(row.map(|x| x as f32));
            }
            marks.total += 1;
        }
        Ok(marks)
    }
}

/// Returns the points where bodies touch. A row has five numbers: x and y of the point, x and y of the normal from one body to
/// the other, and the impulse.
#[must_use]
pub fn contacts(contacts: &[BodyContact], limit: usize) -> Marks {
    let rows = contacts.iter().flat_map(|contact| {
        // The world also returns points of bodies that are near but do not touch.
        let touching = contact.points().iter().filter(|point| point.separation <= 0.0 || point.impulse > 0.0);
        touching.map(|point| {
            Ok([point.position.x, point.position.y, contact.normal.x, contact.normal.y, point.impulse])
        })
    });
    Marks::of(rows, limit).unwrap_or_default()
}

/// Returns the boxes around the bodies that are not static. A row has four numbers: least x, least y, greatest x, greatest y.
///
/// # Errors
/// Returns the errors of the world.
pub fn boxes(world: &mut World, ids: &[BodyId], limit: usize) -> sat2d::Result<Marks> {
    let mut moving = Vec::new();
    for &id in ids {
        if world.kind(id)? != BodyKind::Static {
            moving.push(id);
        }
    }
    let total = moving.len();
    let rows = moving.into_iter().take(limit).map(|id| {
        let aabb = world.aabb(id)?;
        Ok([aabb.min.x, aabb.min.y, aabb.max.x, aabb.max.y])
    });
    Ok(Marks { total, ..Marks::of(rows, limit)? })
}

/// Returns lines for the pairs of bodies whose boxes meet. A row has four numbers: x and y of one end, and x and y of the other
/// end. A line connects the middles of the boxes. At a static body, it ends at the nearest point of the body's box instead,
/// because this box may be as long as the scene.
///
/// # Errors
/// Returns the errors of the world.
pub fn pairs(world: &mut World, pairs: &[[BodyId; 2]], limit: usize) -> sat2d::Result<Marks> {
    let rows = pairs.iter().take(limit).map(|&[a, b]| {
        let boxes = [world.aabb(a)?, world.aabb(b)?];
        let middles = boxes.map(|aabb| 0.5 * (aabb.min + aabb.max));
        let end = |of: BodyId, k: usize| -> sat2d::Result<_> {
            let moves = world.kind(of)? != BodyKind::Static;
            Ok(if moves { middles[k] } else { middles[1 - k].clamp(boxes[k].min, boxes[k].max) })
        };
        let (from, to) = (end(a, 0)?, end(b, 1)?);
        Ok([from.x, from.y, to.x, to.y])
    });
    Ok(Marks { total: pairs.len(), ..Marks::of(rows, limit)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::sim::SimScene;

    #[test]
    fn what_is_beyond_the_limit_is_counted() {
        let scene = SimScene::Pile.describe(60, 1);
        let mut world = scene.build().unwrap();
        let ids: Vec<BodyId> = world.bodies().collect();
        world.steps(90, scene.dt).unwrap();
        let found = world.contacts().unwrap();
        let all = contacts(&found, usize::MAX);
        assert!(all.total > 60 && all.values.len() == 5 * all.total);
        assert_eq!(contacts(&found, 7), Marks { values: all.values[..35].to_vec(), total: all.total });
        // Walls have no boxes among the marks, because they are static.
        let around = boxes(&mut world, &ids, usize::MAX).unwrap();
        assert_eq!((around.total, around.values.len()), (60, 240));
        assert_eq!(
            boxes(&mut world, &ids, 3).unwrap(),
            Marks { values: around.values[..12].to_vec(), total: 60 }
        );
        let near = world.candidate_pairs().unwrap();
        let lines = pairs(&mut world, &near, usize::MAX).unwrap();
        assert!(lines.total >= 60 && lines.values.len() == 4 * lines.total);
        // No line is longer than the largest body and its neighbour together.
        assert!(lines.values.chunks(4).all(|l| (l[0] - l[2]).hypot(l[1] - l[3]) < 1.5));
        assert_eq!(pairs(&mut world, &near, 2).unwrap().values.len(), 8);
    }
}
