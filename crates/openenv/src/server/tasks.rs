//! The task routes: what the episodes of the served environments can be about.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::Method;
use axum::response::Response;
use serde_json::{Value, json};

use crate::contract::{Base, Shape};
use crate::env::tasks::TaskQuestion;
use crate::error::{Error, Result};
use crate::server::body::{self, Body};
use crate::server::fallback::only;
use crate::server::sessions::Sessions;
use crate::wire::request::{
    GetTaskRangeRequest, GetTaskRequest, ListTasksRequest, NumTasksRequest,
};

static LIST: LazyLock<Shape<ListTasksRequest>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static COUNT: LazyLock<Shape<NumTasksRequest>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static GET: LazyLock<Shape<GetTaskRequest>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static RANGE: LazyLock<Shape<GetTaskRangeRequest>> = LazyLock::new(|| Shape::fixed(Base::Closed));

/// The environments whose tasks one mount point serves.
type Directory = Arc<[Arc<Sessions>]>;

pub(crate) fn routes(served: &[Arc<Sessions>]) -> Router {
    Router::new()
        .route("/list_environments", only(Method::GET, list_environments))
        .route("/{env_name}/splits", only(Method::GET, splits))
        .route("/{env_name}/tasks", only(Method::POST, list))
        .route("/{env_name}/num_tasks", only(Method::POST, count))
        .route("/{env_name}/task", only(Method::POST, task))
        .route("/{env_name}/task_range", only(Method::POST, range))
        .with_state(Directory::from(served))
}

async fn list_environments(State(directory): State<Directory>) -> Response {
    let names: Vec<&str> = directory
        .iter()
        .map(|sessions| sessions.name.as_str())
        .collect();
    body::json(&names)
}

async fn splits(State(directory): State<Directory>, Path(name): Path<String>) -> Result<Response> {
    let environment = find(&directory, &name)?;
    let splits = ask(environment, TaskQuestion::Splits).await?;
    Ok(body::json(&splits))
}

async fn list(
    State(directory): State<Directory>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response> {
    let ListTasksRequest { split } = body.read(&LIST)?;
    let environment = find(&directory, &name)?;
    let tasks = ask(environment, TaskQuestion::List { split }).await?;
    Ok(body::json(
        &json!({ "tasks": tasks, "env_name": environment.name }),
    ))
}

async fn count(
    State(directory): State<Directory>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response> {
    let NumTasksRequest { split } = body.read(&COUNT)?;
    let environment = find(&directory, &name)?;
    let count = ask(environment, TaskQuestion::Count { split }).await?;
    Ok(body::json(&json!({ "num_tasks": count })))
}

async fn task(
    State(directory): State<Directory>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response> {
    let GetTaskRequest { split, index } = body.read(&GET)?;
    let environment = find(&directory, &name)?;
    let task = ask(environment, TaskQuestion::Get { split, index }).await?;
    Ok(body::json(&json!({ "task": task })))
}

async fn range(
    State(directory): State<Directory>,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response> {
    let GetTaskRangeRequest { split, start, stop } = body.read(&RANGE)?;
    let environment = find(&directory, &name)?;
    let tasks = ask(environment, TaskQuestion::Range { split, start, stop }).await?;
    Ok(body::json(&json!({ "tasks": tasks })))
}

fn find<'a>(directory: &'a Directory, name: &str) -> Result<&'a Arc<Sessions>> {
    directory
        .iter()
        .find(|sessions| sessions.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| Error::not_found(format!("unknown environment '{name}'")))
}

/// Asks the tasks of an environment; what they do not answer is named.
async fn ask(environment: &Sessions, question: TaskQuestion) -> Result<Value> {
    let method = question.method();
    let tasks = environment
        .blueprint
        .tasks()
        .ok_or_else(|| Error::unsupported(method))?;
    match tasks.answer(question).await {
        Err(error) if error.is_unsupported() => Err(Error::unsupported(method)),
        answer => answer,
    }
}
