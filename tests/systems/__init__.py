"""Tests of ulframe.systems."""
