//! Macros that implement operations of one or a few instructions. Each operation is a row with its name, its arguments
//! and its value.

/// Evaluates `$value`, which uses the instructions of `$features`. Only functions that receive a token or a vector may
/// use this macro.
///
/// The macro compiles the value twice. The first copy is in a function that has the instructions, and this function is
/// never called. The instructions are safe there, so the compiler rejects a value that needs another guarantee, for
/// example a valid pointer.
macro_rules! with_instructions {
    ($features:literal, [$($constant:tt)*], ($($argument:tt: $type:ty),*), $value:expr) => {{
        #[allow(dead_code)]
        #[target_feature(enable = $features)]
        fn needs_only_instructions<$($constant)*>($($argument: $type),*) {
            let _ = $value;
        }
        // SAFETY: `needs_only_instructions` compiles, so the value needs only the instructions. A token exists only on
        // a machine that has the instructions, and only tokens create vectors.
        unsafe { $value }
    }};
}

/// Implements functions of a token, for example `doubles(x: f64) -> Avx512Doubles = Avx512Doubles(_mm512_set1_pd(x));`.
macro_rules! token_functions {
    ($features:literal; $($name:ident($($argument:ident: $type:ty),*) -> $result:ty = $value:expr;)*) => {
        $(
            #[inline(always)]
            fn $name(self, $($argument: $type),*) -> $result {
                with_instructions!($features, [], ($($argument: $type),*), $value)
            }
        )*
    };
}

/// Implements operations of a vector that consists of a `$register`. A row such as `above(a, b) -> u32 = ...;` names the
/// register of `self`, then the registers of the other vectors. An argument after a semicolon is not a vector:
/// `next_closed_by(a; closing: f64)`. If a row states no type, the result is a vector, and the value is its register.
macro_rules! operations {
    ($features:literal, $register:ty; $(
        $name:ident $(<const $constant:ident: $kind:ty>)? ($a:tt $(, $other:tt)* $(; $number:ident: $type:ty)?)
            $(-> $result:ty)? = $value:expr;
    )*) => {
        $(
            operations! {
                @function ($($result)?)
                [fn $name $(<const $constant: $kind>)? (self $(, Self($other): Self)* $(, $number: $type)?)]
                {
                    let Self($a) = self;
                    with_instructions!(
                        $features,
                        [$(const $constant: $kind)?],
                        ($a: $register $(, $other: $register)* $(, $number: $type)?),
                        $value
                    )
                }
            }
        )*
    };
    (@function () [$($signature:tt)*] $body:block) => {
        #[inline(always)]
        $($signature)* -> Self {
            Self($body)
        }
    };
    (@function ($result:ty) [$($signature:tt)*] $body:block) => {
        #[inline(always)]
        $($signature)* -> $result $body
    };
}

/// Implements operations of a vector that consists of two registers. The value of a row computes one register of the
/// result from the corresponding registers of the arguments.
macro_rules! operations_of_halves {
    ($features:literal, $register:ty; $(
        $name:ident $(<const $constant:ident: $kind:ty>)? ($a:ident $(, $other:ident)*) = $value:expr;
    )*) => {
        $(
            #[inline(always)]
            fn $name $(<const $constant: $kind>)? (self $(, $other: Self)*) -> Self {
                let $a = self;
                Self([
                    operations_of_halves! {
                        @half 0 $features, $register, [$(const $constant: $kind)?], ($a $(, $other)*), $value
                    },
                    operations_of_halves! {
                        @half 1 $features, $register, [$(const $constant: $kind)?], ($a $(, $other)*), $value
                    },
                ])
            }
        )*
    };
    (@half $half:tt $features:literal, $register:ty, $constant:tt, ($($argument:ident),*), $value:expr) => {{
        $(let $argument = $argument.0[$half];)*
        with_instructions!($features, $constant, ($($argument: $register),*), $value)
    }};
}
