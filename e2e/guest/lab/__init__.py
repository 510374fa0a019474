"""What scenarios are made of."""
