"""The processes that align: their pool and queue, what runs in one, and what passes between."""
