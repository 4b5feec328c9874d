"""Actions, observations, states, and the messages around them.

Clients compare schemas, and a schema carries names, constraints and descriptions. A model's
docstring is its description there: these and the fields' descriptions are data, and stay as they
are in OpenEnv 0.10.0, word for word.
"""

from enum import Enum
from typing import Annotated, Any, Dict, Literal, Optional, Union

from pydantic import BaseModel, ConfigDict, Field, model_serializer, model_validator

Scalar = Union[int, float, bool]


class ServerMode(str, Enum):
    """Server operation mode."""

    SIMULATION = "simulation"
    PRODUCTION = "production"


class HealthStatus(str, Enum):
    """Server health status values."""

    HEALTHY = "healthy"
    UNHEALTHY = "unhealthy"
    DEGRADED = "degraded"


class WSErrorCode(str, Enum):
    """WebSocket error codes for structured error handling."""

    INVALID_JSON = "INVALID_JSON"
    UNKNOWN_TYPE = "UNKNOWN_TYPE"
    VALIDATION_ERROR = "VALIDATION_ERROR"
    EXECUTION_ERROR = "EXECUTION_ERROR"
    CAPACITY_REACHED = "CAPACITY_REACHED"
    FACTORY_ERROR = "FACTORY_ERROR"
    SESSION_ERROR = "SESSION_ERROR"


# --- What an environment exchanges -----------------------------------------------------------


class Action(BaseModel):
    """Base class for all environment actions.

    All action subclasses should inherit from this base class.
    Uses Pydantic for automatic validation and serialization.
    """

    model_config = ConfigDict(
        extra="forbid", validate_assignment=True, arbitrary_types_allowed=True
    )

    metadata: Dict[str, Any] = Field(
        default_factory=dict, description="Additional metadata for the action"
    )


class Observation(BaseModel):
    """Base class for all environment observations.

    All observation subclasses should inherit from this base class.
    Uses Pydantic for automatic validation and serialization.
    """

    model_config = ConfigDict(
        extra="forbid", validate_assignment=True, arbitrary_types_allowed=True
    )

    done: bool = Field(False, description="Whether the episode has terminated")
    # `bool` first: `True` stays what it is.
    reward: Union[bool, int, float, None] = Field(
        None, description="Reward signal from the last action"
    )
    metadata: Dict[str, Any] = Field(
        default_factory=dict, description="Additional metadata for the observation"
    )


class State(BaseModel):
    """Base class for environment state.

    Represents internal environment state, separate from observations.
    """

    model_config = ConfigDict(extra="allow", validate_assignment=True, arbitrary_types_allowed=True)

    episode_id: Optional[str] = Field(None, description="Unique identifier for the current episode")
    step_count: int = Field(0, ge=0, description="Number of steps taken in the current episode")


# --- HTTP ------------------------------------------------------------------------------------


class ResetRequest(BaseModel):
    """Request model for environment reset."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"examples": [{"seed": 42, "episode_id": "episode-001"}, {}]},
    )

    seed: Optional[int] = Field(None, ge=0, description="Random seed for reproducible episodes")
    episode_id: Optional[str] = Field(None, max_length=255, description="Custom episode identifier")


class ResetResponse(BaseModel):
    """Response model for environment reset."""

    model_config = ConfigDict(extra="forbid")

    observation: Dict[str, Any] = Field(description="Initial observation from the environment")
    reward: Optional[float] = Field(None, description="Initial reward (typically None at reset)")
    done: bool = Field(False, description="Whether episode is already done (typically False)")
    metadata: Optional[Dict[str, Any]] = Field(
        None, description="Additional metadata from the environment"
    )


class StepRequest(BaseModel):
    """Request model for environment step."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"action": {"value": 1}, "timeout_s": 30.0},
                {"action": {"value": 1}, "render": True, "verbose": False},
            ]
        },
    )

    action: Dict[str, Any] = Field(
        description="Action to execute, must conform to environment's action schema"
    )
    timeout_s: Optional[float] = Field(
        None, gt=0, description="Optional timeout in seconds for action execution"
    )
    request_id: Optional[str] = Field(
        None, max_length=255, description="Optional request identifier for tracking"
    )


class StepResponse(BaseModel):
    """Response model for environment step."""

    model_config = ConfigDict(extra="forbid")

    observation: Dict[str, Any] = Field(description="Observation resulting from the action")
    reward: Optional[float] = Field(None, description="Reward signal from the action")
    done: bool = Field(False, description="Whether the episode has terminated")
    metadata: Optional[Dict[str, Any]] = Field(
        None, description="Additional metadata from the environment"
    )


class BaseMessage(BaseModel):
    """Base class for WebSocket messages with shared configuration."""

    model_config = ConfigDict(extra="forbid", validate_assignment=True)


class CodeExecResult(BaseMessage):
    """Result of code execution containing stdout, stderr, and exit code."""

    stdout: str = Field(description="Standard output from code execution")
    stderr: str = Field(description="Standard error from code execution")
    exit_code: int = Field(description="Exit code from code execution")


