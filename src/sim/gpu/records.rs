//! The records and constants that a world passes to its device. `shaders/sim/layout.wgsl` has the same definitions
//! under the same names.

use bytemuck::{Pod, Zeroable};

use super::super::bodies::{DISC, DYNAMIC, ELSEWHERE, FAST, MOST_ANCHOR, MOVES, PRESENT};
use super::super::cpu::{
    DEEPER, DEEPEST, FIRST_FIXED, GENTLE, GRAZE, LEVEL, MOST_ITERATIONS, NEAR, OVER_RELAXATION, PART,
    SINKING, TURNING,
};
use super::super::pushes::MOST_EXTENTS;
use super::super::seams::{
    AT_END, FLAT, HEADER, LANDING, LEAST_COSINE, MOST_DEPTH, NEARLY_ALONG, NEIGHBOUR, SAME_DIRECTION,
    SAME_NORMAL, SEAM_WIDTH,
};
use crate::packed::layout;

/// A shape of a world. Its vertices are stored in blocks, relative to its centre of mass, in quanta. A quantum is the
/// spacing of the world's grid.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ShapeRecord {
    pub(crate) first_block: u32,
    pub(crate) vertex_count: u32,
    /// The radius of the rounding of the shape, in the caller's unit.
    pub(crate) radius: f32,
    pub(crate) padding: u32,
}

/// The parameters of steps.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct StepParams {
    pub(crate) gravity: [f32; 2],
    pub(crate) dt: f32,
    /// The duration of a sub-step.
    pub(crate) h: f32,
    pub(crate) inverse_h: f32,
    pub(crate) push_out_speed: f32,
    pub(crate) restitution_threshold: f32,
    /// The margin for contacts of a body at rest, in the caller's unit.
    pub(crate) margin: f32,
    pub(crate) quantum: f32,
    pub(crate) per_quantum: f32,
    pub(crate) body_count: u32,
    /// The number of buckets of the grid's hash table, minus 1. The number of buckets is a power of two.
    pub(crate) bucket_mask: u32,
    pub(crate) pair_capacity: u32,
    pub(crate) contact_capacity: u32,
    /// The time for which the search for contacts looks ahead: a step and a fraction of a step.
    pub(crate) bounce_reach: f32,
    /// The factor from `half_kick` to the mean velocity that gravity adds over the time `bounce_reach`.
    pub(crate) pull: f32,
    /// The overlap that the push solver leaves between two bodies, in the caller's unit.
    pub(crate) slop: f32,
    /// The room that the box of a fast body has beside its path is this distance, plus `aside_share` times the path.
    pub(crate) aside: f32,
    /// Half of the velocity that gravity adds in a sub-step.
    pub(crate) half_kick: [f32; 2],
    /// The displacement that gravity gives a body at rest in the time `bounce_reach`.
    pub(crate) fall: [f32; 2],
    pub(crate) aside_share: f32,
    /// The overlap beyond which a contact of the rigid solver without a load is deep, in the caller's unit.
    pub(crate) deep: f32,
    /// For each of two kinds of contacts, the bias and the compliance of its springs (see `src/sim/cpu/rigid`). The
    /// first entry is for contacts between two bodies that contacts move. The second entry is for contacts with a body
    /// that contacts do not move.
    pub(crate) softness: [[f32; 4]; 2],
}

