//! A game of one row that shows itself.

use openenv::{
    Environment, Error, Metadata, Rendering, ResetOptions, Result, Step, StepOptions, Suggestion,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Place {
    #[schemars(range(max = 2))]
    cell: usize,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(super) struct Row {
    row: String,
}

/// Fill three cells, each pays one.
#[derive(Debug, Default)]
pub(super) struct Board {
    cells: [bool; 3],
}

impl Board {
    fn row(&self) -> String {
        self.cells
            .iter()
            .map(|full| if *full { 'x' } else { '.' })
            .collect()
    }
}

impl Environment for Board {
    type Action = Place;
    type Observation = Row;
    type ResetObservation = Row;
    type State = Row;

    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<Row>> {
        self.cells = [false; 3];
        Ok(Step::new(Row { row: self.row() }))
    }

    async fn step(&mut self, action: Place, _: StepOptions) -> Result<Step<Row>> {
        if std::mem::replace(&mut self.cells[action.cell], true) {
            return Err(Error::new(format!("cell {} is taken", action.cell)));
        }
        let full = self.cells.iter().all(|full| *full);
        Ok(Step::new(Row { row: self.row() }).reward(1).done(full))
    }

    fn state(&self) -> Row {
        Row { row: self.row() }
    }

    fn render(&self) -> Option<Rendering> {
        assert_ne!(self.row(), "xxx", "there is nothing left to show");
        Some(Rendering::text(self.row()))
    }

    fn suggested_actions(&self) -> Vec<Suggestion> {
        let free = (0..3).filter(|cell| !self.cells[*cell]);
        free.map(|cell| Suggestion::new(format!("Cell {cell}"), Place { cell }))
            .collect()
    }

    fn metadata() -> Metadata {
        Metadata::new("board", "One row").readme("---\ntitle: x\n---\n# A *row*")
    }
}
