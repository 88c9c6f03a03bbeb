"""The tables and figures of the LightEA paper, and how far its claims hold: `python -m benchmarks.paper`."""
