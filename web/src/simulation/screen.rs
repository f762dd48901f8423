//! A device and the canvas that it draws to.

use std::sync::{Arc, Mutex};

use sat2d::Error;
use sat2d::wgpu;

/// What the device said on its own, first of all.
#[derive(Clone, Debug, Default)]
pub struct Complaints {
    /// Why it is gone.
    pub lost: Option<String>,
    /// What went wrong where nobody was asking.
    pub error: Option<String>,
}

/// The device, and where its pictures go.
#[derive(Debug)]
pub struct Screen {
    /// The device that the world steps on too.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    complaints: Arc<Mutex<Complaints>>,
}

impl Screen {
    /// A device of an adapter that can draw to the canvas.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], [`Error::Device`].
    #[cfg(target_family = "wasm")]
    pub async fn new(canvas: web_sys::HtmlCanvasElement) -> sat2d::Result<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::BROWSER_WEBGPU,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let failed = |reason: String| Error::Device { reason };
        let surface = instance
            .create_surface(wgpu::SurfaceTarget::Canvas(canvas))
            .map_err(|error| failed(error.to_string()))?;
        let adapter = instance
            .request_adapter(&wgpu::RequestAdapterOptions {
                power_preference: wgpu::PowerPreference::HighPerformance,
                compatible_surface: Some(&surface),
                ..Default::default()
            })
            .await
            .map_err(|error| Error::NoAdapter { reason: error.to_string() })?;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("simulation"),
                required_limits: adapter.limits(),
                // How long stages take, where the browser tells.
                required_features: adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
                ..Default::default()
            })
            .await
            .map_err(|error| failed(error.to_string()))?;
        let configuration = surface
            .get_default_config(&adapter, 1, 1)
            .ok_or_else(|| failed("the adapter cannot draw to a canvas".into()))?;
        surface.configure(&device, &configuration);
        let complaints = Arc::<Mutex<Complaints>>::default();
        listen(&device, &complaints);
        Ok(Self { device, queue, surface, configuration, complaints })
    }

    /// The format of its pictures.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.configuration.format
    }

    /// Width and height of its pictures, in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.configuration.width, self.configuration.height]
    }

    /// Makes pictures of this size, in pixels.
    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        let most = self.device.limits().max_texture_dimension_2d;
        let size = [width, height].map(|pixels| pixels.clamp(1, most));
        if size != self.size() {
            [self.configuration.width, self.configuration.height] = size;
            self.surface.configure(&self.device, &self.configuration);
        }
    }

    /// The picture that is shown next, to be painted before the browser goes on to anything else.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] where the browser gives none.
    pub fn picture(&self) -> sat2d::Result<wgpu::SurfaceTexture> {
        use wgpu::CurrentSurfaceTexture::{
            Lost, Occluded, Outdated, Suboptimal, Success, Timeout, Validation,
        };
        let why = match self.surface.get_current_texture() {
            Success(picture) | Suboptimal(picture) => return Ok(picture),
            Timeout => "it took too long",
            Occluded => "it is hidden",
            Outdated => "it has changed",
            Lost => "it is lost",
            Validation => "it was asked for wrongly",
        };
        Err(Error::DeviceLost { reason: format!("the canvas gives no picture: {why}") })
    }

    /// Hands a painted picture to the browser.
    pub fn present(&self, picture: wgpu::SurfaceTexture) {
        self.queue.present(picture);
    }

    /// What the device said on its own.
    ///
    /// # Errors
    /// [`Error::DeviceLost`] and [`Error::Device`], with its words.
    pub fn heard(&self) -> sat2d::Result<()> {
        let Ok(complaints) = self.complaints.lock() else { return Ok(()) };
        match (&complaints.lost, &complaints.error) {
            (Some(reason), _) => Err(Error::DeviceLost { reason: reason.clone() }),
            (None, Some(reason)) => Err(Error::Device { reason: reason.clone() }),
            (None, None) => Ok(()),
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // In a browser nothing else frees its buffers before the garbage of the page is collected.
        self.device.destroy();
    }
}

#[cfg(target_family = "wasm")]
fn listen(device: &wgpu::Device, complaints: &Arc<Mutex<Complaints>>) {
    let of_loss = Arc::clone(complaints);
    device.set_device_lost_callback(move |reason, message| {
        if let Ok(mut complaints) = of_loss.lock() {
            complaints.lost.get_or_insert(format!("{reason:?} {message}"));
        }
    });
    let of_errors = Arc::clone(complaints);
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        if let Ok(mut complaints) = of_errors.lock() {
            complaints.error.get_or_insert(error.to_string());
        }
    }));
}
