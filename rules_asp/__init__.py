"""The building rules of Advanced Squad Leader, to be asked."""
