"""The one error type whose message is written for the user."""


class HeadscopeError(Exception):
    """Something the user can put right; the message is one line that names the offending value and the way out.

    Commands print the message alone and exit with code 2; pages show it where the picture would be. Anything else
    that is raised is a fault of the program and keeps its traceback.
    """

    def __init__(self, message: str, *, on_pages: str | None = None) -> None:
        """Make one.

        Args:
            on_pages: what a page shows, where the message names a command; its visitors give none.
        """
        super().__init__(message)
        self.on_pages = message if on_pages is None else on_pages
