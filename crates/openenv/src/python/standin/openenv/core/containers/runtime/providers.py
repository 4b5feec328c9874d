"""What starts servers in containers, and its base."""

from abc import ABC, abstractmethod
from typing import Any, Dict, Optional

from ..._refusing import Refusing


class ContainerProvider(Refusing, ABC):
    @abstractmethod
    def start_container(
        self,
        image: str,
        port: Optional[int] = None,
        env_vars: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> str: ...

    @abstractmethod
    def stop_container(self) -> None: ...

    @abstractmethod
    def wait_for_ready(self, base_url: str, timeout_s: float = 30.0) -> None: ...


class LocalDockerProvider(ContainerProvider):
    """Docker."""


class DockerSwarmProvider(ContainerProvider):
    """Docker Swarm."""


class KubernetesProvider(ContainerProvider):
    """Kubernetes."""


class RuntimeProvider(Refusing, ABC):
    @abstractmethod
    def start(
        self,
        port: Optional[int] = None,
        env_vars: Optional[Dict[str, str]] = None,
        **kwargs: Any,
    ) -> str: ...

    @abstractmethod
    def stop(self) -> None: ...

    @abstractmethod
    def wait_for_ready(self, timeout_s: float = 30.0) -> None: ...
