"""Tests of ulframe.studies."""
