"""Tests of ulframe.cli."""