class EnvironmentMetadata(BaseMessage):
    """Metadata about an environment for documentation and UI purposes."""

    name: str = Field(description="Name of the environment")
    description: str = Field(description="Description of what the environment does")
    readme_content: Optional[str] = Field(
        None, description="Content of the README file for the environment"
    )
    version: Optional[str] = Field(None, description="Version of the environment")
    author: Optional[str] = Field(None, description="Author of the environment")
    documentation_url: Optional[str] = Field(
        None, description="URL to the environment's documentation"
    )


class SchemaResponse(BaseMessage):
    """Response model for the combined schema endpoint."""

    action: Dict[str, Any] = Field(
        description="JSON schema for actions accepted by this environment"
    )
    observation: Dict[str, Any] = Field(
        description="JSON schema for observations returned by this environment"
    )
    state: Dict[str, Any] = Field(description="JSON schema for environment state objects")
    reset_observation: Optional[Dict[str, Any]] = Field(
        None, description="JSON schema for observations returned by reset"
    )

    @model_serializer(mode="wrap")
    def _without_absent_reset(self, write):
        fields = write(self)
        if self.reset_observation is None:
            fields.pop("reset_observation", None)
        return fields


class HealthResponse(BaseMessage):
    """Response model for health check endpoint."""

    status: HealthStatus = Field(
        HealthStatus.HEALTHY, description="Health status of the environment server"
    )


class ListTasksRequest(BaseMessage):
    """Request model for ORS-compatible task listing."""

    split: str = Field(description="Task split name")


class NumTasksRequest(BaseMessage):
    """Request model for ORS-compatible task counts."""

    split: str = Field(description="Task split name")


class GetTaskRequest(BaseMessage):
    """Request model for ORS-compatible task lookup."""

    split: str = Field(description="Task split name")
    index: int = Field(description="Task index within the split")


class GetTaskRangeRequest(BaseMessage):
    """Request model for ORS-compatible task range lookup."""

    split: str = Field(description="Task split name")
    start: Optional[int] = Field(None, description="Inclusive start index")
    stop: Optional[int] = Field(None, description="Exclusive stop index")


# --- WebSocket -------------------------------------------------------------------------------


class WSResetMessage(BaseMessage):
    """WebSocket message to reset the environment."""

    type: Literal["reset"] = Field("reset", description="Message type")
    data: Dict[str, Any] = Field(
        default_factory=dict,
        description="Optional reset parameters (seed, episode_id, etc.)",
    )


class WSStepMessage(BaseMessage):
    """WebSocket message to execute a step."""

    type: Literal["step"] = Field("step", description="Message type")
    data: Dict[str, Any] = Field(
        description="Action data conforming to environment's action schema"
    )


class WSStateMessage(BaseMessage):
    """WebSocket message to request current state."""

    type: Literal["state"] = Field("state", description="Message type")


class WSCloseMessage(BaseMessage):
    """WebSocket message to close the session."""

    type: Literal["close"] = Field("close", description="Message type")


WSIncomingMessage = Annotated[
    Union[WSResetMessage, WSStepMessage, WSStateMessage, WSCloseMessage],
    Field(discriminator="type"),
]


class WSObservationResponse(BaseModel):
    """WebSocket response containing an observation."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["observation"] = Field("observation", description="Response type")
    data: Dict[str, Any] = Field(description="Observation data")


class WSStateResponse(BaseModel):
    """WebSocket response containing environment state."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["state"] = Field("state", description="Response type")
    data: Dict[str, Any] = Field(description="State data")


class WSErrorResponse(BaseModel):
    """WebSocket response for errors."""

    model_config = ConfigDict(extra="forbid")

    type: Literal["error"] = Field("error", description="Response type")
    data: Dict[str, Any] = Field(description="Error details including message and code")


# --- Capacity --------------------------------------------------------------------------------


class ConcurrencyConfig(BaseMessage):
    """Configuration for concurrent environment sessions."""

    max_concurrent_envs: int = Field(
        1,
        ge=1,
        description="Maximum number of concurrent WebSocket sessions allowed",
    )
    session_timeout: Optional[float] = Field(
        None,
        gt=0,
        description="Timeout in seconds for inactive sessions. None means no timeout.",
    )


class ServerCapacityStatus(BaseMessage):
    """Status of server capacity for concurrent sessions."""

    active_sessions: int = Field(ge=0, description="Number of currently active sessions")
    max_sessions: int = Field(ge=1, description="Maximum number of allowed sessions")

    @model_validator(mode="after")
    def check_capacity_bounds(self):
        active, most = self.active_sessions, self.max_sessions
        if active > most:
            raise ValueError(f"active_sessions ({active}) cannot exceed max_sessions ({most})")
        return self

    @property
    def available_slots(self) -> int:
        return self.max_sessions - self.active_sessions

    @property
    def is_at_capacity(self) -> bool:
        return not self.available_slots

    @classmethod
    def from_counts(cls, active: int, max_sessions: int):
        return cls(active_sessions=active, max_sessions=max_sessions)


class SessionInfo(BaseMessage):
    """Information about an active session."""

    session_id: str = Field(description="Unique identifier for the session")
    created_at: float = Field(description="Unix timestamp when the session was created")
    last_activity_at: float = Field(
        description="Unix timestamp of the last activity in the session"
    )
    step_count: int = Field(0, ge=0, description="Number of steps executed in this session")
    environment_type: str = Field(
        description="Environment type for this session (e.g. `CodingEnv`)"
    )
