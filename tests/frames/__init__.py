"""Tests of ulframe.frames."""
