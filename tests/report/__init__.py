"""Tests of ulframe.report."""
