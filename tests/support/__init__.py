"""What tests share: ways to run the program, tables, small games."""
