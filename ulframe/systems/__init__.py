"""Systems: what produces runs. Each is a package of its own and imports none of the others."""
