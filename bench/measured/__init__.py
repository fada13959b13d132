"""What is measured, by what it measures; bench/measurements.py puts it together."""
