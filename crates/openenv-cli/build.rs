//! Embeds the templates anew when there are others.
#![expect(clippy::print_stdout, reason = "Cargo is told this way")]

fn main() {
    // The macro that embeds them notices a changed file, but no new one.
    println!("cargo::rerun-if-changed=templates");
}
