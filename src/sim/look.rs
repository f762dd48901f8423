//! Reads the state of a world: the poses of all bodies, the bodies near a point, the mean position, and the box of a
//! body.

use glam::DVec2;

use super::bodies::DYNAMIC;
use super::{BodyId, World};
use crate::Aabb;
use crate::base::error::Result;

impl World {
    /// Writes the poses of all bodies to `poses`, for renderers. The element at [`BodyId::index`] consists of four
    /// numbers: x and y of the centre of mass relative to `origin`, and the cosine and the sine of the rotation. For a
    /// removed body, all four numbers are 0. The previous contents of `poses` are discarded.
    ///
    /// The vertices of a shape are relative to the origin of the shape. To get the position of a vertex relative to the
    /// centre of mass, subtract [`super::MassProperties::centre`].
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, fails in the same cases as [`World::contacts`].
    pub fn poses(&mut self, origin: impl Into<DVec2>, poses: &mut Vec<[f32; 4]>) -> Result<()> {
        self.sync()?;
        let origin = origin.into();
        poses.clear();
        poses.extend(self.bodies.rows().map(|row| {
            let Some(row) = row else { return [0.0; 4] };
            let state = &self.bodies.states[row];
            let at = state.centre(&self.grid) - origin;
            [at.x as f32, at.y as f32, state.rotation[0], state.rotation[1]]
        }));
        Ok(())
    }

    /// Returns the mean of the centres of mass of the dynamic bodies. If there are no dynamic bodies, returns the
    /// origin of the world.
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, fails in the same cases as [`World::contacts`].
    pub fn mean_position(&mut self) -> Result<DVec2> {
        self.sync()?;
        let (mut sum, mut count) = (DVec2::ZERO, 0.0);
        for (state, _) in self.bodies.states.iter().zip(&self.bodies.traits).filter(|(_, t)| t.has(DYNAMIC)) {
            sum += state.centre(&self.grid) - self.grid.origin;
            count += 1.0;
        }
        Ok(sum / f64::max(count, 1.0) + self.grid.origin)
    }

    /// Returns the bounding box of a body at its current pose.
    ///
    /// # Errors
    /// Returns [`crate::Error::UnknownBody`] if the body is not in the world. On a device, may also fail as
    /// [`World::contacts`] does.
    pub fn aabb(&mut self, body: BodyId) -> Result<Aabb> {
        let pose = self.pose(body)?;
        Ok(self.shape(body)?.aabb(&pose))
    }

    /// Returns the bodies whose distance from the given point is at most `distance`, nearest first, with their
    /// distances. If a body contains the point, its distance is 0.
    ///
    /// # Errors
    /// Does not fail on the CPU. On a device, fails in the same cases as [`World::contacts`].
    pub fn bodies_near(&mut self, point: impl Into<DVec2>, distance: f64) -> Result<Vec<(BodyId, f64)>> {
        self.sync()?;
        let point = point.into();
        let mut found = Vec::new();
        for body in self.bodies.ids() {
            let row = self.bodies.row(body)?;
            let (state, traits) = (&self.bodies.states[row], &self.bodies.traits[row]);
            if state.centre(&self.grid).distance(point) > f64::from(traits.extent) + distance {
                continue;
            }
            let (pose, shape) = (self.pose_of(row)?, self.shape(body)?);
            let arm = point - pose.translation();
            let local =
                DVec2::new(pose.cos() * arm.x + pose.sin() * arm.y, pose.cos() * arm.y - pose.sin() * arm.x);
            let away = shape.distance_to(local);
            if away <= distance {
                found.push((body, away));
            }
        }
        crate::base::sorting::sort_by(&mut found, |(_, a), (_, b)| a.total_cmp(b));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{BodyOptions, MassProperties, WorldOptions};
    use crate::{ConvexPolygon, RoundedShape};

    /// Returns a world far from the origin, a triangle in this world, and the position of the triangle. The triangle is
    /// rotated by a quarter turn about its corner, which is the origin of its shape. The world also has a static
    /// circle. Another circle was removed.
    fn world() -> (World, BodyId, DVec2) {
        let far = DVec2::new(1e6, -2e6);
        let mut world = World::new(WorldOptions { origin: far, ..WorldOptions::default() }).unwrap();
        let triangle = ConvexPolygon::new(&[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0]]).unwrap();
        let triangle = world.add_shape(&RoundedShape::polygon(&triangle, 0.0).unwrap()).unwrap();
        let circle = world.add_shape(&RoundedShape::circle([0.0, 0.0], 1.0).unwrap()).unwrap();
        let gone = world.add(&BodyOptions::dynamic(circle, far)).unwrap();
        let angle = std::f64::consts::FRAC_PI_2;
        let body = world.add(&BodyOptions { angle, ..BodyOptions::dynamic(triangle, far) }).unwrap();
        world.add(&BodyOptions::fixed(circle, far + DVec2::new(0.0, 10.0))).unwrap();
        world.remove(gone).unwrap();
        (world, body, far)
    }

    #[test]
    fn poses_are_those_of_centres_of_mass_as_seen_from_the_origin() {
        let (mut world, body, far) = world();
        let mut poses = vec![[7.0; 4]];
        world.poses(far, &mut poses).unwrap();
        assert_eq!((poses.len(), poses[0]), (3, [0.0; 4]));
        let [x, y, cos, sin] = poses[body.index()];
        assert!((x + 1.0).abs() < 1e-5 && (y - 1.0).abs() < 1e-5, "{x} {y}");
        assert!(cos.abs() < 1e-6 && (sin - 1.0).abs() < 1e-6);
        // The position of the shape's origin is the centre of mass minus the rotated centre of the shape.
        let centre = MassProperties::of(world.shape(body).unwrap()).centre.as_vec2();
        assert!((x + sin * centre.y).abs() < 1e-5 && (y - sin * centre.x).abs() < 1e-5);
    }

    #[test]
    fn the_mean_is_that_of_dynamic_bodies() {
        let (mut world, _, far) = world();
        assert!((world.mean_position().unwrap() - far).distance(DVec2::new(-1.0, 1.0)) < 1e-5);
        assert_eq!(world.mean_position().unwrap(), world.statistics().unwrap().mean_position);
    }

    #[test]
    fn bodies_are_found_where_they_are_and_near_there() {
        let (mut world, body, far) = world();
        let mut at = |x: f64, y: f64, distance| world.bodies_near(far + DVec2::new(x, y), distance).unwrap();
        assert_eq!(at(-0.5, 0.5, 0.0), [(body, 0.0)]);
        // Without its rotation, the triangle would contain this point.
        assert_eq!(at(0.5, 0.5, 0.4), []);
        let [(found, away)] = at(0.5, 0.5, 0.6)[..] else { panic!("one") };
        assert!(found == body && (away - 0.5).abs() < 1e-6);
        let both = at(0.0, 4.0, 10.0);
        assert_eq!(both.len(), 2);
        assert!(both[0].0 == body && (both[0].1 - 1.0).abs() < 1e-6 && (both[1].1 - 5.0).abs() < 1e-6);
    }

    #[test]
    fn the_box_of_a_body_is_where_it_stands() {
        let (mut world, body, far) = world();
        let aabb = world.aabb(body).unwrap();
        assert!((aabb.min - far).distance(DVec2::new(-3.0, 0.0)) < 1e-5, "{aabb:?}");
        assert!((aabb.max - far).distance(DVec2::new(0.0, 3.0)) < 1e-5, "{aabb:?}");
    }
}
