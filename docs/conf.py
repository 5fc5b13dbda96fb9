"""Settings of Sphinx for the book; scripts/docs runs it."""

import os

project = "dcube"
author = "the dcube authors"
copyright = ""  # noqa: A001  the licence stands in the tree
extensions = ["myst_parser", "breathe"]
root_doc = "index"
html_theme = "furo"
html_title = "dcube"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
language = "en"

# Blocks without a language show what programs print.
highlight_language = "none"
# Options keep their two hyphens.
smartquotes = False
# Anchors of headings are those that GitHub gives them.
myst_heading_anchors = 6
# Examples may leave parts out with "..", which no lexer knows.
suppress_warnings = ["misc.highlighting_failure"]

breathe_projects = {"dcube": os.environ.get("DCUBE_DOXYGEN_XML", "")}
breathe_default_project = "dcube"
breathe_domain_by_extension = {"hpp": "cpp"}
# The reference shows some of the classes, so types of the others, and those of the standard
# library, lead nowhere.
nitpick_ignore_regex = [("cpp:.*", ".*")]
