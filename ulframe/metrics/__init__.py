"""What a metric is: declarations, the catalogue, the laws they keep, and the names they go by."""
