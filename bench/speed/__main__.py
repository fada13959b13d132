"""``python -m bench.speed``."""

import sys

from bench import program, speed

COMMANDS = {
    "aligning": "each model on annotated pairs and on raw text, beside the first model",
    "limit": "the library and the server beside what one core can do in C",
    "ground": "grounding an answer beside aligning its pairs",
    "peers": "other libraries that compare or annotate sentences",
    "lines": "dedupe and matrix over many lines: rate, memory, and what is found",
    "grpcio": "the server's processor time for a call by version of grpcio",
    "cost": "what a pair takes beside what the server counts it as",
}

if __name__ == "__main__":
    sys.exit(program.main("bench.speed", str(speed.__doc__), COMMANDS))
