"""Sphinx's settings. scripts/site.sh lays the pages out in build/site-source and calls it there."""

import importlib.util
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, os.environ["DPCOV_TREE"])

import dpcov

project = "dpcov"
author = "the authors of dpcov"
project_copyright = "the authors of dpcov, Apache License 2.0"
version = release = dpcov.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "breathe",
    "sphinx_copybutton",
]
# Pages; what else lies in the folder is linked to by them, as files.
include_patterns = [
    "index.md",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "docs/*.md",
    "docs/decisions/*.md",
    "docs/reference/**",
    "examples/data/README.md",
]
exclude_patterns = ["docs/site"]

html_theme = "furo"
html_title = f"dpcov {version}"
html_show_sphinx = False
html_static_path = ["static"]
html_css_files = ["site.css"]
pygments_style = "default"
pygments_dark_style = "github-dark"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True
# Notebooks that need a table which is not here are shown without what they print.
if not os.environ.get("DPCOV_DATA"):
    nb_execution_excludepatterns = ["docs/tutorial.md"]

default_role = "literal"  # numpydoc's single backticks are code
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the parameters' sections say it
autodoc_mock_imports = [
    name for name in ("dask", "pyspark", "pyarrow") if importlib.util.find_spec(name) is None
]
napoleon_google_docstring = False
napoleon_use_rtype = False
# Types are told in numpydoc's prose ("table, (n, d)"); names of our own must lead somewhere.
nitpick_ignore_regex = [
    ("py:.*", r"(?!dpcov\.).*"),
    ("cpp:identifier", r"(Eigen|detail|Account)\b.*|dpcov"),  # what no page declares
]

breathe_projects = {"dpcov": os.environ["DPCOV_DOXYGEN_XML"]}
breathe_default_project = "dpcov"
breathe_default_members = ("members",)
breathe_show_include = False
cpp_id_attributes = ["DPCOV_EXPORT"]
cpp_maximum_signature_line_length = 90

suppress_warnings = [
    "misc.highlighting_failure",  # the drawing in docs/design.md, which GitHub draws
]

_ANCHOR = re.compile(r'<a id="([^"]+)">')


def _know_anchors(app, doctree):
    """Let pages link to <a id="..."> as GitHub does, and not to headings alone."""
    from docutils import nodes
    from sphinx import addnodes

    slugs = app.env.metadata[app.env.docname].setdefault("myst_slugs", {})
    for raw in doctree.findall(nodes.raw):
        for name in _ANCHOR.findall(raw.astext()):
            slugs.setdefault(name, (raw.line or 0, name, name))
    for pending in list(doctree.findall(addnodes.pending_xref)):
        name = pending.get("reftarget")
        if pending.get("reftype") == "myst" and name in slugs:
            link = nodes.reference("", "", *pending.children, refid=slugs[name][1], internal=True)
            pending.replace_self(link)


def setup(app):
    """Register what is above."""
    app.connect("doctree-read", _know_anchors)
    assert Path(app.srcdir, "index.md").exists(), "scripts/site.sh lays the pages out"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
