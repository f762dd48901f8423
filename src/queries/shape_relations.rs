//! Relations of rounded shapes, from measured gaps.

use crate::answers::measured::Answers;
use crate::answers::results::Relation;
#[cfg(doc)]
use crate::base::error::Error;
use crate::base::error::Result;
use crate::geometry::Rounded;
use crate::kernels::backends::Backends;
use crate::kernels::cpu::exact;
use crate::kernels::measurements::Penetrations;
use crate::kernels::measurements::size_of_pair;

/// Rounded shapes that are no farther apart, nor deeper in each other, than this part of the pair's size touch. 2^-40.
const TOUCHING: f64 = 1.0 / (1u64 << 40) as f64;

impl Backends {
    /// Decides the relation of each given pair of shapes.
    pub(crate) async fn shape_relations(
        &self,
        sides: [Rounded<'_>; 2],
        pairs: &[[u32; 2]],
    ) -> Result<Answers<Relation>> {
        let found = self.figures(Penetrations, sides, pairs).await?;
        let relation = |(&[i, j], separation): (&[u32; 2], f64)| {
            let sides = [(sides[0], i as usize), (sides[1], j as usize)];
            let has_interior = sides.map(|(side, i)| side.radius(i) > 0.0 || is_polygon(side, i));
            if sides.iter().all(|&(side, i)| side.radius(i) == 0.0 && is_polygon(side, i)) {
                let [a, b] = sides.map(|(side, i)| side.cores.piece(i));
                return exact::relation(a, b);
            }
            let radii = sides.map(|(side, i)| side.radius(i));
            let size = size_of_pair(sides.map(|(side, i)| side.cores.piece_aabb(i)));
            let touching = TOUCHING * (size + radii[0] + radii[1]);
            if separation > touching {
                Relation::Disjoint
            } else if separation >= -touching || has_interior.contains(&false) {
                Relation::Touching
            } else {
                Relation::Overlapping
            }
        };
        let separations = found.figures.iter().map(|figure| figure.separation);
        let relations = pairs.iter().zip(separations).map(relation).collect();
        Ok(Answers { figures: relations, choice: found.choice, refined: found.refined, time: found.time })
    }
}

fn is_polygon(side: Rounded<'_>, piece: usize) -> bool {
    side.cores.piece_vertices(piece).len() > 2
}
