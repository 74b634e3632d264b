"""Tests of ulframe.evaluation."""
