"""`python -m headscope` is the command `headscope`."""

from headscope.app.commands.cli import main

main()
