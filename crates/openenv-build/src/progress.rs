//! What is told while something is built.

/// Something that happened, for who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A part of the work begins
    Step(&'a str),
    /// A line that a tool wrote, with its colours if it was asked for them
    Line(&'a str),
}

/// Where it is told. It is called from the task that builds, and should not block.
pub type Tell<'a> = &'a (dyn Fn(Progress<'_>) + Sync);
