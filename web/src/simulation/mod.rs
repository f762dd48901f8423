//! The simulation as the page calls it. One call at a time: each is to be awaited before the next.

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

/// A world that is stepped and drawn: on a device that draws to a canvas, or on the CPU for the page to draw.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    stage: Stage,
    view: View,
    poses: Vec<[f32; 4]>,
}

/// What a call of [`Simulation::frame`] did. Times are in milliseconds.
#[derive(Serialize)]
struct Report {
    /// Since the scene began.
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
    /// On the CPU.
    ///
    /// # Errors
    /// For an unknown scene.
    #[wasm_bindgen(js_name = onCpu)]
    pub fn on_cpu(scene: &str, count: u32, seed: u32) -> Answer<Simulation> {
        Ok(Self::of(Stage::on_cpu(describe(scene, count, seed)?)?))
    }

    /// On a device of the browser that draws to this canvas.
    ///
    /// # Errors
    /// For an unknown scene, and where there is no such device.
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

    /// Another scene, or the same anew.
    ///
    /// # Errors
    /// For an unknown scene; the device's.
    pub async fn play(&mut self, scene: String, count: u32, seed: u32) -> Answer<()> {
        self.view.selected = None;
        Ok(self.stage.play(describe(&scene, count, seed)?).await?)
    }

    /// Steps, and on a device a picture: `{ step, contacts, pairs, regrown, times }`. The pace, which counts on a device alone, is
    /// the name of a [`Pace`], in lower case. Where it is not `timed`, contacts and pairs are those of the call before, and of the
    /// steps until `step` the last are under way.
    ///
    /// # Errors
    /// For an unknown pace; where a body leaves the world; the device's.
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

    /// What part of the world is seen: pixels of the picture, pixels a unit of length, and the place in the middle.
    #[wasm_bindgen(js_name = look)]
    pub fn look(&mut self, width: u32, height: u32, scale: f64, x: f64, y: f64) {
        let mut size = [width, height];
        if let Some(screen) = self.stage.screen() {
            screen.resize(size);
            size = screen.size();
        }
        self.view = View { size, scale, centre: DVec2::new(x, y), ..self.view };
    }

    /// Colours, red, green, blue and alpha from 0 to 1 of each: by kind, then that of lines, of what stands out, and behind
    /// everything.
    #[wasm_bindgen(js_name = setPalette)]
    pub fn set_palette(&mut self, colours: &[f32]) {
        for (colour, value) in self.view.palette.iter_mut().zip(colours.chunks_exact(4)) {
            colour.copy_from_slice(value);
        }
    }

    /// What a picture shows: least x and y, greatest x and y.
    pub fn bounds(&self) -> Vec<f64> {
        let bounds = self.stage.scene.bounds;
        vec![bounds.min.x, bounds.min.y, bounds.max.x, bounds.max.y]
    }

    /// Seconds of the world in a step.
    pub fn dt(&self) -> f64 {
        self.stage.scene.dt
    }

    /// Bodies of any kind.
    #[wasm_bindgen(js_name = bodyCount)]
    pub fn body_count(&self) -> u32 {
        self.stage.ids.len() as u32
    }

    /// For a page that draws on its own: `{ ring, radius }` of each shape, x and y in turns about the centre of mass; the
    /// radius is 0 of all but circles.
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

    /// For a page that draws on its own: slot, shape and kind of each body in turns, in the order in which they are drawn.
    pub fn figures(&self) -> Vec<u32> {
        let figures = &self.stage.figures.bodies;
        figures.iter().flat_map(|body| [body.slot, body.shape, body.kind as u32]).collect()
    }

    /// For a page that draws on its own: of each slot x and y of the centre of mass, cosine and sine of its turn, into an array
    /// as long as that.
    ///
    /// # Errors
    /// On a device, where bodies are drawn without this.
    pub fn poses(&mut self, into: &Float32Array) -> Answer<()> {
        self.stage.world.poses([0.0, 0.0], &mut self.poses)?;
        into.copy_from(self.poses.as_flattened());
        Ok(())
    }

