//! Reports the progress of recorded steps, without waiting for the device.

use super::kernels::Name;
use super::records::control;
use super::world::{no_device, report_of};
use super::{Counts, GpuWorld};
use crate::base::error::Result;
use crate::gpu::device::GpuDevice;
use crate::gpu::read_back::Asked;
use crate::sim::{StepReport, World};

/// A report on recorded steps of a world, which the device delivers later. [`World::progress`] requests the report.
#[derive(Debug)]
pub struct Progress {
    gpu: GpuDevice,
    last: Counts,
    /// The report that was requested from the device, or `None` if no step was recorded.
    asked: Option<Asked>,
}

impl Progress {
    /// Returns whether the report is available, in which case [`Progress::report`] does not wait. On native targets,
    /// the call also polls the device.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.asked.as_ref().is_none_or(|asked| asked.is_ready(&self.gpu))
    }

    /// Waits until the device has finished the work that was submitted before the call of [`World::progress`], and
    /// returns the report. [`StepReport::steps`] is the number of complete steps since the last
    /// [`World::settle_async`]. If this number is less than the number of recorded steps, a buffer was too small, or a
    /// body would have left the world's grid. In both cases, recorded steps have no effect until you call
    /// [`World::settle_async`]. This call reports which of the two cases happened, and enlarges the buffer if
    /// necessary.
    ///
    /// # Errors
    /// Returns [`crate::Error::DeviceLost`] if the device is lost. Returns [`crate::Error::Device`] if the device
    /// finishes no work for a minute.
    pub async fn report(self) -> Result<StepReport> {
        let Some(asked) = self.asked else { return Ok(report_of(Counts { steps: 0, ..self.last })) };
        let bytes = asked.bytes(&self.gpu).await?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(report_of(Counts::of(&words)))
    }
}

impl GpuWorld {
    fn progress(&self) -> Progress {
        let size = u64::from(control::WORDS) * size_of::<u32>() as u64;
        let asked = (self.pending > 0).then(|| {
            self.gpu.ask(size, |encoder, to| {
                encoder.copy_buffer_to_buffer(self.buffers.get(Name::Control), 0, to, 0, size);
            })
        });
        Progress { gpu: self.gpu.clone(), last: self.last, asked }
    }
}

impl World {
    /// Requests a report on the steps that [`World::encode_steps`] recorded and the caller has submitted. The report
    /// does not borrow the world. A loop can request a report after each frame, and then wait for the report that it
    /// requested one or two frames earlier. Such a loop keeps the device busy, and soon notices a step that the device
    /// did not take.
    ///
    /// # Errors
    /// Returns [`crate::Error::Option`] for a world on the CPU.
    pub fn progress(&self) -> Result<Progress> {
        Ok(self.gpu.as_ref().ok_or_else(no_device)?.progress())
    }
}

#[cfg(test)]
mod tests {
    use super::super::step_tests::{DT, on_device, pile, rectangle};
    use super::*;
    use crate::sim::{BodyId, BodyOptions, ShapeId, WorldOptions};
    use crate::{Error, Pose};

    #[test]
    fn what_recorded_steps_have_come_to_is_told_while_more_are_recorded() {
        let mut world = on_device(WorldOptions::default());
        pile(&mut world, 30);
        let device = world.gpu.as_ref().unwrap().gpu.device.clone();
        let queue = world.gpu.as_ref().unwrap().gpu.queue.clone();
        let record = |world: &mut World| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            pollster::block_on(world.encode_steps(&mut encoder, 2, DT)).unwrap();
            queue.submit([encoder.finish()]);
            world.progress().unwrap()
        };
        let report = |progress: Progress| pollster::block_on(progress.report()).unwrap();
        assert_eq!(report(world.progress().unwrap()).steps, 0);
        let answers = [(2, record(&mut world)), (4, record(&mut world)), (6, record(&mut world))];
        assert_eq!(pollster::block_on(world.settle_async()).unwrap().steps, 6);
        for (steps, answer) in answers {
            assert!(answer.is_ready(), "all was waited for");
            assert_eq!(report(answer).steps, steps);
        }
        // After the settlement, the count begins again. The second world has no room for its pairs.
        assert_eq!(report(world.progress().unwrap()).steps, 0);
        assert_eq!(report(record(&mut world)).steps, 2);
        pollster::block_on(world.settle_async()).unwrap();

