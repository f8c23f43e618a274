"""The one error type whose message is written for the user."""


class HeadscopeError(Exception):
    """Something the user can put right; the message is one line that names the offending value and the way out.

    Commands print the message alone and exit with code 2; pages show it where the picture would be. Anything else
    that is raised is a fault of the program and keeps its traceback.
    """
