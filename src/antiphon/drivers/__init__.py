"""What touches the machine: processes, terminals, files, clocks."""
