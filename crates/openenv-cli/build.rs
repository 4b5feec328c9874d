//! Embeds the templates anew when there are others.

fn main() {
    // The macro that embeds them notices a changed file, but no new one.
    println!("cargo::rerun-if-changed=templates");
}
