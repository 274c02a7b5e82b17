"""The machine: compiled kernels, threads and processes, files of users, and where work runs."""
