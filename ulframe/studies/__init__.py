"""Studies: what else frames of rankings can answer; each folder is one question."""
