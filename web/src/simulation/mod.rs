//! The simulation for the page. The page must await each call before the next one.

pub mod figures;
pub mod marks;
pub mod renderer;
pub mod screen;
mod shader;
pub mod stage;
pub mod steering;

use js_sys::{Array, Float32Array, Object, Reflect};
use sat2d::glam::DVec2;
use sat2d::sim::{BodyId, SceneDescription, SimScene, StepReport};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use marks::Marks;
use renderer::{COLOURS, View};
use stage::{Pace, Stage};

use crate::answer::{Answer, Failure};

/// A world that is stepped and drawn. A world on a device draws to a canvas. For a world on the CPU, the page draws.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    stage: Stage,
    view: View,
    poses: Vec<[f32; 4]>,
}

/// The result of [`Simulation::frame`]. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    /// The number of steps since the scene began.
    step: u64,
    contacts: u64,
    pairs: u64,
    regrown: u32,
    times: Times,
}

#[derive(Serialize)]
struct Times {
    broad: f64,
    narrow: f64,
    prepare: f64,
    solve: f64,
    finish: f64,
}

fn describe(scene: &str, count: u32, seed: u32) -> sat2d::Result<SceneDescription> {
    Ok(scene.parse::<SimScene>()?.describe(count as usize, seed.into()))
}

#[wasm_bindgen]
impl Simulation {
    /// Creates a simulation on the CPU.
    ///
    /// # Errors
    /// Returns an error if the scene is unknown.
    #[wasm_bindgen(js_name = onCpu)]
    pub fn on_cpu(scene: &str, count: u32, seed: u32) -> Answer<Simulation> {
        Ok(Self::of(Stage::on_cpu(describe(scene, count, seed)?)?))
    }

    /// Creates a simulation on a device of the browser that draws to this canvas.
    ///
    /// # Errors
    /// Returns an error if the scene is unknown or no device is available.
    #[cfg(target_family = "wasm")]
    #[wasm_bindgen(js_name = onDevice)]
    pub async fn on_device(
        canvas: web_sys::HtmlCanvasElement,
        scene: String,
        count: u32,
        seed: u32,
    ) -> Answer<Simulation> {
        let scene = describe(&scene, count, seed)?;
        let screen = screen::Screen::new(canvas).await?;
        Ok(Self::of(Stage::on_device(scene, screen).await?))
    }

    fn of(stage: Stage) -> Self {
        let bounds = stage.scene.bounds;
        let centre = 0.5 * (bounds.min + bounds.max);
        let view = View { size: [1, 1], scale: 1.0, centre, selected: None, palette: [[0.0; 4]; COLOURS] };
        Self { stage, view, poses: Vec::new() }
    }

    /// Starts another scene, or the same scene again.
    ///
    /// # Errors
    /// Returns an error if the scene is unknown, and the errors of the device.
    pub async fn play(&mut self, scene: String, count: u32, seed: u32) -> Answer<()> {
        self.view.selected = None;
        Ok(self.stage.play(describe(&scene, count, seed)?).await?)
    }

    /// Takes steps and, on a device, draws a picture. Returns `{ step, contacts, pairs, regrown, times }`. `pace` is the name of
    /// a [`Pace`] in lower case, and only affects a device. On a device, if the pace is not `timed`, the report describes the
    /// steps of the previous call, and the last steps that `step` counts may not be finished.
    ///
    /// # Errors
    /// Returns an error if the pace is unknown or a body leaves the world, and the errors of the device.
    pub async fn frame(&mut self, steps: u32, pace: String) -> Answer<JsValue> {
        let pace = Pace::named(&pace).map_err(Failure::internal)?;
        let StepReport { candidates, contacts, regrown, times, .. } =
            self.stage.go_on(steps.into(), pace, &self.view).await?;
        let milliseconds = |time: std::time::Duration| 1e3 * time.as_secs_f64();
        let times = Times {
            broad: milliseconds(times.broad_phase),
            narrow: milliseconds(times.narrow_phase),
            prepare: milliseconds(times.prepare),
            solve: milliseconds(times.solve),
            finish: milliseconds(times.finish),
        };
        Ok(serde_wasm_bindgen::to_value(&Report {
            step: self.stage.steps,
            contacts,
            pairs: candidates,
            regrown,
            times,
        })?)
    }