    /// The checksum of the world, as 16 hexadecimal digits: see [`sat2d::sim::World::checksum`].
    ///
    /// # Errors
    /// On a device.
    pub fn checksum(&mut self) -> Result<String, JsError> {
        Ok(format!("{:016x}", self.stage.world.checksum()?))
    }

    /// Adds a body at rest, of a shape of [`Simulation::outlines`] that bodies of the scene have which move. Its slot; none where
    /// there is a wall. What is drawn is to be asked for again.
    ///
    /// # Errors
    /// Where the place is too far away; the device's.
    pub async fn add(&mut self, shape: u32, x: f64, y: f64) -> Answer<Option<u32>> {
        let added = self.stage.add(shape as usize, DVec2::new(x, y)).await?;
        Ok(added.map(|body| body.index() as u32))
    }

    /// Acceleration of all bodies from now on.
    ///
    /// # Errors
    /// Where it is not finite.
    #[wasm_bindgen(js_name = setGravity)]
    pub fn set_gravity(&mut self, x: f64, y: f64) -> Answer<()> {
        Ok(self.stage.world.set_gravity([x, y])?)
    }

    /// Acceleration of all bodies: x and y.
    pub fn gravity(&self) -> Vec<f64> {
        self.stage.world.options().gravity.to_array().into()
    }

    /// The slot of the body that moves at a place or nearest to it within a distance.
    ///
    /// # Errors
    /// The device's.
    pub async fn pick(&mut self, x: f64, y: f64, within: f64) -> Answer<Option<u32>> {
        Ok(self.stage.pick(DVec2::new(x, y), within).await?.map(|body| body.index() as u32))
    }

    /// Has the body of a slot stand out, or none.
    pub fn select(&mut self, slot: Option<u32>) {
        self.view.selected = slot;
    }

    /// Where the body of a slot is, and how fast: x, y, and the velocity along either.
    ///
    /// # Errors
    /// The device's; where there is no such body.
    pub async fn body(&mut self, slot: u32) -> Answer<Vec<f64>> {
        self.stage.sync().await?;
        let body = self.id(slot)?;
        let at = self.stage.world.pose(body)?.translation();
        let (velocity, _) = self.stage.world.velocity(body)?;
        Ok(vec![at.x, at.y, velocity.x, velocity.y])
    }

    /// Gives the body of a slot a velocity, without turning.
    ///
    /// # Errors
    /// Where there is no such body.
    pub fn throw(&mut self, slot: u32, x: f64, y: f64) -> Answer<()> {
        let body = self.id(slot)?;
        Ok(self.stage.world.set_velocity(body, [x, y], 0.0)?)
    }

    fn id(&self, slot: u32) -> Answer<BodyId> {
        let known = self.stage.ids.iter().find(|body| body.index() == slot as usize);
        known.copied().ok_or_else(|| Failure::internal(format!("there is no body {slot}")))
    }

    /// The mean height of bodies that move.
    ///
    /// # Errors
    /// The device's.
    #[wasm_bindgen(js_name = meanHeight)]
    pub async fn mean_height(&mut self) -> Answer<f64> {
        self.stage.sync().await?;
        Ok(self.stage.world.mean_position()?.y)
    }

    /// The points where bodies touched in the last step: `{ values, total }`, rows of x, y, normal x and y, impulse.
    ///
    /// # Errors
    /// The device's.
    pub async fn contacts(&mut self, limit: u32) -> Answer<JsValue> {
        self.stage.settle().await?;
        let contacts = self.stage.world.contacts_async().await?;
        object_of(&marks::contacts(&contacts, limit as usize))
    }

    /// The boxes around bodies: `{ values, total }`, rows of least x and y, greatest x and y.
    ///
    /// # Errors
    /// The device's.
    pub async fn boxes(&mut self, limit: u32) -> Answer<JsValue> {
        self.stage.sync().await?;
        object_of(&marks::boxes(&mut self.stage.world, &self.stage.ids, limit as usize)?)
    }

    /// Pairs whose boxes met in the last step: `{ values, total }`, rows of two ends.
    ///
    /// # Errors
    /// The device's.
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
