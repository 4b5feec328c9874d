//! How an environment looks where it is listed: the same for the same name.

use sha2::{Digest, Sha256};

/// Those that Hugging Face knows.
const COLORS: [&str; 8] = [
    "red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray",
];

const EMOJI: [&str; 16] = [
    "🎯", "🎲", "🧩", "🧭", "🚀", "🌍", "🔭", "🛰️", "🤖", "🏔️", "🌊", "🌵", "🪐", "🧪", "⚙️", "🏁",
];

/// An emoji and two colours.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) emoji: &'static str,
    pub(super) from: &'static str,
    pub(super) to: &'static str,
}

impl Look {
    pub(super) fn of(name: &str) -> Self {
        let digest = Sha256::digest(name);
        let [emoji, from, distance] = [digest[0], digest[1], digest[2]].map(usize::from);
        let from = from % COLORS.len();
        // Never the first one again.
        let to = (from + 1 + distance % (COLORS.len() - 1)) % COLORS.len();
        Self {
            emoji: EMOJI[emoji % EMOJI.len()],
            from: COLORS[from],
            to: COLORS[to],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depends_on_the_name_alone_and_has_two_colours() {
        for name in ["maze", "my_env", "tic_tac_env", "world_2d"] {
            let look = Look::of(name);
            assert_eq!(look, Look::of(name));
            assert_ne!(look.from, look.to, "{name}");
        }
        assert_ne!(Look::of("maze"), Look::of("my_env"));
    }
}
