//! A device and the canvas that it draws to.

use std::sync::{Arc, Mutex};

use sat2d::Error;
use sat2d::wgpu;

/// The first problems that the device reported while no call was waiting for it.
#[derive(Clone, Debug, Default)]
pub struct Complaints {
    /// The reason why the device was lost, or `None` if it was not lost.
    pub lost: Option<String>,
    /// The message of the first error that no call handled, or `None` if there was no such error.
    pub error: Option<String>,
}

/// A device and its canvas.
#[derive(Debug)]
pub struct Screen {
    /// The device. The world also steps on it.
    pub device: wgpu::Device,
    /// The queue of the device.
    pub queue: wgpu::Queue,
    surface: wgpu::Surface<'static>,
    configuration: wgpu::SurfaceConfiguration,
    complaints: Arc<Mutex<Complaints>>,
}

impl Screen {
    /// Creates a device on an adapter that can draw to the canvas.
    ///
    /// # Errors
    /// Returns [`Error::NoAdapter`] or [`Error::Device`].
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
                // Timestamps show the time of each stage, if the browser allows them.
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

    /// Returns the format of the pictures.
    #[must_use]
    pub fn format(&self) -> wgpu::TextureFormat {
        self.configuration.format
    }

    /// Returns the width and the height of the pictures, in pixels.
    #[must_use]
    pub fn size(&self) -> [u32; 2] {
        [self.configuration.width, self.configuration.height]
    }

    /// Sets the size of the pictures, in pixels.
    pub fn resize(&mut self, [width, height]: [u32; 2]) {
        let most = self.device.limits().max_texture_dimension_2d;
        let size = [width, height].map(|pixels| pixels.clamp(1, most));
        if size != self.size() {
            [self.configuration.width, self.configuration.height] = size;
            self.surface.configure(&self.device, &self.configuration);
        }
    }

    /// Returns the next picture. The caller must draw it before the browser continues with other work.
    ///
    /// # Errors
    /// Returns [`Error::DeviceLost`] if the browser provides no picture.
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

    /// Passes a drawn picture to the browser.
    pub fn present(&self, picture: wgpu::SurfaceTexture) {
        self.queue.present(picture);
    }

    /// Checks whether the device has reported a problem outside of calls.
    ///
    /// # Errors
    /// Returns [`Error::DeviceLost`] or [`Error::Device`], with the message of the device.
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
        // Otherwise, a browser frees the buffers only when it collects the garbage of the page.
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
