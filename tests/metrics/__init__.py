"""Tests of ulframe.metrics."""
