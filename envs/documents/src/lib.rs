//! Documents: search and read with tools, and answer a question.
//!
//! Each session has a store of its own, in memory, which begins with the same
//! thirty short texts on animals, plants, places, cooking and tools. Everything
//! is done by calling tools; there are no other actions.
//!
//! | Tool | What it does | In |
//! |---|---|---|
//! | `search` | ranks documents by words (BM25) | both modes |
//! | `read`, `list` | shows a document, or which there are | both |
//! | `write`, `append`, `delete`, `import` | changes the store of the session | both |
//! | `question`, `submit_answer` | tells the question, answers it | simulation |
//! | `export` | returns whole documents, as `import` takes them | production |
//!
//! # Episodes
//!
//! A reset puts the store back to the beginning and asks a question whose answer
//! is in the texts, sometimes in two of them together. It is picked by `task`
//! (its id), by `split` and `index`, or by the seed. The tasks of the splits
//! `train` and `test` are the questions.
//!
//! - The right answer earns 1 and ends the episode. An answer that shares words
//!   with it earns up to a half, but all answers together never more than the
//!   best of them, so that there is nothing to gain from handing in parts.
//! - The third answer ends the episode in any case.
//! - Every other call costs [`CALL_COST`], whether it succeeds or not.
//! - After [`MAX_CALLS`] calls the episode is cut short.
//!
//! The texts hold what is known in general. What is learned here is to use the
//! tools, more than to find what nobody could know without them.
//!
//! # Limits
//!
//! A session holds [`MAX_DOCUMENTS`] documents of [`MAX_TEXT`] characters, and
//! [`MAX_BYTES`] bytes of them all together. Sessions that change nothing share
//! one copy of the texts.

mod arguments;
mod collection;
mod environment;
mod episode;
mod quiz;
mod search;
mod store;
mod tools;

pub use environment::{Assignment, Documents, DocumentsState};
pub use episode::{CALL_COST, MAX_ANSWERS, MAX_CALLS, Verdict};
pub use store::{Document, Hit, MAX_BYTES, MAX_DOCUMENTS, MAX_TEXT};
pub use tools::{Deleted, Exported, Found, Imported, Listed, Listing, Page, Written};
