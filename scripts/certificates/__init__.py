"""The checks of check_certificate.py for proofs by enumeration. They need only the standard library."""

import sys

sys.dont_write_bytecode = True  # an installed copy may lie where users cannot write