    /// Sets the visible part of the world: the size in pixels, the pixels per unit of length, and the position of the middle.
    #[wasm_bindgen(js_name = look)]
    pub fn look(&mut self, width: u32, height: u32, scale: f64, x: f64, y: f64) {
        let mut size = [width, height];
        if let Some(screen) = self.stage.screen() {
            screen.resize(size);
            size = screen.size();
        }
        self.view = View { size, scale, centre: DVec2::new(x, y), ..self.view };
    }

    /// Sets the colours as red, green, blue and alpha, from 0 to 1: one for each kind, then the colours of lines, of the selected
    /// body and of the background.
    #[wasm_bindgen(js_name = setPalette)]
    pub fn set_palette(&mut self, colours: &[f32]) {
        for (colour, value) in self.view.palette.iter_mut().zip(colours.chunks_exact(4)) {
            colour.copy_from_slice(value);
        }
    }

    /// Returns the box around the scene: least x, least y, greatest x, greatest y.
    pub fn bounds(&self) -> Vec<f64> {
        let bounds = self.stage.scene.bounds;
        vec![bounds.min.x, bounds.min.y, bounds.max.x, bounds.max.y]
    }

    /// Returns the duration of a step, in seconds of the world.
    pub fn dt(&self) -> f64 {
        self.stage.scene.dt
    }

    /// Returns the number of bodies of all kinds.
    #[wasm_bindgen(js_name = bodyCount)]
    pub fn body_count(&self) -> u32 {
        self.stage.ids.len() as u32
    }

    /// Returns `{ ring, radius }` of each shape, for a page that draws by itself. A ring has x and y of each corner, relative to
    /// the centre of mass. The radius is 0 for shapes that are not circles.
    pub fn outlines(&self) -> Result<Array, JsValue> {
        let outlines = Array::new();
        for outline in &self.stage.figures.outlines {
            let ring: Vec<f32> = outline.ring.iter().flat_map(|corner| corner.as_vec2().to_array()).collect();
            let entry = Object::new();
            Reflect::set(&entry, &"ring".into(), &Float32Array::from(&ring[..]))?;
            Reflect::set(&entry, &"radius".into(), &outline.radius.into())?;
            outlines.push(&entry);
        }
        Ok(outlines)
    }

    /// Returns slot, shape and kind of each body, for a page that draws by itself. The bodies are in the order in which they are
    /// drawn.
    pub fn figures(&self) -> Vec<u32> {
        let figures = &self.stage.figures.bodies;
        figures.iter().flat_map(|body| [body.slot, body.shape, body.kind as u32]).collect()
    }

    /// Writes the pose of each body into an array, by slot, for a page that draws by itself. A pose is x and y of the centre of
    /// mass, and the cosine and the sine of the angle. The array must have exactly four numbers for each slot.
    ///
    /// # Errors
    /// Returns an error on a device, which draws the bodies itself.
    pub fn poses(&mut self, into: &Float32Array) -> Answer<()> {
        self.stage.world.poses([0.0, 0.0], &mut self.poses)?;
        into.copy_from(self.poses.as_flattened());
        Ok(())
    }

    /// Returns the checksum of the world as 16 hexadecimal digits. [`sat2d::sim::World::checksum`] defines it.
    ///
    /// # Errors
    /// Returns an error on a device.
    pub fn checksum(&mut self) -> Result<String, JsError> {
        Ok(format!("{:016x}", self.stage.world.checksum()?))
    }

    /// Adds a body at rest at (x, y). `shape` is the index of its shape in [`Simulation::outlines`]. Returns the slot of the
    /// body, or none if a static body is in the way or no dynamic body of the scene has this shape. After a body was added, the
    /// page must call [`Simulation::figures`] again.
    ///
    /// # Errors
    /// Returns an error if the position is too far away, and the errors of the device.
    pub async fn add(&mut self, shape: u32, x: f64, y: f64) -> Answer<Option<u32>> {
        let added = self.stage.add(shape as usize, DVec2::new(x, y)).await?;
        Ok(added.map(|body| body.index() as u32))
    }

    /// Sets the acceleration of gravity, the same for all bodies.
    ///
    /// # Errors
    /// Returns an error if the acceleration is not finite.
    #[wasm_bindgen(js_name = setGravity)]
    pub fn set_gravity(&mut self, x: f64, y: f64) -> Answer<()> {
        Ok(self.stage.world.set_gravity([x, y])?)
    }

