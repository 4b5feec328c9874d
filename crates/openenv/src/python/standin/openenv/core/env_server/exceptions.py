"""Errors of a server. Their default texts reach clients, so they are those of OpenEnv 0.10.0."""

from typing import Optional


class OpenEnvError(Exception):
    """Any of these."""


class ConcurrencyConfigurationError(OpenEnvError):
    """More than one session for an environment that allows one.

    Nothing here raises it: where each session has a process, any environment can have many.
    """

    def __init__(
        self,
        environment_name: str,
        max_concurrent_envs: int,
        message: Optional[str] = None,
    ):
        self.environment_name = environment_name
        self.max_concurrent_envs = max_concurrent_envs
        super().__init__(
            f"Environment '{environment_name}' is not marked as SUPPORTS_CONCURRENT_SESSIONS. "
            f"Cannot run with max_concurrent_envs={max_concurrent_envs}. "
            "Either set max_concurrent_envs=1 or ensure the environment "
            "properly isolates session state and set SUPPORTS_CONCURRENT_SESSIONS=True."
            if message is None
            else message
        )


class SessionCapacityError(OpenEnvError):
    """No place for another session."""

    def __init__(self, active_sessions: int, max_sessions: int, message: Optional[str] = None):
        self.active_sessions = active_sessions
        self.max_sessions = max_sessions
        super().__init__(
            f"Server at capacity: {active_sessions}/{max_sessions} sessions active. "
            "Cannot accept new connections."
            if message is None
            else message
        )


class SessionNotFoundError(OpenEnvError):
    """No session of that name."""

    def __init__(self, session_id: str, message: Optional[str] = None):
        self.session_id = session_id
        super().__init__(f"Session '{session_id}' not found." if message is None else message)


class SessionCreationError(OpenEnvError):
    """A session could not start."""

    def __init__(self, reason: str, message: Optional[str] = None):
        self.reason = reason
        super().__init__(f"Failed to create session: {reason}" if message is None else message)


class EnvironmentFactoryError(OpenEnvError):
    """The author's factory raised."""

    def __init__(self, factory_name: str, message: Optional[str] = None):
        self.factory_name = factory_name
        super().__init__(
            f"Environment factory '{factory_name}' failed to create instance."
            if message is None
            else message
        )
