from __future__ import annotations

try:
    from hypothesis import settings
except ModuleNotFoundError:  # the tests that need it say so themselves
    pass
else:
    # A deadline is wall time, and says more about who else uses the machine than about the code.
    settings.register_profile("no deadline", deadline=None)
    settings.load_profile("no deadline")
