//! Tic-tac-toe, with a board to look at and moves to click on.
//!
//! `cargo run -p openenv-serve --example tic_tac_toe`, then open `http://127.0.0.1:8000/web/`.

use std::fmt::Write as _;
use std::process::ExitCode;

use openenv::{
    Environment, Error, Metadata, Rendering, ResetOptions, Result, Step, StepOptions, Suggestion,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const LINES: [[usize; 3]; 8] = [
    [0, 1, 2],
    [3, 4, 5],
    [6, 7, 8],
    [0, 3, 6],
    [1, 4, 7],
    [2, 5, 8],
    [0, 4, 8],
    [2, 4, 6],
];
const PLACES: [&str; 9] = [
    "top left",
    "top",
    "top right",
    "left",
    "centre",
    "right",
    "bottom left",
    "bottom",
    "bottom right",
];

fn main() -> ExitCode {
    openenv_serve::main("tic_tac_toe", Game::default)
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Move {
    /// Cell for your cross: 0 is top left, 8 is bottom right
    #[schemars(range(min = 0, max = 8))]
    cell: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mark {
    /// Nobody's
    Free,
    /// Yours
    Cross,
    /// The opponent's
    Nought,
}

#[derive(Serialize, JsonSchema)]
struct Position {
    /// Row by row, from the top left
    board: [Mark; 9],
    /// What happened, in words
    message: String,
}

struct Game {
    board: [Mark; 9],
    /// What the opponent's moves are drawn from.
    luck: u64,
}

impl Default for Game {
    fn default() -> Self {
        Self {
            board: [Mark::Free; 9],
            luck: 0,
        }
    }
}

impl Game {
    fn free_cells(&self) -> Vec<usize> {
        (0..self.board.len())
            .filter(|&cell| self.board[cell] == Mark::Free)
            .collect()
    }

    fn line_of(&self, mark: Mark) -> Option<[usize; 3]> {
        LINES
            .into_iter()
            .find(|line| line.iter().all(|&cell| self.board[cell] == mark))
    }

    fn is_over(&self) -> bool {
        self.free_cells().is_empty()
            || self.line_of(Mark::Cross).is_some()
            || self.line_of(Mark::Nought).is_some()
    }

    /// The opponent takes any free cell; the same seed gives the same game.
    fn answer(&mut self) -> usize {
        self.luck = self.luck.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.luck ^ (self.luck >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 27;
        let cells = self.free_cells();
        let cell = cells[usize::try_from(bits >> 33).unwrap_or(0) % cells.len()];
        self.board[cell] = Mark::Nought;
        cell
    }

    fn seen(&self, message: String) -> Step<Position> {
        Step::new(Position {
            board: self.board,
            message,
        })
    }
}

impl Environment for Game {
    type Action = Move;
    type Observation = Position;
    type ResetObservation = Position;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Position>> {
        *self = Self {
            luck: options.seed.map_or(0, u64::from),
            ..Self::default()
        };
        Ok(self.seen("your move".to_owned()))
    }

    async fn step(&mut self, action: Move, _: StepOptions) -> Result<Step<Position>> {
        if self.is_over() {
            return Err(Error::new("the game is over: reset to play another"));
        }
        let Move { cell } = action;
        if self.board[cell] != Mark::Free {
            return Err(Error::new(format!("the {} cell is taken", PLACES[cell])));
        }
        self.board[cell] = Mark::Cross;
        if self.line_of(Mark::Cross).is_some() {
            return Ok(self.seen("you win".to_owned()).reward(1.0).terminated());
        }
        if self.free_cells().is_empty() {
            return Ok(self.seen("a draw".to_owned()).reward(0.0).terminated());
        }
        let answer = PLACES[self.answer()];
        if self.line_of(Mark::Nought).is_some() {
            let message = format!("the opponent took {answer} and wins");
            return Ok(self.seen(message).reward(-1.0).terminated());
        }
        let message = format!("the opponent took {answer}");
        Ok(self.seen(message).reward(0.0))
    }

    fn state(&self) {}

    /// The board, with the winning line marked.
    fn render(&self) -> Option<Rendering> {
        let winning = self
            .line_of(Mark::Cross)
            .or_else(|| self.line_of(Mark::Nought));
        let mut svg = String::from(
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 300 300' role='img' \
             stroke='#64748b' stroke-width='6' stroke-linecap='round' fill='none'>",
        );
        for (cell, &mark) in self.board.iter().enumerate() {
            let (x, y) = (cell % 3 * 100, cell / 3 * 100);
            let ground = match winning {
                Some(line) if line.contains(&cell) => "#facc1555",
                _ => "none",
            };
            let _ = write!(
                svg,
                "<g transform='translate({x} {y})'><rect width='100' height='100' fill='{ground}' stroke-width='2'/>"
            );
            svg.push_str(match mark {
                Mark::Free => "",
                Mark::Cross => "<path stroke='#2563eb' d='M25 25L75 75M75 25L25 75'/>",
                Mark::Nought => "<circle stroke='#dc2626' cx='50' cy='50' r='28'/>",
            });
            svg.push_str("</g>");
        }
        svg.push_str("</svg>");
        Some(Rendering::svg(svg))
    }

    fn suggested_actions(&self) -> Vec<Suggestion> {
        if self.is_over() {
            return Vec::new();
        }
        self.free_cells()
            .into_iter()
            .map(|cell| Suggestion::new(PLACES[cell], Move { cell }))
            .collect()
    }

    fn metadata() -> Metadata {
        Metadata::new("tic_tac_toe", "Three in a row against a careless opponent")
    }
}
