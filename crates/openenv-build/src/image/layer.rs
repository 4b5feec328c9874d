//! Files of an image.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use tar::{Builder, EntryType, Header};

/// Some of the files of an image, each with its mode; all belong to root.
#[derive(Debug, Clone, Default)]
pub struct Layer {
    /// By path, without the slash in front: the order is that of the paths
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    mode: u32,
    /// Nothing for a directory
    content: Option<Arc<[u8]>>,
}

impl Layer {
    /// A layer without files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory, and those above it.
    #[must_use]
    pub fn directory(mut self, path: &str, mode: u32) -> Self {
        self.add(path, mode, None);
        self
    }

    /// Adds a file, and the directories above it.
    #[must_use]
    pub fn file(mut self, path: &str, mode: u32, content: impl Into<Arc<[u8]>>) -> Self {
        self.add(path, mode, Some(content.into()));
        self
    }

    fn add(&mut self, path: &str, mode: u32, content: Option<Arc<[u8]>>) {
        let path = path.trim_matches('/');
        for (end, _) in path.match_indices('/') {
            let above = self.entries.entry(path[..end].to_owned());
            above.or_insert(Entry {
                mode: 0o755,
                content: None,
            });
        }
        self.entries
            .insert(path.to_owned(), Entry { mode, content });
    }

    /// Adds the files to an archive, below a directory if `prefix` is one.
    pub(crate) fn write(
        &self,
        archive: &mut Builder<impl io::Write>,
        prefix: &str,
        time: u64,
    ) -> io::Result<()> {
        for (path, entry) in &self.entries {
            let content: &[u8] = entry.content.as_deref().unwrap_or_default();
            let (kind, end) = match entry.content {
                Some(_) => (EntryType::Regular, ""),
                None => (EntryType::Directory, "/"),
            };
            let path = format!("{prefix}{path}{end}");
            append(archive, &path, kind, entry.mode, time, content)?;
        }
        Ok(())
    }

    /// The files as an archive.
    pub(super) fn archive(&self, time: u64) -> io::Result<Vec<u8>> {
        let mut archive = Builder::new(Vec::new());
        self.write(&mut archive, "", time)?;
        archive.into_inner()
    }
}

/// Adds what belongs to root and has a certain time: nothing of this machine.
pub(crate) fn append(
    archive: &mut Builder<impl io::Write>,
    path: &str,
    kind: EntryType,
    mode: u32,
    time: u64,
    content: &[u8],
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(time);
    header.set_size(content.len() as u64);
    archive.append_data(&mut header, path, content)
}