        let mut cramped = on_device(WorldOptions::default());
        cramped.gpu.as_mut().unwrap().room_per_body = [0, 0];
        pile(&mut cramped, 30);
        let device = cramped.gpu.as_ref().unwrap().gpu.device.clone();
        let queue = cramped.gpu.as_ref().unwrap().gpu.queue.clone();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        pollster::block_on(cramped.encode_steps(&mut encoder, 30, DT)).unwrap();
        queue.submit([encoder.finish()]);
        let told = report(cramped.progress().unwrap()).steps;
        let settled = pollster::block_on(cramped.settle_async()).unwrap();
        assert!(told == settled.steps && told < 30 && settled.regrown == 1, "{told} {settled:?}");

        let on_cpu = World::new(WorldOptions::default()).unwrap();
        assert!(matches!(on_cpu.progress(), Err(Error::Option { option: "backend", .. })));
    }

    #[test]
    fn a_device_that_finishes_nothing_is_an_error() {
        // Other tests do not use this device.
        let mut world = World::on(WorldOptions::default(), crate::Backend::Gpu).unwrap();
        pile(&mut world, 30);
        world.step(DT).unwrap();
        let watch = std::sync::Arc::clone(&world.gpu.as_ref().unwrap().gpu.watch);
        watch.inject(true, std::time::Duration::from_millis(100));
        let error = world.step(DT).unwrap_err();
        assert!(matches!(error, Error::Device { .. }), "{error:?}");
        let expected = "GPU device: no progress for 100ms while waiting for bytes to read back; try another";
        assert!(error.to_string().starts_with(expected), "{error}");
        watch.inject(false, std::time::Duration::from_secs(60));
        assert_eq!(world.step(DT).unwrap().steps, 1);
    }

    #[test]
    fn pairs_and_contacts_are_those_of_the_last_recorded_step() {
        let filled = || {
            let mut world = on_device(WorldOptions::default());
            pile(&mut world, 30);
            world.step(DT).unwrap();
            world
        };
        let mut stepped = filled();
        let before = stepped.candidate_pairs().unwrap();
        stepped.steps(30, DT).unwrap();
        let (pairs, contacts) = (stepped.candidate_pairs().unwrap(), stepped.contacts().unwrap());
        assert!(pairs != before && !contacts.is_empty());
        let recorded = || {
            let mut world = filled();
            let device = world.gpu.as_ref().unwrap().gpu.device.clone();
            let queue = world.gpu.as_ref().unwrap().gpu.queue.clone();
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            pollster::block_on(world.encode_steps(&mut encoder, 30, DT)).unwrap();
            queue.submit([encoder.finish()]);
            world
        };
        // Each query has its own world, because a query settles the recorded steps.
        assert_eq!(recorded().candidate_pairs().unwrap(), pairs);
        assert_eq!(recorded().contacts().unwrap(), contacts);
    }

    #[test]
    fn recorded_steps_for_which_there_was_no_room_are_told_and_taken_later() {
        let mut world = on_device(WorldOptions::default());
        world.gpu.as_mut().unwrap().room_per_body = [0, 0];
        pile(&mut world, 30);
        let device = world.gpu.as_ref().unwrap().gpu.device.clone();
        let queue = world.gpu.as_ref().unwrap().gpu.queue.clone();
        let (mut taken, mut rounds) = (0, 0);
        while taken < 30 {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            pollster::block_on(world.encode_steps(&mut encoder, 30 - taken, DT)).unwrap();
            queue.submit([encoder.finish()]);
            let report = pollster::block_on(world.settle_async()).unwrap();
            taken += report.steps;
            rounds += 1;
            assert!(report.regrown == 1 || taken == 30);
        }
        assert!(rounds > 1);
        let mut other = on_device(WorldOptions::default());
        pile(&mut other, 30);
        other.steps(30, DT).unwrap();
        world.sync_now();
        other.sync_now();
        assert_eq!(world.bodies.states, other.bodies.states);
        assert_eq!(world.contacts().unwrap(), other.contacts().unwrap());
    }

    /// Records steps for which the buffers have no room. Then moves a body, and adds a moving body in the slot of a removed
    /// static body. Records further steps, which do nothing because of the missing room. Checks that, once there is room, no
    /// touch from before these changes affects either of the two bodies.
    #[test]
    fn changes_between_recorded_steps_that_fail_hold_when_they_are_taken() {
        // A tower stands, and a row of bodies falls. There is room only for the touches of the tower.
        let start = |room: [u32; 2]| {
            let mut world = on_device(WorldOptions::default());
            world.gpu.as_mut().unwrap().room_per_body = room;
            let (floor, cube) = (rectangle(&mut world, 200.0, 2.0), rectangle(&mut world, 1.0, 1.0));
            let base = world.add(&BodyOptions::fixed(cube, [0.0, 0.5])).unwrap();
            world.add(&BodyOptions::fixed(floor, [0.0, -1.0])).unwrap();
            let mut cube_at = |x: f64, y: f64| world.add(&BodyOptions::dynamic(cube, [x, y])).unwrap();
            let tower = [cube_at(0.0, 1.5), cube_at(0.0, 2.5), cube_at(0.0, 3.5)];
            for k in 0..40 {
                let x = 3.0 + 2.0 * f64::from(k);
                cube_at(x, 2.0);
                cube_at(-x, 2.0);
            }
            (world, cube, base, tower[1])
        };
        let change = |world: &mut World, cube: ShapeId, base: BodyId, moved: BodyId| {
            // The changes must not query the device, because a query would settle the recorded steps.
            world.set_pose(moved, &Pose::from_translation([0.05, 2.5]).unwrap()).unwrap();
            world.remove(base).unwrap();
            let new = world.add(&BodyOptions::dynamic(cube, [0.0, 0.5])).unwrap();
            assert_eq!(new.index(), base.index());
        };
        let (mut world, cube, base, moved) = start([8, 0]);
        let device = world.gpu.as_ref().unwrap().gpu.device.clone();
        let queue = world.gpu.as_ref().unwrap().gpu.queue.clone();
        let record = |world: &mut World, count| {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            pollster::block_on(world.encode_steps(&mut encoder, count, DT)).unwrap();
            queue.submit([encoder.finish()]);
        };
        let settle = |world: &mut World| pollster::block_on(world.settle_async()).unwrap();
        record(&mut world, 1);
        assert_eq!((settle(&mut world).steps, world.gpu.as_ref().unwrap().buffers.capacity.touches), (0, 64));
        record(&mut world, 60);
        let taken = pollster::block_on(world.progress().unwrap().report()).unwrap().steps;
        assert!(taken > 10 && taken < 60, "{taken}");
        change(&mut world, cube, base, moved);
        record(&mut world, 5);
        let report = settle(&mut world);
        assert_eq!((report.steps, report.regrown), (taken, 1));
        world.steps(5, DT).unwrap();

        let (mut roomy, cube, base, moved) = start([8, 8]);
        roomy.steps(taken, DT).unwrap();
        change(&mut roomy, cube, base, moved);
        assert_eq!(roomy.steps(5, DT).unwrap().regrown, 0);
        world.sync_now();
        roomy.sync_now();
        let other = world.bodies.states.iter().zip(&roomy.bodies.states).position(|(a, b)| a != b);
        assert_eq!((other, world.bodies.states.len()), (None, roomy.bodies.states.len()));
        assert!(world.contacts().unwrap() == roomy.contacts().unwrap());
    }
}
