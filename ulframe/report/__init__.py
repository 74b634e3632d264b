"""What people look at: tables, charts, the paper's tables and figures, one page to share."""