    /// Returns the acceleration of gravity: x, y.
    pub fn gravity(&self) -> Vec<f64> {
        self.stage.world.options().gravity.to_array().into()
    }

    /// Returns the slot of the dynamic body at the position (x, y), or of the nearest dynamic body at a distance of at most
    /// `within`. Returns none if there is no such body.
    ///
    /// # Errors
    /// Returns the errors of the device.
    pub async fn pick(&mut self, x: f64, y: f64, within: f64) -> Answer<Option<u32>> {
        Ok(self.stage.pick(DVec2::new(x, y), within).await?.map(|body| body.index() as u32))
    }

    /// Highlights the body of a slot, or no body.
    pub fn select(&mut self, slot: Option<u32>) {
        self.view.selected = slot;
    }

    /// Returns the position and the velocity of the body of a slot: x, y and the velocity along x and y.
    ///
    /// # Errors
    /// Returns the errors of the device, and an error if there is no such body.
    pub async fn body(&mut self, slot: u32) -> Answer<Vec<f64>> {
        self.stage.sync().await?;
        let body = self.id(slot)?;
        let at = self.stage.world.pose(body)?.translation();
        let (velocity, _) = self.stage.world.velocity(body)?;
        Ok(vec![at.x, at.y, velocity.x, velocity.y])
    }

    /// Sets the velocity of the body of a slot to (x, y), and its angular velocity to 0.
    ///
    /// # Errors
    /// Returns an error if there is no such body.
    pub fn throw(&mut self, slot: u32, x: f64, y: f64) -> Answer<()> {
        let body = self.id(slot)?;
        Ok(self.stage.world.set_velocity(body, [x, y], 0.0)?)
    }

    fn id(&self, slot: u32) -> Answer<BodyId> {
        let known = self.stage.ids.iter().find(|body| body.index() == slot as usize);
        known.copied().ok_or_else(|| Failure::internal(format!("there is no body {slot}")))
    }

    /// Returns the mean height of the bodies that can move.
    ///
    /// # Errors
    /// Returns the errors of the device.
    #[wasm_bindgen(js_name = meanHeight)]
    pub async fn mean_height(&mut self) -> Answer<f64> {
        self.stage.sync().await?;
        Ok(self.stage.world.mean_position()?.y)
    }

    /// Returns the points where bodies touched in the last step, as `{ values, total }`. `total` is the number of these points.
    /// `values` has a row for each of the first `limit` points: x, y, normal x, normal y, impulse.
    ///
    /// # Errors
    /// Returns the errors of the device.
    pub async fn contacts(&mut self, limit: u32) -> Answer<JsValue> {
        self.stage.settle().await?;
        let contacts = self.stage.world.contacts_async().await?;
        object_of(&marks::contacts(&contacts, limit as usize))
    }

    /// Returns the boxes around the bodies that can move, as `{ values, total }`. `total` is the number of these bodies. `values`
    /// has a row for each of the first `limit` bodies: least x, least y, greatest x, greatest y.
    ///
    /// # Errors
    /// Returns the errors of the device.
    pub async fn boxes(&mut self, limit: u32) -> Answer<JsValue> {
        self.stage.sync().await?;
        object_of(&marks::boxes(&mut self.stage.world, &self.stage.ids, limit as usize)?)
    }

    /// Returns lines for the pairs of bodies whose boxes met in the last step, as `{ values, total }`. `total` is the number of
    /// these pairs. `values` has a row for each of the first `limit` pairs: x and y of one end of the line, x and y of the
    /// other end.
    ///
    /// # Errors
    /// Returns the errors of the device.
    pub async fn pairs(&mut self, limit: u32) -> Answer<JsValue> {
        self.stage.sync().await?;
        let pairs = self.stage.world.candidate_pairs_async().await?;
        object_of(&marks::pairs(&mut self.stage.world, &pairs, limit as usize)?)
    }
}

fn object_of(marks: &Marks) -> Answer<JsValue> {
    let object = Object::new();
    let set = |name: &str, value: &JsValue| {
        Reflect::set(&object, &name.into(), value).map_err(|_| Failure::internal("the answer is no object"))
    };
    set("values", &Float32Array::from(&marks.values[..]))?;
    set("total", &(marks.total as f64).into())?;
    Ok(object.into())
}
