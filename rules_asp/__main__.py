"""`python -m rules_asp`."""

from rules_asp.cli.app import main

main(prog_name="rules-asp")
