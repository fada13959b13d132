"""Before any framework is imported: none may report that it is used."""

import os

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
