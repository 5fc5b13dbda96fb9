"""How scripts/docs makes the pages of the book, and checks those that Sphinx has made."""
