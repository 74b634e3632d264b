"""Tests of ulframe.analysis."""