/// The data of a body that changes while the solver runs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct MovingBody {
    pub(crate) velocity: [f32; 2],
    pub(crate) angular_velocity: f32,
    /// For a disc, the duration of the step. For other bodies, 0. Contact points do not rotate with a disc, so a disc
    /// rotates at the end of the step.
    pub(crate) turning_time: f32,
    /// The displacement of the centre of mass since the step began, in the caller's unit.
    pub(crate) displacement: [f32; 2],
    /// The cosine and the sine of the body's rotation since the step began.
    pub(crate) turn: [f32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct TouchPointRecord {
    /// The vector from the centre of mass of body a to the contact point.
    pub(crate) arm_a: [f32; 2],
    /// The vector from the centre of mass of body b to the contact point.
    pub(crate) arm_b: [f32; 2],
    pub(crate) separation: f32,
    /// A number that identifies the same contact point in consecutive steps.
    pub(crate) feature: u32,
}

/// A contact of two bodies that are near each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct TouchRecord {
    /// The rows of the two bodies, a and b. The row of a is less than the row of b.
    pub(crate) bodies: [u32; 2],
    /// The unit normal of the contact, from body a to body b.
    pub(crate) normal: [f32; 2],
    /// The least gap between the two bodies. It is negative if they overlap.
    pub(crate) separation: f32,
    /// The number of contact points, 1 or 2.
    pub(crate) point_count: u32,
    /// The index of the previous step's touch of the same two bodies, among the touches that were kept for this step.
    /// `u32::MAX` if the two bodies did not touch in the previous step.
    pub(crate) kept: u32,
    /// The index of the touch in the order of colours, in which all touches of a colour are consecutive.
    pub(crate) place: u32,
    pub(crate) points: [TouchPointRecord; 2],
}

/// The indices of the planes of the rigid solver's constraints. A plane has four words for each touch, in the order of
/// colours.
pub(crate) mod rigid_planes {
    /// The plane that holds the rows of the two bodies and the unit normal.
    pub(crate) const HEAD: u32 = 0;
    /// The plane that holds the inverse masses of a and b, followed by their inverse moments of inertia.
    pub(crate) const INVERSE: u32 = 1;
    /// The plane that holds the vectors from the centres of mass of a and b to the first contact point. The next plane
    /// has the vectors to the second contact point.
    pub(crate) const ARMS: u32 = 2;
    /// The plane that holds the separation of the first point, the separation of the second point, the friction and the
    /// restitution. If there is only one point, the second separation is [`super::NO_POINT`].
    pub(crate) const GAPS: u32 = 4;
    /// The plane that holds the impulses of the first point along the normal and along the tangent, followed by both
    /// impulses of the second point.
    pub(crate) const IMPULSES: u32 = 5;
    pub(crate) const COUNT: u32 = 6;
}

/// The indices of the planes of the push solver's constraints. [`rigid_planes::HEAD`] is the first plane of both
/// solvers.
pub(crate) mod push_planes {
    /// The plane that holds four numbers: the share of a in a correction, the share of b, the target gap at the end of
    /// the step, and the separation.
    pub(crate) const SHARE: u32 = 1;
    /// The plane that holds the friction, the restitution, and the mass that converts a change of the relative velocity
    /// to an impulse.
    pub(crate) const SURFACE: u32 = 2;
    /// The plane that holds three changes of the relative velocity: along the normal in a sub-step, along the tangent
    /// in a sub-step, and along the normal in all sub-steps and bounces.
    pub(crate) const PUSHES: u32 = 3;
    pub(crate) const COUNT: u32 = 4;
}

/// The number of low bits of [`KeptTouch::colour_and_moved`] that hold the colour. The higher bits hold the flags of
/// the two bodies.
const KEPT_MOVED_SHIFT: u32 = 8;
const _: () = assert!(COLOURS < 1 << KEPT_MOVED_SHIFT);

/// The value that stands for the separation of the second point in a touch that has only one point.
const NO_POINT: f32 = 1e30;

/// The number of bytes of a touch in one plane of the constraints.
pub(crate) const PLANE_BYTES: u64 = 16;
/// The number of bytes of a touch in all planes of the constraints. It is enough for either solver.
pub(crate) const CONSTRAINT_BYTES: u64 = PLANE_BYTES * rigid_planes::COUNT as u64;
const _: () = assert!(push_planes::COUNT <= rigid_planes::COUNT);

/// The data of a touch that is kept for the next step.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct KeptTouch {
    pub(crate) bodies: [u32; 2],
    pub(crate) features: [u32; 2],
    pub(crate) arms_a: [[f32; 2]; 2],
    pub(crate) normal_impulses: [f32; 2],
    pub(crate) tangent_impulses: [f32; 2],
    /// The colour of the touch in the lowest [`KEPT_MOVED_SHIFT`] bits. The next two bits belong to the two bodies. A
    /// bit is set if contacts moved the body.
    pub(crate) colour_and_moved: u32,
    pub(crate) padding: u32,
}

