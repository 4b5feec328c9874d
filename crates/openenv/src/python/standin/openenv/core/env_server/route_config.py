"""Routes as data. Nothing is served here: a route is handed to whatever application is given."""

from dataclasses import dataclass
from typing import Any, Callable, List, Type, Union

from pydantic import BaseModel


@dataclass
class GetEndpointConfig:
    path: str
    handler: Callable[[], Union[BaseModel, dict]]
    response_model: Union[Type[BaseModel], Type[dict]]
    tag: str
    summary: str
    description: str


def register_get_endpoints(app: Any, configs: List[GetEndpointConfig]) -> None:
    for config in configs:
        route = app.get(
            config.path,
            response_model=config.response_model,
            tags=[config.tag],
            summary=config.summary,
            description=config.description,
        )
        route(_endpoint(config.handler))


def _endpoint(handler: Callable[[], Union[BaseModel, dict]]) -> Callable[[], Any]:
    async def endpoint():
        return handler()

    return endpoint
