//! Computes the normal and the point of the contact of two moving pieces at a given time, in f64. The caller gives the
//! time and the two features in contact.

use glam::DVec2;

use super::local::{edge_of, vertex_of};
use crate::answers::impact::Impact;
use crate::answers::pair::{Motion, PairFeature, PairFeatures};
use crate::base::angles::sin_cos;
use crate::geometry::Piece;

/// Returns the normal and the contact point of two pieces at the given time. If `overlapping` is set and one feature is an
/// edge, the contact point is the vertex. Otherwise, it is halfway between the two features. Returns `None` if the two
/// features are vertices at the same point, because there is no direction from one to the other.
pub(crate) fn impact(
    (a, b): (Piece<'_>, Piece<'_>),
    [motion_a, motion_b]: [&Motion; 2],
    features: PairFeatures,
    time: f64,
    overlapping: bool,
) -> Option<Impact> {
    let origin = a.pose.apply(a.vertices[0]);
    // The vectors are in the frame that moves with A's centre.
    let way = (motion_b.linear - motion_a.linear) * time;
    let turn = |motion: &Motion| Turn::new(motion.angular * time);
    let on_a = |k: u32| turn(motion_a).place(vertex_of(a, k as usize, origin), motion_a.centre - origin);
    let on_b =
        |k: u32| turn(motion_b).place(vertex_of(b, k as usize, origin), motion_b.centre - origin) + way;
    let outward = |edge: DVec2| DVec2::new(edge.y, -edge.x).normalize();
    let (normal, point) = match (features.a, features.b) {
        (PairFeature::Edge(k), PairFeature::Vertex(j)) => {
            let normal = outward(turn(motion_a).of(edge_of(a, k as usize)));
            let vertex = on_b(j);
            let gap = normal.dot(vertex - on_a(k));
            (normal, if overlapping { vertex } else { vertex - normal * (0.5 * gap) })
        }
        (PairFeature::Vertex(k), PairFeature::Edge(j)) => {
            let normal = -outward(turn(motion_b).of(edge_of(b, j as usize)));
            let vertex = on_a(k);
            let gap = normal.dot(on_b(j) - vertex);
            (normal, if overlapping { vertex } else { vertex + normal * (0.5 * gap) })
        }
        (PairFeature::Vertex(k) | PairFeature::Edge(k), PairFeature::Vertex(j) | PairFeature::Edge(j)) => {
            let (p, q) = (on_a(k), on_b(j));
            ((q - p).try_normalize()?, (p + q) * 0.5)
        }
    };
    Some(Impact { normal, point: origin + point + motion_a.linear * time })
}

#[derive(Clone, Copy)]
struct Turn {
    sin: f64,
    versine: f64,
}

impl Turn {
    fn new(angle: f64) -> Self {
        let half = sin_cos(angle * 0.5).0;
        Self { sin: sin_cos(angle).0, versine: 2.0 * half * half }
    }

    fn of(self, v: DVec2) -> DVec2 {
        v + v.perp() * self.sin - v * self.versine
    }

    fn place(self, v: DVec2, centre: DVec2) -> DVec2 {
        if self.sin == 0.0 && self.versine == 0.0 {
            return v;
        }
        let arm = v - centre;
        v + arm.perp() * self.sin - arm * self.versine
    }
}