/// The number of values of a scan that one workgroup processes.
pub(crate) const SCAN_LENGTH: u32 = 1024;
/// The number of invocations in a workgroup of a kernel with many barriers, on a hardware adapter.
pub(crate) const GROUP_LANES: u32 = 256;
/// The number of invocations in a workgroup of a kernel with many barriers, on a software adapter. The number is small,
/// because a software adapter must set up each invocation, and switch between invocations at each barrier.
pub(crate) const SOFTWARE_GROUP_LANES: u32 = 16;
/// If a body owns at most this many pairs, the first search for pairs stores them in the memory of the body's
/// [`MovingBody`]. For a body with more pairs, a second search is needed.
pub(crate) const FEW_PAIRS: u32 = (size_of::<MovingBody>() / size_of::<u32>()) as u32;
/// The number of colours of touches. Touches without a colour are solved one after another.
pub(crate) const COLOURS: u32 = 31;
/// At most this many free colours have a dispatch of their own. Free colours are for touches between two bodies that
/// contacts move. The first free colours have the most touches. A colour with a dispatch of its own is a *wide colour*.
pub(crate) const WIDE_FREE: u32 = 12;
/// At most this many fixed colours have a dispatch of their own. Fixed colours are for touches with a body that
/// contacts do not move.
pub(crate) const WIDE_FIXED: u32 = 4;
pub(crate) const WIDE_COLOURS: u32 = WIDE_FREE + WIDE_FIXED;
/// The number of free colours with a dispatch of their own, in a world with fewer than [`super::plan::MANY_BODIES`]
/// bodies. It applies until the host knows how many touches each colour has.
pub(crate) const FEWER_WIDE_FREE: u32 = 8;
/// The number of fixed colours with a dispatch of their own, in a world with fewer than [`super::plan::MANY_BODIES`]
/// bodies. It applies until the host knows how many touches each colour has.
pub(crate) const FEWER_WIDE_FIXED: u32 = 2;
/// The ranges of colours that a dispatch may solve. Each of the first [`WIDE_COLOURS`] spans is one wide colour. For each
/// possible number of wide free colours, the list then has a span of the other free colours. For each possible number of wide
/// fixed colours, it then has a span of the other fixed colours. The last span has all colours.
pub(crate) const SPANS: [ColourSpan; SPAN_COUNT] = spans();
/// The index in [`SPANS`] of the first span of free colours without a dispatch of their own. Span `FREE_RESTS + n` has
/// the free colours after the first `n` free colours.
pub(crate) const FREE_RESTS: u32 = WIDE_COLOURS;
/// The index in [`SPANS`] of the first span of fixed colours without a dispatch of their own. Span `FIXED_RESTS + n`
/// has the fixed colours after the first `n` fixed colours.
pub(crate) const FIXED_RESTS: u32 = FREE_RESTS + WIDE_FREE + 1;
pub(crate) const EVERY_COLOUR: u32 = FIXED_RESTS + WIDE_FIXED + 1;
const SPAN_COUNT: usize = EVERY_COLOUR as usize + 1;

/// The colours from `first` to `end - 1`. If the last colour is among them, the span also has the touches without a
/// colour.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ColourSpan {
    pub(crate) first: u32,
    pub(crate) end: u32,
}

