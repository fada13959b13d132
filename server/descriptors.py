"""Open files and connections: as many as the system lets a process have."""

from __future__ import annotations

import logging
import resource

log = logging.getLogger(__name__)

# Beyond it only more memory would be held.
MOST = 65_536


def raise_limit() -> int:
    """Raise the number of descriptors this process may have open, and return it.

    To what the system allows (the hard limit), at most MOST; a larger one is left.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    allowed = max(soft, wanted)
    log.info("descriptors", extra={"allowed": allowed, "before": soft})
    return allowed
