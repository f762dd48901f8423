//! Runs wasm-bindgen on the module of the live page: writes the JavaScript and the processed WebAssembly module to a folder.

use std::env::args_os;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut args = args_os().skip(1);
    let (Some(input), Some(folder)) = (args.next(), args.next()) else {
        eprintln!("usage: sat2d-web-bindgen MODULE.wasm FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).typescript(false).omit_default_module_path(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let made = bindgen.web(true).and_then(|bindgen| bindgen.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("Error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
