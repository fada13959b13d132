INPUTS: tuple[str, ...]
