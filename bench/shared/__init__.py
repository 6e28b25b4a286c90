"""What several experiments use: clusters, programs, plans of the literature, and Tutti's command."""
