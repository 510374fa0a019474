"""The parts of scenarios."""
