//! The bindings that the source of a shader declares.

/// The kind of a buffer that a shader binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that the shader only reads.
    Input,
    /// A storage buffer that the shader writes.
    Output,
}

/// The declaration of a variable that is bound to a buffer.
#[derive(Debug)]
#[cfg_attr(not(feature = "sim"), allow(dead_code, reason = "only worlds look at names and types"))]
pub(crate) struct Declaration<'a> {
    number: u32,
    pub(crate) kind: Binding,
    pub(crate) variable: &'a str,
    pub(crate) ty: &'a str,
}

/// Returns the declarations of the form `@binding(N) var<SPACE> VARIABLE: TYPE;` in `source`, sorted by `N`. `source` is a shader
/// of the library, with one group of bindings.
pub(crate) fn declarations(source: &str) -> Vec<Declaration<'_>> {
    let texts = source.split("@binding(").skip(1);
    let declared = texts.map(|text| declaration(text).expect("tests read the bindings of all shaders"));
    let mut declared: Vec<Declaration<'_>> = declared.collect();
    declared.sort_by_key(|declaration| declaration.number);
    declared
}

/// Parses `N) var<SPACE> VARIABLE: TYPE;` at the start of `text`. Blanks may be missing.
fn declaration(text: &str) -> Option<Declaration<'_>> {
    let (number, rest) = text.split_once(')')?;
    let (space, rest) = rest.trim_start().strip_prefix("var<")?.split_once('>')?;
    let (variable, rest) = rest.split_once(':')?;
    let (ty, _) = rest.split_once(';')?;
    let kind = match space.split_once(',').map(|(_, access)| access.trim()) {
        Some("read_write") => Binding::Output,
        Some(_) => Binding::Input,
        None => Binding::Uniform,
    };
    Some(Declaration { number: number.parse().ok()?, kind, variable: variable.trim(), ty: ty.trim() })
}

/// Asserts that [`declarations`] finds the bindings of a shader, also in its text without comments. `module` is the shader as
/// naga parses it.
#[cfg(test)]
pub(crate) fn assert_declarations(source: &str, module: &naga::Module) {
    use naga::{AddressSpace, StorageAccess};
    let mut expected: Vec<(u32, Binding, &str)> = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        let Some(resource) = &variable.binding else { continue };
        let kind = match variable.space {
            AddressSpace::Uniform => Binding::Uniform,
            AddressSpace::Storage { access: StorageAccess::LOAD } => Binding::Input,
            AddressSpace::Storage { .. } => Binding::Output,
            other => panic!("a binding in {other:?}"),
        };
        assert_eq!(resource.group, 0);
        expected.push((resource.binding, kind, variable.name.as_deref().expect("variables have names")));
    }
    expected.sort_unstable_by_key(|(number, ..)| *number);
    assert!(expected.iter().map(|(number, ..)| *number).eq(0..expected.len() as u32), "{expected:?}");
    let mut short_source = vec![0; crate::packed::wgsl::short(source, &mut [])];
    crate::packed::wgsl::short(source, &mut short_source);
    let short_source = String::from_utf8(short_source).expect("the source without comments is ASCII");
    for source in [source, &short_source] {
        let declared = declarations(source);
        let declared: Vec<_> = declared.iter().map(|d| (d.number, d.kind, d.variable)).collect();
        assert_eq!(declared, expected);
    }
}
