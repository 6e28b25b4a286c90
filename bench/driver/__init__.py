"""What all experiments have in common: command line, result files, tables and charts."""