const fn spans() -> [ColourSpan; SPAN_COUNT] {
    let mut spans = [ColourSpan { first: 0, end: COLOURS }; SPAN_COUNT];
    let fixed = FIRST_FIXED as u32;
    let mut k = 0;
    while k < WIDE_COLOURS {
        let first = if k < WIDE_FREE { k } else { fixed + k - WIDE_FREE };
        spans[k as usize] = ColourSpan { first, end: first + 1 };
        k += 1;
    }
    let mut wide = 0;
    while wide <= WIDE_FREE {
        spans[(FREE_RESTS + wide) as usize] = ColourSpan { first: wide, end: fixed };
        wide += 1;
    }
    wide = 0;
    while wide <= WIDE_FIXED {
        spans[(FIXED_RESTS + wide) as usize] = ColourSpan { first: fixed + wide, end: COLOURS };
        wide += 1;
    }
    spans
}
/// The number of rounds of colouring in a step. In a lattice in which each body has 6 contacts, all touches have a
/// colour after 25 rounds. In a lattice with 12 contacts for each body, 48 rounds suffice.
pub(crate) const ROUNDS: u32 = 60;
/// The number of the first rounds of colouring, each of which is a dispatch over all touches. If these rounds leave few
/// touches without a colour ([`FEW_LEFT`]), one workgroup runs the other rounds. In a small world, one workgroup runs all
/// rounds.
pub(crate) const WIDE_ROUNDS: u32 = 6;
/// If the [`WIDE_ROUNDS`] of an earlier step left at most this many touches without a colour, the host lets one workgroup
/// run the other rounds in later steps, until the number of bodies grows by more than a quarter. While one workgroup does
/// so, the limit is twice this number.
pub(crate) const FEW_LEFT: u32 = 1 << 14;
/// The greatest magnitude of a coordinate of a body's box, in quanta.
const BOX_LIMIT: i32 = 1 << 30;
const MOST_GROUPS: u32 = 65535;

/// The indices of the words in the buffer that controls steps and reports their results.
pub(crate) mod control {
    /// The bits that say why a step failed, such as [`super::LEFT_WORLD`]. The word is 0 if no step failed.
    pub(crate) const FAILED: u32 = 0;
    /// The row of the body that would leave the world. If several bodies would leave, the least of their rows.
    pub(crate) const LOST_ROW: u32 = 1;
    /// The number of pairs, or of touches, for which the failed step needs room.
    pub(crate) const NEEDED: u32 = 2;
    /// The number of complete steps since the host last reset this buffer.
    pub(crate) const STEPS: u32 = 3;
    pub(crate) const LEVELS: u32 = 4;
    pub(crate) const REACH: u32 = 5;
    pub(crate) const PAIR_COUNT: u32 = 6;
    pub(crate) const TOUCH_COUNT: u32 = 7;
    /// The number of rows of bodies in the last complete step, whose touches were kept. A body in a later row has no
    /// kept touch.
    pub(crate) const KEPT_BODIES: u32 = 8;
    /// The number of candidate pairs of the last complete step.
    pub(crate) const WHOLE_PAIRS: u32 = 9;
    /// The number of touches of the last complete step.
    pub(crate) const WHOLE_TOUCHES: u32 = 10;
    /// 1 if any touch bounced or waited in the last round of bouncing, and 0 otherwise.
    pub(crate) const BOUNCED: u32 = 11;
    /// The colour whose touches get new colours in the next step. Touches without a colour also get new colours.
    pub(crate) const REVISED_COLOUR: u32 = 12;
    /// The number of touches without a colour after the first [`super::WIDE_ROUNDS`] rounds of colouring of a step.
    pub(crate) const LEFT: u32 = 13;
    /// The number of pairs of bodies that are followed along their paths in the step.
    pub(crate) const FOLLOWED: u32 = 14;
    /// The number of bodies that own more pairs than [`super::FEW_PAIRS`].
    pub(crate) const OWN_MANY: u32 = 15;
    pub(crate) const COLOUR_COUNTS: u32 = 16;
    /// The index of the first word of a list with one word for each colour. While touches are put into the order of
    /// colours, the word is the first free place of the colour. Touches with one point fill the free places of their
    /// colour from the first one upward.
    pub(crate) const COLOUR_NEXT: u32 = 48;
    /// The index of the first word of a list with one word for each colour. While touches are put into the order of
    /// colours, the word is one past the last free place of the colour. Touches with two points fill the free places of
    /// their colour from the last one downward.
    pub(crate) const COLOUR_LAST: u32 = 80;
    /// The index of the first word of a list with one word for each colour. The word is the first place of the colour in the
    /// order of colours. After the list, one more word is the end of the last colour.
    pub(crate) const COLOUR_STARTS: u32 = 112;
    /// The number of the current round of bouncing. The first round has the number 0.
    pub(crate) const BOUNCE_ROUND: u32 = 152;
    pub(crate) const WORDS: u32 = 160;
}

