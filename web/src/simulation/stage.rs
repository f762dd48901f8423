//! A world with its scene, on the CPU or on the device that draws it.

use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, BodyKind, BodyOptions, Progress, SceneDescription, StepReport, World};
use sat2d::wgpu;

use super::figures::Figures;
use super::renderer::{Renderer, View};
use super::screen::Screen;
use super::steering::{INTERVAL, Steering};

/// The order in which a device takes steps and draws pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// The steps run alone. The caller waits for the steps and for their times. Then the picture of the result is drawn.
    Timed,
    /// The steps and their picture are submitted together. The caller waits for the previous picture, so the device always has
    /// work.
    Whole,
    /// The current picture is submitted first, then the steps. The browser lays out the picture while the device runs the steps.
    /// The caller waits for the previous steps.
    Ahead,
}

impl Pace {
    /// Returns the pace with this name.
    ///
    /// # Errors
    /// Returns a message that has the name if there is no such pace.
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "timed" => Ok(Self::Timed),
            "whole" => Ok(Self::Whole),
            "ahead" => Ok(Self::Ahead),
            _ => Err(format!("there is no pace {name}")),
        }
    }
}

/// A world that plays a scene.
#[derive(Debug)]
pub struct Stage {
    /// The scene that is played.
    pub scene: SceneDescription,
    /// The ids of the bodies, in the order of the scene.
    pub ids: Vec<BodyId>,
    /// The world that has the bodies.
    pub world: World,
    /// The outlines and the bodies that are drawn.
    pub figures: Figures,
    /// The number of steps since the scene began. On a device, this includes steps that are not finished.
    pub steps: u64,
    device: Option<OnDevice>,
}

/// The parts that only a world on a device has.
#[derive(Debug)]
struct OnDevice {
    renderer: Renderer,
    steering: Option<Steering>,
    /// The progress of the previous picture, or `None` if the device works on no picture.
    before: Option<Progress>,
    /// The number of steps that were recorded since the world was settled.
    recorded: u64,
    /// The report of the last steps whose result is known.
    last: StepReport,
    // `screen` is the last field, so that the device is dropped after the other fields.
    screen: Screen,
}

impl Stage {
    /// Creates a stage on the CPU.
    ///
    /// # Errors
    /// Returns the errors of [`World`].
    pub fn on_cpu(scene: SceneDescription) -> sat2d::Result<Self> {
        let mut world = World::new(scene.options.clone())?;
        let ids = scene.fill(&mut world)?;
        let figures = Figures::new(&scene, &ids);
        Ok(Self { scene, ids, world, figures, steps: 0, device: None })
    }

