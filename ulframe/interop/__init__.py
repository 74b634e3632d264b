"""Inside other tools: a module for each, which needs that tool and is imported by its own name."""