/// A bit of the word [`control::FAILED`]: the step has more pairs than the buffer holds.
pub(crate) const TOO_MANY_PAIRS: u32 = 1;
/// A bit of the word [`control::FAILED`]: the step has more touches than the buffer holds.
pub(crate) const TOO_MANY_TOUCHES: u32 = 2;
/// A bit of the word [`control::FAILED`]: a body would move beyond the grid of the world.
pub(crate) const LEFT_WORLD: u32 = 4;
/// A bit of the word [`control::FAILED`]: the step was not run, because an earlier step failed.
const VOID: u32 = 8;

/// The indices in [`super::kernels::Name::Lists`] of the dispatch sizes that the device computes.
pub(crate) mod lists {
    pub(crate) const PAIRS: u32 = 0;
    pub(crate) const PAIRS_AND_END: u32 = 1;
    pub(crate) const PAIRS_SCAN: u32 = 2;
    pub(crate) const TOUCHES: u32 = 3;
    /// The index of the size of the dispatch for the first wide colour. The sizes for the other wide colours follow.
    pub(crate) const COLOURS: u32 = 4;
    /// The index of the size of the dispatch for the first wide colour in rounds of bouncing. The sizes for the other
    /// wide colours follow, and then the size of the dispatch for all other touches.
    pub(crate) const BOUNCES: u32 = COLOURS + super::WIDE_COLOURS;
    pub(crate) const FOLLOWED: u32 = BOUNCES + super::WIDE_COLOURS + 1;
    pub(crate) const COUNT: u32 = FOLLOWED + 1;
}