    /// Creates a stage on the device of a screen.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn on_device(scene: SceneDescription, screen: Screen) -> sat2d::Result<Self> {
        let (device, queue) = (screen.device.clone(), screen.queue.clone());
        let world = World::from_device(scene.options.clone(), device, queue).await?;
        let renderer = Renderer::new(&screen.device, screen.format());
        let figures = Figures::new(&scene, &[]);
        let device = Some(OnDevice {
            renderer,
            steering: None,
            before: None,
            recorded: 0,
            last: StepReport::default(),
            screen,
        });
        let mut stage = Self { scene, ids: Vec::new(), world, figures, steps: 0, device };
        stage.fill().await?;
        Ok(stage)
    }

    /// Starts another scene, or the same scene again, on the same backend.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn play(&mut self, scene: SceneDescription) -> sat2d::Result<()> {
        self.world.renew(scene.options.clone())?;
        self.scene = scene;
        self.steps = 0;
        self.fill().await
    }

    async fn fill(&mut self) -> sat2d::Result<()> {
        self.ids = self.scene.fill(&mut self.world)?;
        if let Some(OnDevice { before, recorded, last, .. }) = &mut self.device {
            // The progress of the previous scene is meaningless for the new scene, so it is discarded.
            (*before, *recorded, *last) = (None, 0, StepReport::default());
        }
        self.draw_all().await
    }

    /// Creates the figures of all bodies of the world and, on a device, the steering.
    async fn draw_all(&mut self) -> sat2d::Result<()> {
        self.figures = Figures::new(&self.scene, &self.ids);
        if let Some(OnDevice { renderer, steering, screen, .. }) = &mut self.device {
            let (device, queue) = (&screen.device, &screen.queue);
            let (buffers, quantum) = (self.world.device_buffers().await?, self.world.quantum());
            let records: Vec<u32> = (self.ids.iter())
                .map(|&id| Ok(self.world.record_index(id)? as u32))
                .collect::<sat2d::Result<_>>()?;
            *steering = Steering::new(device, queue, &self.scene, &records, &buffers, quantum);
            renderer.show(device, queue, &self.figures, records, &buffers, quantum);
        }
        Ok(())
    }

    /// Adds a body at rest that is like the first dynamic body of the scene with this shape. Returns `None` if a static body is in
    /// the way, or if no dynamic body has this shape.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn add(&mut self, shape: usize, at: DVec2) -> sat2d::Result<Option<BodyId>> {
        self.sync().await?;
        let moves = |body: &&BodyOptions| body.kind == BodyKind::Dynamic && body.shape.index() == shape;
        let Some(like) = self.scene.bodies.iter().find(moves) else { return Ok(None) };
        let body = BodyOptions { position: at, velocity: DVec2::ZERO, angular_velocity: 0.0, ..like.clone() };
        let ring = &self.figures.outlines[shape].ring;
        let reach = ring.iter().map(|corner| corner.length()).fold(0.0, f64::max);
        for (near, _) in self.world.bodies_near(at, reach)? {
            if self.world.kind(near)? == BodyKind::Static {
                return Ok(None);
            }
        }
        // The shapes of the world have the same indices as the shapes of the scene.
        let id = self.world.add(&body)?;
        self.scene.bodies.push(body);
        self.ids.push(id);
        self.draw_all().await?;
        Ok(Some(id))
    }

    /// Returns the screen of a world on a device, or `None` for a world on the CPU.
    pub fn screen(&mut self) -> Option<&mut Screen> {
        self.device.as_mut().map(|device| &mut device.screen)
    }

    /// Takes `count` steps, which may be 0. On a device, also draws the bodies. On the CPU and with [`Pace::Timed`], the report
    /// describes these steps. Otherwise, it describes the last steps with a known result.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn go_on(&mut self, count: u64, pace: Pace, view: &View) -> sat2d::Result<StepReport> {
        if self.device.is_none() {
            let mut report = StepReport::default();
            for _ in 0..count {
                if self.steps.is_multiple_of(INTERVAL) {
                    self.scene.steer(&mut self.world, &self.ids)?;
                }
                let before = report.times;
                report = self.world.steps(1, self.scene.dt)?;
                report.times += before;
                self.steps += 1;
            }
            report.steps = count;
            return Ok(report);
        }
        if pace == Pace::Timed {
            self.settle().await?;
        }
        let Some(device) = &mut self.device else { return Ok(StepReport::default()) };
        let report = device.go_on(&mut self.world, self.scene.dt, self.steps, count, pace, view).await?;
        self.steps += count;
        match report {
            // A buffer was too small, so the steps that were recorded after this problem had no effect.
            Some(Before { is_whole: false, .. }) => self.settle().await,
            Some(Before { of, .. }) => {
                device.last = of;
                Ok(of)
            }
            None => Ok(device.last),
        }
    }

    /// Waits until all steps are finished.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn settle(&mut self) -> sat2d::Result<StepReport> {
        let Some(device) = &mut self.device else { return Ok(StepReport::default()) };
        device.before = None;
        let recorded = std::mem::take(&mut device.recorded);
        let report = self.world.settle_async().await?;
        self.steps -= recorded - report.steps;
        if report.steps > 0 {
            device.last = report;
        }
        Ok(device.last)
    }

    /// Copies the bodies to the host.
    ///
    /// # Errors
    /// Returns the errors of [`World`] and of the device.
    pub async fn sync(&mut self) -> sat2d::Result<()> {
        self.settle().await?;
        self.world.sync_async().await
    }

    /// Returns the dynamic body at a position, or the nearest dynamic body within a distance. Returns `None` if there is no
    /// such body.
    ///
    /// # Errors
    /// Returns the errors of the device.
    pub async fn pick(&mut self, at: DVec2, within: f64) -> sat2d::Result<Option<BodyId>> {
        self.sync().await?;
        let near = self.world.bodies_near(at, within)?;
        for (body, _) in near {
            if self.world.kind(body)? == BodyKind::Dynamic {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }
}

/// The outcome of the steps that were submitted with the previous picture.
struct Before {
    of: StepReport,
    /// Whether the device took all steps of the previous picture.
    is_whole: bool,
}

impl OnDevice {
    async fn go_on(
        &mut self,
        world: &mut World,
        dt: f64,
        taken: u64,
        count: u64,
        pace: Pace,
        view: &View,
    ) -> sat2d::Result<Option<Before>> {
        let screen = &self.screen;
        screen.heard()?;
        let make = || screen.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut encoder = make();
        let mut timed = StepReport::default();
        for step in taken..taken + count {
            if let Some(steering) = self.steering.as_ref().filter(|_| step.is_multiple_of(INTERVAL)) {
                steering.encode(&mut encoder);
            }
            if pace == Pace::Timed {
                screen.queue.submit([std::mem::replace(&mut encoder, make()).finish()]);
                let before = timed;
                timed = world.steps_async(1, dt).await?;
                timed.steps += before.steps;
                timed.regrown += before.regrown;
                timed.times += before.times;
            } else {
                world.encode_steps(&mut encoder, 1, dt).await?;
            }
        }
        // From here on, nothing is awaited, because the picture must be drawn before the browser shows it.
        let picture = screen.picture()?;
        let target = picture.texture.create_view(&wgpu::TextureViewDescriptor::default());
        if pace == Pace::Ahead {
            let mut first = make();
            self.renderer.draw(&screen.queue, &mut first, &target, view);
            screen.queue.submit([first.finish()]);
            screen.queue.submit([encoder.finish()]);
        } else {
            self.renderer.draw(&screen.queue, &mut encoder, &target, view);
            screen.queue.submit([encoder.finish()]);
        }
        screen.present(picture);
        if pace == Pace::Timed {
            let of = if count > 0 { timed } else { self.last };
            return Ok(Some(Before { of, is_whole: true }));
        }
        let wanted = self.recorded;
        self.recorded += count;
        let before = self.before.replace(world.progress()?);
        let report = match before {
            None => None,
            Some(before) => {
                let of = before.report().await?;
                Some(Before { is_whole: of.steps == wanted, of })
            }
        };
        self.screen.heard()?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sat2d::sim::SimScene;

    #[test]
    fn a_body_that_is_added_is_drawn_and_falls_and_walls_leave_no_room() {
        let mut stage = Stage::on_cpu(SimScene::Pile.describe(50, 1)).unwrap();
        let view =
            View { size: [1, 1], scale: 1.0, centre: DVec2::ZERO, selected: None, palette: [[0.0; 4]; 9] };
        let bounds = stage.scene.bounds;
        let shape = stage.scene.bodies.last().unwrap().shape.index();
        pollster::block_on(async {
            stage.go_on(5, Pace::Timed, &view).await.unwrap();
            let before = (stage.ids.len(), stage.figures.bodies.len());
            let at = DVec2::new(0.5 * (bounds.min.x + bounds.max.x), bounds.max.y + 20.0);
            let id = stage.add(shape, at).await.unwrap().expect("room above the scene");
            assert_eq!((stage.ids.len(), stage.figures.bodies.len()), (before.0 + 1, before.1 + 1));
            let drawn = stage.figures.bodies.iter().find(|body| body.slot == id.index() as u32).unwrap();
            assert_eq!(drawn.shape as usize, shape);
            stage.go_on(30, Pace::Timed, &view).await.unwrap();
            assert!(stage.world.pose(id).unwrap().translation().y < at.y - 0.5);
            let wall = stage.scene.bodies[0].position;
            assert_eq!(stage.add(shape, wall).await.unwrap(), None);
            assert_eq!(stage.add(usize::MAX, at).await.unwrap(), None);
            // The restarted scene does not have the added body.
            stage.play(SimScene::Pile.describe(50, 1)).await.unwrap();
            assert_eq!(stage.ids.len(), before.0);
        });
    }
}
