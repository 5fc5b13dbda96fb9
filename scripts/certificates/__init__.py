"""What check_certificate.py checks proofs by enumeration with. Needs the standard library alone."""

import sys

sys.dont_write_bytecode = True  # an installed copy may lie where users cannot write
