//! Integration tests: a real server on a real socket.

mod differences;
mod golden;
mod replay;
mod support;
#[expect(
    dead_code,
    unused_imports,
    reason = "lands with `openenv::Server`: the replay serves them"
)]
mod twins;
