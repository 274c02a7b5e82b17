"""Settings of Sphinx for the site: ``sphinx-build -n -W docs site``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from scripts.docs import generate, site

generate()

project = "tablebase"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.intersphinx", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["examples", "generated", "inventories"]
html_theme = "furo"
html_title = "tablebase"
html_copy_source = False
# Two hyphens begin an option.
smartquotes = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# CI executes the notebook beforehand, so that the site shows its results.
nb_execution_mode = "off"

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints_format = "short"
maximum_signature_line_length = 88
napoleon_google_docstring = False
# Types stand in the signatures, where they are links.
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
# A name in backticks is a link where the reference has it.
default_role = "py:obj"
# Variables of generic types.
nitpick_ignore_regex = [("py:class", r"tablebase\..*\.([A-Z]|tablebase\.Default|descriptions\.Entry|executor\.Key)")]
suppress_warnings = ["ref.python"]
intersphinx_mapping = {name: (pages["url"], str(site.inventory(name))) for name, pages in site.INVENTORIES.items()}

# Examples without their prompts.
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_here_doc_delimiter = "EOF"

setup = site.setup
