//! Draws the bodies of a world on its device. The renderer reads the world's own buffer, so nothing is copied to the
//! host.
//!
//! All bodies are one mesh. With one instance for each body, a device would take longer to start an instance than to draw its few
//! triangles.

use sat2d::glam::DVec2;
use sat2d::sim::DeviceBuffers;
use sat2d::wgpu;

use super::figures::Figures;
use super::shader::shader;

/// The number of colours: one for each [`super::figures::Kind`], then the colours of lines, of the selected body and of the
/// background.
pub const COLOURS: usize = 9;
const BACKGROUND: usize = 8;

/// The visible part of the world, and the colours.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// The width and the height of the picture, in pixels.
    pub size: [u32; 2],
    /// The number of pixels per unit of length.
    pub scale: f64,
    /// The position in the world at the middle of the picture.
    pub centre: DVec2,
    /// The slot of the selected body, or `None` if no body is selected.
    pub selected: Option<u32>,
    /// The colours as red, green, blue and alpha, from 0 to 1.
    pub palette: [[f32; 4]; COLOURS],
}

/// The render pass, with its inputs except the world.
#[derive(Debug)]
pub struct Renderer {
    pipeline: wgpu::RenderPipeline,
    uniform: wgpu::Buffer,
    quantum: f32,
    /// The index of each body's record in the buffers of the world, by the slot of the body.
    records: Vec<u32>,
    scene: Option<Scene>,
}

#[derive(Debug)]
struct Scene {
    group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    index_count: u32,
}

const SOURCE: &str = shader!("../../shaders/bodies.wgsl");
/// The size of `View` in the shader, in bytes.
const UNIFORM_BYTES: usize = 32 + 16 * COLOURS;

impl Renderer {
    /// Creates a renderer for pictures of a format.
    #[must_use]
    pub fn new(device: &wgpu::Device, format: wgpu::TextureFormat) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("bodies"),
            source: wgpu::ShaderSource::Wgsl([DeviceBuffers::WGSL, SOURCE].concat().into()),
        });
        let compilation_options = wgpu::PipelineCompilationOptions::default();
        let pipeline = device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("bodies"),
            layout: None,
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("corner"),
                compilation_options: compilation_options.clone(),
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: VERTEX_BYTES,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Uint32, 1 => Uint32, 2 => Uint32],
                })],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("colour"),
                compilation_options,
                targets: &[Some(wgpu::ColorTargetState {
                    format,
                    blend: Some(wgpu::BlendState::PREMULTIPLIED_ALPHA_BLENDING),
                    write_mask: wgpu::ColorWrites::ALL,
                })],
            }),
            multiview_mask: None,
            cache: None,
        });
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: UNIFORM_BYTES as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { pipeline, uniform, quantum: 1.0, records: Vec::new(), scene: None }
    }

    /// Sets the figures that are drawn from now on. `records` has, for each slot of a body, the index of the body's record in
    /// `buffers`.
    pub fn show(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        figures: &Figures,
        records: Vec<u32>,
        buffers: &DeviceBuffers,
        quantum: f64,
    ) {
        let mut corners: Vec<u8> = Vec::new();
        let mut firsts = Vec::new();
        for outline in &figures.outlines {
            firsts.push((corners.len() / CORNER_BYTES) as u32);
            let edges = edge_distances(&outline.ring);
            let nearest = edges.iter().copied().fold(f64::INFINITY, f64::min);
            for (corner, edge) in outline.ring.iter().zip(&edges) {
                let record = [corner.x, corner.y, *edge, nearest];
                corners.extend(record.iter().flat_map(|&x| (x as f32).to_le_bytes()));
            }
        }
        let (mut vertices, mut indices): (Vec<u8>, Vec<u8>) = (Vec::new(), Vec::new());
        let mut vertex_count = 0;
        for body in &figures.bodies {
            let (first, count) =
                (firsts[body.shape as usize], figures.outlines[body.shape as usize].ring.len());
            for corner in (first..first + count as u32).chain([CENTRE]) {
                let record = [records[body.slot as usize], body.kind as u32, corner];
                vertices.extend(record.iter().flat_map(|word| word.to_le_bytes()));
            }
            let of_body = triangles(count as u32).map(|vertex| vertex_count + vertex);
            indices.extend(of_body.flat_map(u32::to_le_bytes));
            vertex_count += count as u32 + 1;
        }
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("bodies"),
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: self.uniform.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: buffers.states.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: filled(device, queue, &corners, STORAGE).as_entire_binding(),
                },
            ],
        });
        self.quantum = quantum as f32;
        self.records = records;
        self.scene = Some(Scene {
            group,
            index_count: (indices.len() / size_of::<u32>()) as u32,
            vertices: filled(device, queue, &vertices, wgpu::BufferUsages::VERTEX),
            indices: filled(device, queue, &indices, wgpu::BufferUsages::INDEX),
        });
    }

    /// Records the pass that draws a picture.
    pub fn draw(
        &self,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        view: &View,
    ) {
        queue.write_buffer(&self.uniform, 0, &self.uniform_of(view));
        let [r, g, b, a] = view.palette[BACKGROUND].map(f64::from);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("bodies"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r, g, b, a }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        let Some(scene) = &self.scene else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &scene.group, &[]);
        pass.set_vertex_buffer(0, scene.vertices.slice(..));
        pass.set_index_buffer(scene.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..scene.index_count, 0, 0..1);
    }

    fn uniform_of(&self, view: &View) -> Vec<u8> {
        let half = view.size.map(|pixels| 0.5 * f64::from(pixels));
        let scale = [view.scale / half[0], view.scale / half[1]];
        let shift = [-view.centre.x * scale[0], -view.centre.y * scale[1]];
        let mut bytes = Vec::with_capacity(UNIFORM_BYTES);
        let mut add = |x: f32| bytes.extend(x.to_le_bytes());
        scale.iter().chain(&shift).for_each(|&x| add(x as f32));
        add(view.scale as f32);
        add(self.quantum);
        let selected = view.selected.and_then(|slot| self.records.get(slot as usize));
        bytes.extend(selected.copied().unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(view.palette.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes
    }
}

const CORNER_BYTES: usize = 16;
/// The size of a vertex in bytes. A vertex has three integers of 4 bytes: the index of the body's record, the kind of the body,
/// and the corner.
const VERTEX_BYTES: u64 = 12;
/// The value that a vertex at the centre of mass has in place of the index of a corner. The shader has the same value as
/// `CENTRE`.
const CENTRE: u32 = u32::MAX;
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE;

/// Returns the vertex indices of one triangle for each edge of a ring with `count` corners. The triangle's vertices are the
/// start of the edge, the end of the edge and the centre, which follows the corners.
fn triangles(count: u32) -> impl Iterator<Item = u32> {
    (0..count).flat_map(move |corner| [corner, (corner + 1) % count, count])
}

/// Returns, for each edge of a ring, the distance between its line and the centre of mass. The distance is 0 if the centre of mass
/// is not on the inner side of the line.
fn edge_distances(ring: &[DVec2]) -> Vec<f64> {
    let edge = |k: usize| {
        let (from, to) = (ring[k], ring[(k + 1) % ring.len()]);
        (to - from).normalize_or_zero().perp_dot(-from).max(0.0)
    };
    (0..ring.len()).map(edge).collect()
}

/// Creates a buffer for `usage` that contains `bytes`.
pub(super) fn filled(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    bytes: &[u8],
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        // A binding must not be empty.
        size: bytes.len().max(16) as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}
