"""The box to paste an error into, which its script (docs/javascripts/paste.js) shows."""

from __future__ import annotations

from gpu_gotchas.site.knowledge import Knowledge
from gpu_gotchas.site.markdown import attribute
from gpu_gotchas.site.parts import card_targets

_PLACEHOLDER = "ValueError: type fp8e4nv not supported in this architecture"


def box(knowledge: Knowledge) -> str:
    """HTML, one block without blank lines, so that Markdown leaves it alone."""
    options = "".join(
        f'<option value="{attribute(target.name)}">{attribute(said)}</option>'
        for target, said in card_targets(knowledge)
    )
    return f"""<div class="gg-paste">
<form hidden>
<label for="paste">An error, or a whole log</label>
<textarea id="paste" name="text" rows="7" placeholder="{attribute(_PLACEHOLDER)}"
autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="gg-private"></textarea>
<div class="gg-row">
<label>Card <select name="target"><option value="">as the text says</option>{options}</select></label>
<label>or a file, which may be dropped here <input type="file" name="file"></label>
<button type="reset">Clear</button>
</div>
<p id="gg-private">What you paste stays in this page. It is searched on your machine and sent nowhere.</p>
</form>
<noscript><p>This takes JavaScript; <code>gotchas search</code> does it on a command line.</p></noscript>
<div class="gg-answer" role="status"></div>
</div>"""