/// Returns the WGSL of the constants that the shaders of a world use. `group_lanes` is the number of invocations in
/// workgroups with barriers.
pub(crate) fn wgsl_constants(group_lanes: u32) -> String {
    use control::*;
    let words = [
        ("PRESENT", PRESENT),
        ("MOVES", MOVES),
        ("DYNAMIC", DYNAMIC),
        ("FAST", FAST),
        ("DISC", DISC),
        ("ELSEWHERE", ELSEWHERE),
        ("SCAN_LENGTH", SCAN_LENGTH),
        ("GROUP_LANES", group_lanes),
        ("LANE_VALUES", SCAN_LENGTH / group_lanes),
        ("FEW_PAIRS", FEW_PAIRS),
        ("COLOURS", COLOURS),
        ("FIRST_FIXED", FIRST_FIXED as u32),
        ("WIDE_FREE", WIDE_FREE),
        ("WIDE_COLOURS", WIDE_COLOURS),
        ("ROUNDS", ROUNDS),
        ("WIDE_ROUNDS", WIDE_ROUNDS),
        ("LEFT", LEFT),
        ("FOLLOWED", FOLLOWED),
        ("OWN_MANY", OWN_MANY),
        ("FOLLOWED_LIST", lists::FOLLOWED),
        ("NO_COLOUR", u32::MAX),
        ("NOBODY", u32::MAX),
        ("MOST_GROUPS", MOST_GROUPS),
        ("FAILED", FAILED),
        ("LOST_ROW", LOST_ROW),
        ("NEEDED", NEEDED),
        ("WHOLE_STEPS", STEPS),
        ("LEVELS", LEVELS),
        ("REACH", REACH),
        ("PAIR_COUNT", PAIR_COUNT),
        ("TOUCH_COUNT", TOUCH_COUNT),
        ("KEPT_BODIES", KEPT_BODIES),
        ("REVISED_COLOUR", REVISED_COLOUR),
        ("WHOLE_PAIRS", WHOLE_PAIRS),
        ("WHOLE_TOUCHES", WHOLE_TOUCHES),
        ("BOUNCED", BOUNCED),
        ("BOUNCE_ROUND", BOUNCE_ROUND),
        ("COLOUR_COUNTS", COLOUR_COUNTS),
        ("COLOUR_NEXT", COLOUR_NEXT),
        ("COLOUR_LAST", COLOUR_LAST),
        ("COLOUR_STARTS", COLOUR_STARTS),
        ("TOO_MANY_PAIRS", TOO_MANY_PAIRS),
        ("TOO_MANY_TOUCHES", TOO_MANY_TOUCHES),
        ("LEFT_WORLD", LEFT_WORLD),
        ("VOID", VOID),
        ("PAIRS_LIST", lists::PAIRS),
        ("PAIRS_AND_END_LIST", lists::PAIRS_AND_END),
        ("PAIRS_SCAN_LIST", lists::PAIRS_SCAN),
        ("TOUCHES_LIST", lists::TOUCHES),
        ("COLOURS_LIST", lists::COLOURS),
        ("BOUNCES_LIST", lists::BOUNCES),
        ("WARM_START", Phase::WarmStart as u32),
        ("SOLVE", Phase::Solve as u32),
        ("RELAX", Phase::Relax as u32),
        ("MOST_ITERATIONS", MOST_ITERATIONS as u32),
        ("BOUNCE", Phase::Bounce as u32),
        ("KEPT_MOVED_SHIFT", KEPT_MOVED_SHIFT),
        ("HEAD_PLANE", rigid_planes::HEAD),
        ("INVERSE_PLANE", rigid_planes::INVERSE),
        ("ARMS_PLANE", rigid_planes::ARMS),
        ("GAPS_PLANE", rigid_planes::GAPS),
        ("IMPULSES_PLANE", rigid_planes::IMPULSES),
        ("SHARE_PLANE", push_planes::SHARE),
        ("SURFACE_PLANE", push_planes::SURFACE),
        ("PUSHES_PLANE", push_planes::PUSHES),
        ("SEAM_HEADER", HEADER as u32),
        ("SEAM_NEIGHBOUR", NEIGHBOUR as u32),
    ];
    let words: String =
        words.iter().map(|(name, value)| format!("const {name}: u32 = {value}u;\n")).collect();
    layout::wgsl_constants()
        + &words
        + &format!(
            "const MOST_ANCHOR: i32 = {MOST_ANCHOR}i;\n\
             const PASSED: f32 = -1.0;\n\
             const NO_POINT: f32 = {NO_POINT:?};\n\
             const BOX_LIMIT: i32 = {BOX_LIMIT}i;\n\
             const TURNING: f32 = {TURNING:?};\n\
             const NEAR: f32 = {NEAR:?};\n\
             const DEEPER: f32 = {DEEPER:?};\n\
             const SEAM_WIDTH: f32 = {SEAM_WIDTH:?};\n\
             const SAME_DIRECTION: f32 = {SAME_DIRECTION:?};\n\
             const LEAST_COSINE: f32 = {LEAST_COSINE:?};\n\
             const MOST_DEPTH: f32 = {MOST_DEPTH:?};\n\
             const AT_END: f32 = {AT_END:?};\n\
             const NEARLY_ALONG: f32 = {NEARLY_ALONG:?};\n\
             const FLAT: f32 = {FLAT:?};\n\
             const LANDING: f32 = {LANDING:?};\n\
             const GRAZE: f32 = {GRAZE:?};\n\
             const SINKING: f32 = {SINKING:?};\n\
             const LEVEL: f32 = {LEVEL:?};\n\
             const SAME_NORMAL: f32 = {SAME_NORMAL:?};\n\
             const OVER_RELAXATION: f32 = {OVER_RELAXATION:?};\n\
             const DEEPEST: f32 = {DEEPEST:?};\n\
             const PART: f32 = {PART:?};\n\
             const GENTLE: f32 = {GENTLE:?};\n\
             const MOST_EXTENTS: f32 = {MOST_EXTENTS:?};\n"
        )
}

/// A phase of the solver: the work that it does on each touch of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    WarmStart,
    Solve,
    Relax,
    Bounce,
}
