"""Files of users: outputs that are written whole or not at all, and texts that are read up to a largest size."""
